/**
 * Damaged checkpoints: each is refused as a StatusError naming the file, or its index holds what an
 * index promises. The seed of a failure is in its message; test/bench/checkpoint-fuzz.bench.ts goes
 * on for as long as one likes.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../generators/random.js';
import { fuzzedCheckpoint } from './fuzzed-checkpoint.js';
import { outcomeOf } from './index-laws.js';

test('4,000 damaged files: refused by name, or sound', () => {
  const outcomes = { refused: 0, sound: 0 };
  for (let seed = 1; seed <= 4000; seed += 1) {
    try {
      outcomes[outcomeOf(fuzzedCheckpoint(new Random(seed)))] += 1;
    } catch (error) {
      const why = error instanceof Error ? error.stack : String(error);
      assert.unreachable(`seed ${seed}: ${why}`);
    }
  }
  // Damage that hits payloads or padding leaves a good file; most does harm.
  assert.ok(outcomes.refused > 2000 && outcomes.sound > 200, JSON.stringify(outcomes));
});

test.run();
