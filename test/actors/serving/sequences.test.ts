/**
 * Known-token sequences through a real server: outputs against the oracle of the package, in any
 * chunks and company, kept by whoever got them.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionState, TextBody } from '../../../http/text-serving.js';
import { sequenceOracle } from '../../oracles/sequence.js';
import { repositoryRoot } from '../../runtime/packages/repository-root.js';
import { rejection, runServer, withServer } from '../running-server.js';
import { Texts } from '../texts.js';

const tokens = (ids: readonly number[]) => ({ kind: 'tokens' as const, ids });
const idsFrom = (seed: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (seed * 97 + at * 31 + ((at * at) % 17)) % 1024);

const sequence = (ids: readonly number[], session: string | null = null): Partial<TextBody> => ({
  ...{ profile: 'sequence', prompt: tokens(ids), session, maxTokens: 0 },
});

function assertOutput(captured: Uint8Array | null | undefined, ids: readonly number[], from = 0) {
  assert.equal(captured, new Uint8Array(sequenceOracle(ids).slice(4 * from).buffer));
}

/** A session with what it is asked. */
class Kept {
  readonly #texts: Texts;
  readonly id: string;

  constructor(texts: Texts, { id }: SessionState) {
    this.#texts = texts;
    this.id = id;
  }

  static async open(texts: Texts): Promise<Kept> {
    return new Kept(texts, await texts.server.text.openSession('sequence', texts.options()));
  }

  change(change: Parameters<Texts['server']['text']['changeSession']>[1]): Promise<SessionState> {
    return this.#texts.server.text.changeSession(this.id, change, this.#texts.options());
  }

  async append(ids: readonly number[]): Promise<Uint8Array | undefined> {
    return (await this.change({ op: 'append', prompt: tokens(ids) })).captured;
  }

