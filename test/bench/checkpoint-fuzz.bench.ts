/**
 * Damaged checkpoints through the indexer for as long as one likes. A failure prints its seed and
 * where the file is. Not a speed, but it needs a bench's patience.
 *
 *   node dist/test/bench/checkpoint-fuzz.bench.js [--count N] [--from SEED]
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../generators/random.js';
import { fuzzedCheckpoint } from '../runtime/parameters/checkpoints/fuzzed-checkpoint.js';
import { outcomeOf } from '../runtime/parameters/checkpoints/index-laws.js';
import { printReport } from './report.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200000' },
    from: { type: 'string', default: '1' },
  },
});

const first = Number(values.from);
const end = first + Number(values.count);
const outcomes = { refused: 0, sound: 0, failed: 0 };
let slowest = 0;

for (let seed = first; seed < end; seed += 1) {
  const bytes = fuzzedCheckpoint(new Random(seed));
  // Time of this process, not of the clock: the machine may be busy with something else.
  const begin = process.cpuUsage();
  try {
    outcomes[outcomeOf(bytes)] += 1;
  } catch (error) {
    outcomes.failed += 1;
    const path = join(tmpdir(), `loom-checkpoint-fuzz-${seed}`);
    writeFileSync(path, bytes);
    console.log(`seed ${seed} failed; file: ${path}`);
    console.log(error instanceof Error ? error.stack : String(error));
  }
  const { user, system } = process.cpuUsage(begin);
  slowest = Math.max(slowest, (user + system) / 1000);
}

printReport({
  name: `damaged checkpoints, ${values.count} from seed ${first}`,
  rows: [
    { name: 'failures', value: outcomes.failed, unit: '', better: 'lower', goal: 0 },
    { name: 'refused', value: outcomes.refused, unit: '', better: 'higher' },
    { name: 'sound', value: outcomes.sound, unit: '', better: 'higher' },
    { name: 'slowest file', value: slowest, unit: 'ms', better: 'lower' },
  ],
});
