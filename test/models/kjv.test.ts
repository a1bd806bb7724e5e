/**
 * models/kjv against PyTorch: logits, log probabilities of prompts, greedy tokens. And against
 * itself: whatever shares an epoch, however a row was cut into spans and wherever its pages lie,
 * logits and tokens are those of the row alone, token by token, bit for bit.
 */
import fc from '../properties.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SamplingOptions } from '../../runtime/profiles/text.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { EpochBench } from './epoch-bench.js';
import { LlamaRows } from './llama-rows.js';
import type { LlamaRow } from './llama-rows.js';

interface Reference {
  readonly cases: readonly {
    readonly prompt: string;
    readonly ids: readonly number[];
    readonly last_logits: readonly number[];
    readonly logprob_of_prompt: readonly number[];
    readonly greedy_ids: readonly number[];
  }[];
}

const golden = join(repositoryRoot, 'test/golden/kjv-reference.json');
const { cases } = JSON.parse(readFileSync(golden, 'utf8')) as Reference;
const bench = new EpochBench('kjv');
const { vocabulary, tokens } = bench.geometry;

/** Largest distance from PyTorch's f32 arithmetic on the same F16 weights. */
const BOUND = 2e-3;

function logProbability(logits: Float32Array, id: number): number {
  const top = Math.max(...logits);
  const total = logits.reduce((sum, x) => sum + Math.exp(x - top), 0);
  return logits[id]! - top - Math.log(total);
}

/** Every output of a row alone, one token an epoch. */
function alone(ids: readonly number[], options: SamplingOptions, outputs: number, seed = 1n) {
  const rows = new LlamaRows(bench);
  const row = rows.open(ids, options, seed);
  const logits: Float32Array[] = [];
  while (row.outputs.length < outputs) logits.push(rows.epoch([{ row, take: 1 }])[0]!.logits[0]!);
  return { logits, outputs: row.outputs, ids: row.ids };
}

const bits = (logits: Float32Array): string => Buffer.from(logits.buffer).toString('base64');

test('last logits are those of PyTorch within 2e-3', () => {
  for (const { prompt, ids, last_logits } of cases) {
    const rows = new LlamaRows(bench);
    const row = rows.open(ids);
    const [{ logits }] = rows.epoch([{ row, take: ids.length }]) as [
      ReturnType<LlamaRows['epoch']>[0],
    ];
    assert.is(last_logits.length, vocabulary);
    last_logits.forEach((expected, id) => {
      const distance = Math.abs(logits[0]![id]! - expected);
      assert.ok(distance <= BOUND, `${prompt}: logit ${id} is ${distance} off`);
    });
  }
});

test('so are the log probabilities of the prompts, read as proposals', () => {
  for (const { prompt, ids, logprob_of_prompt: expected } of cases) {
    const rows = new LlamaRows(bench);
    const row = rows.open(ids.slice(0, 1));
    const [result] = rows.epoch([{ row, take: 1, proposals: ids.slice(1) }]);
    assert.is(expected.length, ids.length - 1);
    expected.forEach((value, at) => {
      const got = logProbability(result!.logits[at]!, ids[at + 1]!);
      assert.ok(Math.abs(got - value) <= BOUND, `${prompt}: token ${at + 1}, ${got} for ${value}`);
    });
  }
});

test('48 greedy tokens are those of PyTorch, all prompts in the same epochs', () => {
  const rows = new LlamaRows(bench);
  const open = cases.map(({ ids }) => rows.open(ids));
  rows.epoch(open.map((row) => ({ row, take: row.ids.length })));
  while (open[0]!.outputs.length < 48) rows.epoch(open.map((row) => ({ row, take: 1 })));
  cases.forEach(({ greedy_ids }, index) => assert.equal(open[index]!.outputs, greedy_ids));
});

test('the chosen token and the likeliest come with their log probabilities', () => {
  const rows = new LlamaRows(bench);
  const options = { temperature: 2, topLogprobs: 20, logitBias: [[7, 50]] } as const;
  const row = rows.open(cases[0]!.ids, options);
  const [{ logits, details, selected }] = rows.epoch([{ row, take: row.ids.length }]) as [
    ReturnType<LlamaRows['epoch']>[0],
  ];
  assert.is(selected, 7);
  const order = Array.from(logits[0]!.keys()).sort(
    (a, b) => logits[0]![b]! - logits[0]![a]! || a - b,
  );
  assert.equal(
    details.map(({ id }) => id),
    [7, ...order.slice(0, 20)],
  );
  for (const { id, logprob } of details) {
    assert.ok(Math.abs(logprob - logProbability(logits[0]!, id)) < 1e-5);
  }
});

