/**
 * Hostile programs through the whole pipeline for minutes: mutated files of this repository (text
 * and bytecode) and generated programs that mean harm. A failure prints its seed and where the
 * files are; a seed that takes long is told too, since a hang is a fault. Not a speed, but it needs
 * a bench's patience.
 *
 *   node dist/test/bench/fuzz.bench.js [--count N] [--from SEED] [--slow MS]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { hostileCase, type HostileCase } from '../runtime/hostile/cases.js';
import { Pipeline } from '../runtime/hostile/pipeline.js';
import { Random } from '../generators/random.js';
import { printReport } from './report.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '3000' },
    from: { type: 'string', default: '1' },
    slow: { type: 'string', default: '10000' },
  },
});
useOptimizedWasm();

const first = Number(values.from);
const end = first + Number(values.count);
const total: Record<string, number> = {};
let failures = 0;
let slowest = 0;

for (let seed = first; seed < end; seed += 1) {
  const random = new Random(seed);
  const given = hostileCase(random);
  const pipeline = new Pipeline(random, { fuel: 100_000, rounds: 20_000 });
  // Time of this process, not of the clock: the machine may be busy with something else.
  const begin = process.cpuUsage();
  try {
    pipeline.run(given.files);
  } catch (error) {
    failures += 1;
    console.log(`seed ${seed} (${given.kind}) failed; files: ${keep(seed, given)}`);
    console.log(error instanceof Error ? error.stack : String(error));
  }
  const { user, system } = process.cpuUsage(begin);
  const ms = (user + system) / 1000;
  slowest = Math.max(slowest, ms);
  if (ms > Number(values.slow)) {
    failures += 1;
    console.log(
      `seed ${seed} (${given.kind}) took ${ms.toFixed(0)} ms; files: ${keep(seed, given)}`,
    );
  }
  for (const [name, count] of Object.entries(pipeline.progress))
    total[name] = (total[name] ?? 0) + count;
}

/** The files of a case, for looking at; where they are. */
function keep(seed: number, { files }: HostileCase): string {
  const folder = join(tmpdir(), `loom-fuzz-${seed}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files))
    writeFileSync(join(folder, name.replaceAll('/', '_')), bytes);
  return folder;
}

printReport({
  name: `fuzz, ${values.count} programs from seed ${first}`,
  rows: [
    { name: 'failures', value: failures, unit: '', better: 'lower', goal: 0 },
    { name: 'slowest program', value: slowest, unit: 'ms', better: 'lower' },
    ...Object.entries(total).map(
      ([name, value]) => ({ name, value, unit: '', better: 'higher' }) as const,
    ),
  ],
});
