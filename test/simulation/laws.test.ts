/** Law D: mail dies unnoticed only with a server that ends, which it does after its children. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SERVER } from '../../actors/protocol.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import { Laws } from './laws.js';

const letter = {
  type: 'deadLetter',
  letter: {
    ...{ atMs: 0, reason: 'stopped', from: 'model-0:/models/a@1', to: `${SERVER}/deployments/a` },
    ...{ kind: 'generation.retired', role: 'tell' },
  },
} as unknown as SystemRecord;

function broken(ends: 'in the same step' | 'later' | 'never'): number {
  const laws = new Laws({ withTrace: false });
  const end = (): void =>
    laws.observe(SERVER, { type: 'stopped', reason: { kind: 'stopped', note: '' } });
  const step = (): void => laws.step({ kind: 'turn', thread: 'main' });
  step();
  laws.record('main', letter);
  if (ends === 'in the same step') end();
  step();
  if (ends === 'later') end();
  step();
  return laws.collected.violations.length;
}

test('a letter to an actor that ended is told of, once', () => {
  assert.is(broken('never'), 1);
  assert.is(broken('later'), 1);
});

test('one that the end of the server left in a mailbox is not', () => {
  assert.is(broken('in the same step'), 0);
});

test.run();