const turns: readonly SamplingOptions[] = [
  { temperature: 0 },
  { temperature: 1.2, topP: 0.9, topK: 50 },
  { temperature: 0.9, minP: 0.02, frequencyPenalty: 0.7, presencePenalty: 0.3 },
  { temperature: 0, repetitionPenalty: 1.3, logitBias: [[262, -4]] },
];
const OUTPUTS = 12;
const expected = cases.map(({ ids }, index) => {
  return alone(ids, turns[index % turns.length]!, OUTPUTS, BigInt(index * 77_777_777_777));
});

test('any chunks in any company have the bits of single tokens alone', () => {
  const choice = fc.record({ row: fc.nat(cases.length - 1), take: fc.integer({ min: 1, max: 7 }) });
  const epochs = fc.array(fc.uniqueArray(choice, { selector: (part) => part.row, minLength: 1 }), {
    minLength: 20,
    maxLength: 40,
  });
  const property = fc.property(epochs, (schedule) => {
    const rows = new LlamaRows(bench);
    const open = cases.map(({ ids }, index) => {
      return rows.open(ids, turns[index % turns.length], BigInt(index * 77_777_777_777));
    });
    for (const parts of schedule) {
      const able = parts.filter(({ row }) => open[row]!.outputs.length < OUTPUTS);
      if (able.length === 0) continue;
      const waiting = (row: LlamaRow): number => row.ids.length - row.done;
      const results = rows.epoch(
        able.map(({ row, take }) => {
          return { row: open[row]!, take: Math.min(take, waiting(open[row]!)) };
        }),
      );
      able.forEach(({ row }, at) => {
        const [logits] = results[at]!.logits;
        assert.is(bits(logits!), bits(expected[row]!.logits[open[row]!.done - 1]!));
      });
    }
    open.forEach((row, index) => {
      const { outputs } = expected[index]!;
      assert.equal(row.outputs, outputs.slice(0, row.outputs.length));
    });
  });
  fc.assert(property, { numRuns: 6 });
});

test('proposals change no token, right or wrong, greedy or drawn', () => {
  const script = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { minLength: 4, maxLength: 8 });
  const property = fc.property(fc.nat(cases.length - 1), script, (index, guesses) => {
    const rows = new LlamaRows(bench);
    const { outputs } = expected[index]!;
    const turn = turns[index % turns.length];
    const row = rows.open(cases[index]!.ids, turn, BigInt(index * 77_777_777_777));
    rows.epoch([{ row, take: row.ids.length }]);
    for (const [right, wrong] of guesses) {
      const at = row.outputs.length;
      if (at >= OUTPUTS) break;
      const proposals = outputs.slice(at, at + right);
      if (wrong > 0) proposals.push((outputs[at + right] ?? 0) ^ wrong);
      const before = row.outputs.length;
      rows.epoch([{ row, take: 1, proposals }]);
      assert.ok(row.outputs.length > before + Math.min(right, outputs.length - at - 1));
    }
    const shared = Math.min(outputs.length, row.outputs.length);
    assert.equal(row.outputs.slice(0, shared), outputs.slice(0, shared));
  });
  fc.assert(property, { numRuns: 15 });
});

test('a mask leaves what it allows', () => {
  const rows = new LlamaRows(bench);
  const row = rows.open(cases[0]!.ids, { temperature: 1.5 });
  row.mask = new Uint32Array(Math.ceil(vocabulary / 32));
  for (const id of [5, 77, 2047]) row.mask[id >>> 5]! |= 1 << (id & 31);
  rows.epoch([{ row, take: row.ids.length }]);
  for (let step = 0; step < 10; step++) rows.epoch([{ row, take: 1 }]);
  assert.ok(row.outputs.every((id) => [5, 77, 2047].includes(id)));
  assert.ok(new Set(row.outputs).size > 1);
});

test('one token uploads what it needs, not what an epoch may hold', () => {
  const rows = new LlamaRows(bench);
  const row = rows.open(cases[0]!.ids);
  rows.epoch([{ row, take: row.ids.length }]);
  rows.epoch([{ row, take: 1 }]);
  assert.ok(rows.uploadBytes < 400, `${rows.uploadBytes} bytes`);
  assert.ok(bench.geometry.metadataBytes > 100_000);
});

test('the largest epoch is as good as any', () => {
  const ids = Array.from({ length: tokens }, (_, at) => (at * 7919 + 5) % vocabulary);
  const [together, halves] = [new LlamaRows(bench), new LlamaRows(bench)];
  const whole = together.open(ids);
  const [once] = together.epoch([{ row: whole, take: tokens }]);
  const cut = halves.open(ids);
  halves.epoch([{ row: cut, take: 100, selects: false }]);
  const [twice] = halves.epoch([{ row: cut, take: tokens - 100 }]);
  assert.is(bits(once!.logits[0]!), bits(twice!.logits[0]!));
});

test.run();
