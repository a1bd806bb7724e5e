/**
 * Hostile programs through the whole pipeline: mutated text, damaged bytecode and programs that
 * mean harm end in diagnostics, in errors of the program or in results that both executors share.
 * The same for minutes: test/bench/fuzz.bench.ts.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { useOptimizedWasm } from '../../../runtime/jit/v8-flags.js';
import { Random } from '../../generators/random.js';
import { hostileCase } from './cases.js';
import { noProgress, Pipeline } from './pipeline.js';

useOptimizedWasm();

const SEEDS = 150;

test('hostile programs end in errors or in results', () => {
  const total = noProgress();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new Random(seed);
    const { kind, files } = hostileCase(random);
    const pipeline = new Pipeline(random, { fuel: 20_000, rounds: 4000 });
    try {
      pipeline.run(files);
    } catch (error) {
      (error as Error).message = `seed ${seed} (${kind}): ${(error as Error).message}`;
      throw error;
    }
    for (const key of Object.keys(total) as (keyof typeof total)[])
      total[key] += pipeline.progress[key];
  }
  // It must reach the executors, or it proves nothing about them.
  const least = { refused: 40, hostCalls: 60, hostResults: 8, stages: 40, launches: 30 };
  for (const [key, count] of Object.entries(least)) {
    assert.ok(total[key as keyof typeof total] >= count, `${key}: ${JSON.stringify(total)}`);
  }
});

test.run();
