/**
 * models/tiny-text against its oracle: whatever shares an epoch and however a row was cut into
 * spans, forked, rewound or proposed to, pages, states and tokens are those of a full replay, bit
 * for bit.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SamplingOptions } from '../../runtime/profiles/text.js';
import { continued, END, vocabulary } from '../oracles/tiny-text.js';
import { EpochBench } from './epoch-bench.js';
import { ScriptedRows } from './scripted-rows.js';
import type { Row, Turn } from './scripted-rows.js';

const bench = new EpochBench('tiny-text');
const { geometry } = bench;
const greedy: Turn = { options: {}, seed: 0n };
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

test('the geometry keeps rows, tokens, spans and outputs apart, and pages are small', () => {
  const { rows, tokens, spans, outputs, pageTokens } = geometry;
  assert.equal(
    { rows, tokens, spans, outputs, pageTokens },
    {
      rows: 16,
      tokens: 64,
      spans: 8,
      outputs: 32,
      pageTokens: 4,
    },
  );
  assert.equal(geometry.terminal, [END]);
  assert.is(geometry.vocabulary, vocabulary);
});

test('an interpreted epoch of a prompt, a decode and a verifier span has no fault', () => {
  const rows = new ScriptedRows(new EpochBench('tiny-text', 'interpreter'));
  const options = {
    temperature: 1,
    topP: 0.9,
    frequencyPenalty: 0.5,
    logitBias: [[97, 2]],
  } as const;
  const drawn = { options: { ...options, topLogprobs: 3 }, seed: 5n };
  const [a, b, c] = [
    rows.open(bytes('one'), greedy),
    rows.open([2, 3], drawn),
    rows.open([9], greedy),
  ];
  rows.epoch([{ row: b!, take: 2 }]);
  rows.epoch([{ row: a!, take: 3 }]);
  const [next, wrong] = continued(rows.rows[a!]!.ids, 2);
  rows.epoch([
    { row: c!, take: 1 },
    { row: a!, take: 1, proposals: [next!, wrong! ^ 1, 4] },
    { row: b!, take: 1 },
  ]);
  assert.is(rows.rows[a!]!.outputs.length, 3);
});

test('token by token, in chunks and at once give the same tokens until the end', () => {
  const prompt = bytes('what follows is arithmetic');
  const expected = continued(prompt, 200);
  for (const chunk of [1, 3, 4, 26]) {
    const rows = new ScriptedRows(bench);
    const row = rows.open(prompt, greedy);
    for (let at = 0; at < prompt.length; at += chunk) {
      rows.epoch([{ row, take: Math.min(chunk, prompt.length - at) }]);
    }
    while (rows.rows[row]!.outputs.length < expected.length) rows.epoch([{ row, take: 1 }]);
    assert.equal(rows.rows[row]!.outputs, expected);
  }
  assert.is(expected.at(-1), END);
});

test('a row may be as long as its context, in the pages of other rows', () => {
  const rows = new ScriptedRows(bench);
  const ids = Array.from({ length: geometry.context }, (_, at) => (at * 7) % 256);
  const row = rows.open(ids, greedy);
  while (rows.rows[row]!.done < ids.length) rows.epoch([{ row, take: geometry.tokens }]);
});

test('a one-token epoch uploads what it needs of a large capacity', () => {
  const rows = new ScriptedRows(bench);
  const row = rows.open(bytes('abc'), greedy);
  rows.epoch([{ row, take: 3 }]);
  const { done, ids, pages, state, turn } = rows.rows[row]!;
  const span = { row: 0, state, first: done, ids: ids.slice(done), pages, counter: 1, history: [] };
  const plan = bench.control.packEpoch([
    { ...span, selects: true, drafts: 0, bound: turn.bound, mask: null, seed: 0n },
  ]);
  // Head, span, place and want; an id, a page and what the turn asks.
  assert.is(plan.uploadBytes, 16 + 32 + 8 + 80 + (4 + 4 + 40));
  assert.ok(geometry.metadataBytes + geometry.inputBytes > 10_000);
});

const sampling: fc.Arbitrary<SamplingOptions> = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1, 2),
    topP: fc.constantFrom(1, 0.9, 0.3),
    topK: fc.constantFrom(0, 1, 5, 100),
    minP: fc.constantFrom(0, 0.1),
    presencePenalty: fc.constantFrom(0, 1),
    frequencyPenalty: fc.constantFrom(0, 0.5),
    repetitionPenalty: fc.constantFrom(1, 1.5),
    topLogprobs: fc.constantFrom(0, 3, 20),
    logitBias: fc.constant([
      [97, 3],
      [256, -100],
    ] as const),
  },
  { requiredKeys: [] },
);
const turn: fc.Arbitrary<Turn> = fc.record({
  options: fc.oneof(fc.constant({}), sampling),
  seed: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  mask: fc.option(
    fc.array(fc.nat({ max: 2 ** 32 - 1 }), { minLength: 9, maxLength: 9 }).map((words) => {
      return Uint32Array.from(words, (word, at) => (at === 0 ? (word | 1) >>> 0 : word));
    }),
    { freq: 5 },
  ),
});
const prompt = fc.array(fc.nat({ max: vocabulary - 1 }), { minLength: 1, maxLength: 30 });
const step = fc.record({
  kind: fc.constantFrom('epoch', 'epoch', 'epoch', 'epoch', 'open', 'fork', 'mark', 'rewind'),
  which: fc.nat({ max: 7 }),
  takes: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 8 }),
  prompt,
  turn,
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Proposals of the package where the turn may have any; some are wrong already. */
function proposalsFor({ ids, done, turn: { options } }: Row, count: number): readonly number[] {
  const isDecode = ids.length === done + 1;
  if (!isDecode || options.topLogprobs !== undefined) return [];
  return bench.control.draft(ids, count);
}

