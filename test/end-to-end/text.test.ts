/**
 * A model of text as a user meets it: the real process, and the `openai` client over a socket.
 * time limit: 120 s
 */
import { test } from 'uvu';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textConformance } from '../conformance/openai-text.js';
import { toolConformance } from '../conformance/openai-tools.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { serveCommand, type ServedCommand } from './command.js';

let served: ServedCommand;

const subject = () => ({
  baseURL: `${served.url}/v1`,
  model: 'kjv',
  prompt: 'In the beginning God created',
  hasChat: true,
});

test.before(async () => {
  served = await serveCommand([join(repositoryRoot, 'models', 'kjv')], tmpdir());
});

test.after(async () => {
  await served.stop('SIGINT');
});

test('the openai client finds what it expects', () => textConformance(subject()));

test('it is called for its tools when it requires that, and prompts are scored', () =>
  toolConformance(subject()));

test.run();