  async fork(): Promise<Kept> {
    return new Kept(this.#texts, await this.change({ op: 'fork' }));
  }
}

const server = await runServer(['sequence', 'tiny-text', 'first-output']);
const texts = new Texts(server);

test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

test('a session answers with what was appended, whatever it was before', async () => {
  const ids = idsFrom(5, 300);
  const kept = await Kept.open(texts);
  assertOutput(await kept.append(ids.slice(0, 101)), ids.slice(0, 101));
  assertOutput(await kept.append([]), [], 0);
  const fork = await kept.fork();
  assertOutput(await kept.append(ids.slice(101, 102)), ids.slice(0, 102), 101);
  const { result } = await texts.say('sequence', sequence(ids.slice(102), kept.id));
  assertOutput(result.captured, ids, 102);
  const other = [...ids.slice(0, 101), 9, 8, 7];
  assertOutput(await fork.append([9, 8, 7]), other, 101);
  // What was there before is given again, though its pages may be known.
  await kept.change({ op: 'rewind', tokens: 50 });
  assertOutput(await kept.append(ids.slice(50)), ids, 50);
  await kept.change({ op: 'rewind', tokens: 0 });
  assertOutput(await kept.append(ids), ids);
  const { checkpoints } = await kept.change({ op: 'checkpoint' });
  assertOutput(await kept.append([1, 2, 3]), [...ids, 1, 2, 3], 300);
  await kept.change({ op: 'restore', checkpoint: checkpoints[0]!.id });
  assertOutput(await kept.append([1, 2, 4]), [...ids, 1, 2, 4], 300);
  await kept.change({ op: 'close' });
  assert.is((await rejection(kept.append([1]))).code, 'gone');
});

test('an append that was cancelled has never been', async () => {
  const ids = idsFrom(8, 1000);
  const kept = await Kept.open(texts);
  await kept.append(ids.slice(0, 10));
  for (const delayMs of [0, 2, 5, 9]) {
    const client = new AbortController();
    const asked = texts.say('sequence', sequence(ids.slice(10), kept.id), client.signal);
    setTimeout(() => client.abort(), delayMs);
    await asked.catch(() => null);
    const { tokens: held } = await idle(kept.id);
    // Over before the cancel came.
    if (held !== 10) await kept.change({ op: 'rewind', tokens: 10 });
    assertOutput(await kept.append(ids.slice(10, 40)), ids.slice(0, 40), 10);
    await kept.change({ op: 'rewind', tokens: 10 });
  }
});

/** Its state once nothing of a turn is left. */
async function idle(id: string): Promise<SessionState> {
  for (;;) {
    const state = await server.text.session(id);
    if (state.state === 'idle') return state;
  }
}

test('sequences, texts and embeddings are told apart, and the right route is named', async () => {
  const refused = async (model: string, body: Partial<TextBody>) => {
    const { code, message } = await rejection(texts.say(model, body));
    assert.is(code, 'invalidArgument');
    return message;
  };
  assert.match(await refused('sequence', { profile: 'text' }), /which \/v1\/sequences asks/);
  const chat = /which \/v1\/chat\/completions asks; this request is one of sequence$/;
  assert.match(await refused('tiny-text', { profile: 'sequence' }), chat);
  const embeddings = /which \/v1\/embeddings asks; this request is one of sequence$/;
  assert.match(await refused('first-output', { profile: 'sequence' }), embeddings);
  assert.match(
    await refused('sequence', { profile: 'sequence', prompt: { kind: 'text', text: 'a' } }),
    /no tokenizer|takes token ids/,
  );
  const beyond = await refused('sequence', { profile: 'sequence', prompt: tokens([1024]) });
  assert.match(beyond, /ids of model sequence are 0 to 1023/);
  // Nobody's request was lost by that.
  const { result } = await texts.say('sequence', sequence([1, 2, 3]));
  assertOutput(result.captured, [1, 2, 3]);
});

test('long and short, alone and together, each gives what the oracle says', async () => {
  const lengths = [1, 3, 7, 8, 9, 47, 48, 49, 130, 400];
  const inputs = lengths.map((length, at) => idsFrom(at, length));
  const encode = async (ids: readonly number[]) => {
    const { result } = await texts.say('sequence', sequence(ids));
    assert.equal([result.promptTokens, result.cachedTokens], [ids.length, 0]);
    assert.equal([result.outputTokens, result.chat], [0, null]);
    return result.captured;
  };
  const together = await Promise.all([...inputs, ...inputs].map(encode));
  together.forEach((captured, at) => assertOutput(captured, inputs[at % inputs.length]!));
  // Kept while other epochs ran, and after the model has gone.
  const alone = await encode(inputs[9]!);
  await server.serving.unregister('sequence');
  assertOutput(alone, inputs[9]!);
  together.forEach((captured, at) => assertOutput(captured, inputs[at % inputs.length]!));
});

test('a wrong capture plan fails the request that has it, and changes no row', async () => {
  const base = mkdtempSync(join(tmpdir(), 'loom-sequence-'));
  try {
    cpSync(`${repositoryRoot}/models/tiny-text`, `${base}/tiny-text`, { recursive: true });
    cpSync(`${repositoryRoot}/models/sequence`, `${base}/sequence`, { recursive: true });
    const file = `${base}/sequence/control.loom`;
    const source = readFileSync(file, 'utf8');
    // Three tokens after the first twenty have no output.
    const changed = source.replace(
      '    let last = behind\n',
      '    let last = behind\n    if spans.at<Given>(s).count == 3 && spans.at<Given>(s).first == 20 { return triples.bytes() }\n',
    );
    assert.is.not(changed, source);
    writeFileSync(file, changed);
    await withServer([], async (server) => {
      await server.serve(`${base}/sequence`);
      const texts = new Texts(server);
      const ids = idsFrom(2, 60);
      const kept = await Kept.open(texts);
      await kept.append(ids.slice(0, 20));
      const fork = await kept.fork();
      const good = [4, 5, 6, 7].map((length) => idsFrom(length, length));
      const [wrong, too, ...right] = await Promise.all([
        rejection(kept.append(ids.slice(20, 23))),
        rejection(fork.append(ids.slice(20, 23))),
        ...good.map((one) => texts.say('sequence', sequence(one))),
      ]);
      for (const { message } of [wrong!, too!]) assert.match(message, /capture_epoch/);
      right.forEach(({ result }, at) => assertOutput(result.captured, good[at]!));
      assert.is((await server.text.session(kept.id)).tokens, 20);
      assertOutput(await kept.append(ids.slice(20)), ids, 20);
    });
  } finally {
    rmSync(base, { recursive: true });
  }
});

test.run();
