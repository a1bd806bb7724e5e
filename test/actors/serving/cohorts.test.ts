/** The whole path on real threads: answers against oracles, alone and in whatever cohort. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FiniteBody } from '../../../runtime/profiles/finite-request.js';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { embeddingBound, embeddingOracle } from '../../oracles/embedding.js';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { rejection, sharedServer } from '../running-server.js';
import { isQuiet } from './quiet.js';

const shared = sharedServer();
const texts = Array.from({ length: 200 }, (_, i) => `${'ragged text € '.repeat(i % 23)}${i}`);

const bits = (row: Float32Array): string =>
  Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('hex');

test('200 concurrent requests equal the oracle, in cohorts of several', () =>
  shared.with(['first-output'], async (server) => {
    const answers = await Promise.all(texts.map((text) => server.embed('first-output', [text])));
    answers.forEach(({ rows }, i) => assert.equal(rows[0], firstOutputOracle(texts[i]!)));
    assert.ok(Math.max(...answers.map((answer) => answer.cohortSize)) > 1);
    await isQuiet(server);
  }));

test('a row is the same, bit for bit, alone and in any cohort', () =>
  shared.with(['embedding'], async (server) => {
    const some = texts.slice(0, 60);
    const alone: string[] = [];
    for (const text of some) alone.push(bits((await server.embed('embedding', [text])).rows[0]!));
    const shared = await Promise.all(some.map((text) => server.embed('embedding', [text])));
    const listed = await server.embed('embedding', some);
    some.forEach((text, i) => {
      assert.is(bits(shared[i]!.rows[0]!), alone[i], text);
      assert.is(bits(listed.rows[i]!), alone[i], text);
    });
    await isQuiet(server);
  }));

const tokensBody = (tokens: readonly number[]): FiniteBody => ({
  profile: 'embeddings',
  inputs: [{ kind: 'tokens', tokens }],
  dimensions: 0,
});

test('token arrays of ragged lengths equal the oracle', () =>
  shared.with(['embedding'], async (server) => {
    const inputs = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 1 + ((i * 37) % 90) }, (_, k) => (i * 31 + k * 17) % 250),
    );
    const answers = await Promise.all(
      inputs.map((tokens) =>
        server.serving.infer(
          { requestId: 'tokens', model: 'embedding', body: tokensBody(tokens) },
          { signal: new AbortController().signal, deadlineMs: server.now() + 30_000 },
        ),
      ),
    );
    answers.forEach(({ rows }, i) => {
      const oracle = embeddingOracle(inputs[i]!);
      assert.is(rows[0]!.length, oracle.length);
      rows[0]!.forEach((value, k) => assert.ok(Math.abs(value - oracle[k]!) < embeddingBound));
    });
  }));

test('a refused input fails its own request only', () =>
  shared.with(['first-output'], async (server) => {
    const long = 'x'.repeat(5000);
    const mixed = texts.slice(0, 20).map((text) => server.embed('first-output', [text]));
    const refused = await rejection(server.embed('first-output', ['fine', long]));
    assert.is(refused.code, 'invalidArgument');
    assert.match(refused.message, /input\[1\].*5000 bytes.*4096/);
    for (const [i, answer] of (await Promise.all(mixed)).entries()) {
      assert.equal(answer.rows[0], firstOutputOracle(texts[i]!));
    }
    await isQuiet(server);
  }));

test('cohorts of two models overlap in time', () =>
  shared.with(['first-output', 'embedding'], async (server) => {
    await server.topology.record('model-0');
    const spans: Span[] = [];
    const of = (model: string) => spans.filter((span) => span.actor.includes(`/models/${model}@`));
    const overlaps = (): boolean =>
      of('first-output').some((one) =>
        of('embedding').some((other) => one.from < other.to && other.from < one.to),
      );
    // Which preparations finish first is the machine's affair: traffic goes on until both are
    // there.
    for (let round = 0; round < 50 && !overlaps(); round++) {
      const both = ['first-output', 'embedding'].flatMap((model) =>
        texts.slice(0, 40).map((text) => server.embed(model, [text])),
      );
      await Promise.all(both);
      const records = (await server.topology.records('model-0')) as SystemRecord[];
      spans.push(...cohortSpans(records));
    }
    assert.ok(overlaps(), `${spans.length} cohorts, none of two models at once`);
  }));

interface Span {
  readonly actor: string;
  readonly from: number;
  readonly to: number;
}

function cohortSpans(records: readonly SystemRecord[]): Span[] {
  const born = new Map<string, number>();
  const spans: Span[] = [];
  for (const record of records) {
    if (!('actor' in record) || !/\/cohorts\/\d+$/.test(record.actor)) continue;
    if (record.type === 'spawn') born.set(record.actor, record.atMs);
    const from = born.get(record.actor);
    if (record.type !== 'stop' || from === undefined) continue;
    spans.push({ actor: record.actor, from, to: record.atMs });
  }
  return spans;
}

test.after(() => shared.close());

test.run();
