/** Who is in an epoch: what always holds of one choice, and of many in a row. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseSpans } from '../../../actors/policy/epoch-scheduler.js';
import type {
  ChosenSpan,
  EpochLimits,
  SpanCandidate,
} from '../../../actors/policy/epoch-scheduler.js';

interface Named extends SpanCandidate {
  readonly name: number;
  /** Tokens that it has room for. */
  readonly room: number;
}

const limits = fc.record({
  tokens: fc.integer({ min: 1, max: 12 }),
  spans: fc.integer({ min: 1, max: 6 }),
  outputs: fc.integer({ min: 1, max: 8 }),
  promptTokens: fc.integer({ min: 1, max: 12 }),
});

const candidates = fc
  .array(
    fc.record({
      isDecode: fc.boolean(),
      size: fc.integer({ min: 1, max: 20 }),
      drafts: fc.nat(3),
      servedIn: fc.nat(5),
      selects: fc.boolean(),
      room: fc.oneof(fc.constant(0), fc.nat(30)),
    }),
    { maxLength: 10 },
  )
  .map((list) =>
    list.map(({ size, drafts, ...rest }, name): Named => {
      const ofTurn = { wanted: 1, drafts, selects: true };
      return { ...rest, name, ...(rest.isDecode ? ofTurn : { wanted: size, drafts: 0 }) };
    }),
  );

const isPrompt = ({ isDecode, wanted, selects }: SpanCandidate): boolean =>
  !isDecode && (wanted > 1 || selects === false);

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

const choose = (all: readonly Named[], within: EpochLimits): readonly ChosenSpan<Named>[] =>
  chooseSpans(all, within, ({ room }, tokens) => Math.min(room, tokens));

test('no epoch exceeds its limits, and nobody has more than wanted or than there is room for', () => {
  fc.assert(
    fc.property(candidates, limits, (all, within) => {
      const chosen = choose(all, within);
      const names = chosen.map(({ candidate }) => candidate.name);
      assert.is(new Set(names).size, names.length, 'one span each');
      assert.ok(chosen.length <= within.spans);
      assert.ok(sum(chosen.map(({ tokens, drafts }) => tokens + drafts)) <= within.tokens);
      const outputs = chosen.map(({ candidate, tokens, drafts }) =>
        candidate.selects !== false && tokens === candidate.wanted ? 1 + drafts : 0,
      );
      assert.ok(sum(outputs) <= within.outputs);
      for (const { candidate, tokens, drafts } of chosen) {
        assert.ok(tokens >= 1 && tokens <= candidate.wanted);
        assert.ok(tokens + drafts <= candidate.room && drafts <= candidate.drafts);
      }
      const prompts = chosen.filter(({ candidate }) => isPrompt(candidate));
      if (prompts.length === chosen.length) return;
      assert.ok(sum(prompts.map(({ tokens }) => tokens)) <= within.promptTokens);
    }),
    { numRuns: 2000 },
  );
});

test('whoever has no room holds up nobody', () => {
  fc.assert(
    fc.property(candidates, limits, (all, within) => {
      const withRoom = all.filter(({ room }) => room > 0);
      // The place that is kept for prompts is kept for those without room too.
      const isSame = withRoom.some(isPrompt) === all.some(isPrompt);
      fc.pre(isSame);
      assert.equal(choose(all, within), choose(withRoom, within));
    }),
    { numRuns: 1000 },
  );
});

test('somebody with room is always taken', () => {
  fc.assert(
    fc.property(candidates, limits, (all, within) => {
      const isReady = all.some(({ room }) => room > 0);
      assert.is(choose(all, within).length > 0, isReady);
    }),
    { numRuns: 1000 },
  );
});

test('the oldest prompt that has room is in every epoch with two places', () => {
  fc.assert(
    fc.property(candidates, limits, (all, within) => {
      fc.pre(within.spans > 1 && within.tokens > 1);
      const oldest = all.find((candidate) => isPrompt(candidate) && candidate.room > 0);
      fc.pre(oldest !== undefined);
      assert.ok(choose(all, within).some(({ candidate }) => candidate === oldest));
    }),
    { numRuns: 1000 },
  );
});

interface Turn {
  pending: number;
  /** Tokens that it still says. */
  left: number;
  isDecode: boolean;
  servedIn: number;
  /** Who spoke at any time since it was served last, itself included. */
  rivals: Set<Turn>;
}

/** Arrivals over many epochs: the prompt's length, and how much is said after it. */
const arrivals = fc.array(
  fc.option(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 8 }))),
  { minLength: 20, maxLength: 60, size: 'max' },
);

test('the gap between two tokens of a turn is bounded, and every prompt gets on', () => {
  fc.assert(
    fc.property(arrivals, limits, (schedule, within) => {
      const isNarrow = Math.min(within.spans, within.tokens) === 1;
      const spare = isNarrow ? 0 : 1;
      const places = Math.min(within.spans - spare, within.tokens - spare, within.outputs);
      let turns: Turn[] = [];
      for (let epoch = 1; epoch < 2000 && (epoch <= schedule.length || turns.length > 0); epoch++) {
        const arrived = schedule[epoch - 1] ?? null;
        if (arrived !== null) {
          const [pending, left] = arrived;
          turns.push({ pending, left, isDecode: false, servedIn: epoch - 1, rivals: new Set() });
        }
        const speaking = turns.filter((turn) => isNarrow || turn.isDecode || turn.pending === 1);
        for (const turn of turns) for (const rival of speaking) turn.rivals.add(rival);
        const chosen = chooseSpans(
          turns.map((turn) => ({ ...turn, turn, wanted: turn.pending, drafts: 0 })),
          within,
        );
        for (const { candidate, tokens } of chosen) serve(candidate.turn, tokens, epoch);
        for (const turn of turns.filter(({ isDecode }) => isDecode)) {
          const gap = epoch - turn.servedIn;
          const bound = Math.ceil(turn.rivals.size / places);
          assert.ok(gap <= bound, `a gap of ${gap} epochs; the bound is ${bound}`);
        }
        turns = turns.filter(({ left }) => left > 0);
      }
      assert.is(turns.length, 0, 'all prompts are read and all turns end');
    }),
    { numRuns: 150 },
  );
});

function serve(turn: Turn, tokens: number, epoch: number): void {
  turn.servedIn = epoch;
  turn.rivals = new Set();
  turn.pending -= tokens;
  if (turn.pending > 0) return;
  turn.left -= 1;
  turn.pending = 1;
  turn.isDecode = true;
}

test('a long prompt leaves the others their tokens, and has all when it is alone', () => {
  const within = { tokens: 64, spans: 8, outputs: 16, promptTokens: 16 };
  const base = { isDecode: false, servedIn: 0, drafts: 0 };
  const prompt = { ...base, wanted: 500 };
  const turn = { ...base, wanted: 1, isDecode: true, drafts: 4 };
  const shared = chooseSpans([prompt, turn, turn], within);
  assert.equal(
    shared.map(({ tokens, drafts }) => [tokens, drafts]),
    [
      [1, 4],
      [1, 4],
      [16, 0],
    ],
  );
  assert.equal(
    chooseSpans([prompt], within).map(({ tokens }) => tokens),
    [64],
  );
  const silent = { ...prompt, wanted: 3, selects: false };
  assert.is(chooseSpans([silent], { ...within, outputs: 0 })[0]!.tokens, 3, 'nothing is selected');
});

test.run();