/** What each row takes: a chunk of its prompt, or its token that waits and proposals. */
function partsOf(rows: readonly Row[], takes: readonly number[]) {
  let room = geometry.outputs;
  return rows.flatMap((row, index) => {
    const take = Math.min(takes[index % takes.length]!, row.ids.length - row.done);
    const proposals = proposalsFor(row, Math.min(3, take * 3, room - 1));
    room -= proposals.length + 1;
    return take === 0 ? [] : [{ row: index, take, proposals }];
  });
}

function play(rows: ScriptedRows, marks: [number, Row][], { kind, which, ...step }: Step): void {
  const index = which % rows.rows.length;
  const hasRoom = rows.rows.length < geometry.spans && rows.hasState;
  if (kind === 'open' && hasRoom) rows.open(step.prompt, step.turn);
  if (kind === 'fork' && hasRoom) rows.fork(index);
  if (kind === 'mark' && rows.hasState) marks.push([index, rows.mark(index)]);
  const mark = marks[which % Math.max(marks.length, 1)];
  if (kind === 'rewind' && mark) rows.rewind(...mark);
  if (kind !== 'epoch') return;
  const parts = partsOf(rows.rows, step.takes);
  if (parts.length > 0) rows.epoch(parts);
}

test('any schedule of chunks, proposals, forks and rewinds equals full replays', () => {
  fc.assert(
    fc.property(
      prompt,
      turn,
      fc.array(step, { minLength: 5, maxLength: 25 }),
      (ids, first, steps) => {
        const rows = new ScriptedRows(bench);
        rows.open(ids, first);
        const marks: [number, Row][] = [];
        for (const each of steps) play(rows, marks, each);
      },
    ),
    { numRuns: 60 },
  );
});

test('with proposals and without, a turn has the same tokens', () => {
  fc.assert(
    fc.property(prompt, turn, (ids, { options: { topLogprobs: _, ...options }, seed }) => {
      const alone = generate(ids, { options, seed }, { outputs: 12, drafts: 0 });
      const drafted = generate(ids, { options, seed }, { outputs: 12, drafts: 4 });
      assert.equal(drafted.slice(0, alone.length), alone.slice(0, drafted.length));
    }),
    { numRuns: 20 },
  );
});

test('penalties look back as far with proposals as without', () => {
  const given = { options: { frequencyPenalty: 0.3 }, seed: 0n };
  const ids = bytes('a turn beyond what penalties see');
  const alone = generate(ids, given, { outputs: 200, drafts: 0 });
  assert.equal(generate(ids, given, { outputs: 200, drafts: 4 }).slice(0, 200), alone);
});

function generate(
  ids: readonly number[],
  given: Turn,
  { outputs, drafts }: { outputs: number; drafts: number },
): readonly number[] {
  const rows = new ScriptedRows(bench);
  const row = rows.open(ids, given);
  rows.epoch([{ row, take: ids.length }]);
  while (rows.rows[row]!.outputs.length < outputs) {
    const proposals = bench.control.draft(rows.rows[row]!.ids, drafts);
    rows.epoch([{ row, take: 1, proposals }]);
  }
  return rows.rows[row]!.outputs;
}

test('the draft is right mostly and wrong often enough', () => {
  const ids = bytes('a prompt to be continued');
  let right = 0;
  for (let round = 0; round < 25; round += 1) {
    const known = [...ids, round];
    const proposals = bench.control.draft(known, 8);
    proposals.forEach((id, at) => {
      if (continued([...known, ...proposals.slice(0, at)], 1)[0] === id) right += 1;
    });
  }
  assert.ok(right > 130 && right < 170, `${right} of 200 proposals`);
});

test.run();
