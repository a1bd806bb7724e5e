/**
 * Greedy tokens of a random f32 model, ours and those of llama.cpp (keys and values in f32, no
 * flash attention), for five prompts: they agree until a step whose two best logits are nearer than
 * 1e-3, or to the end. That is a check more than a measurement: five prompts in which they differ
 * earlier end it.
 *
 *   node dist/test/bench/text-tokens.bench.js
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locatePackage } from '../../actors/edge/package-location.js';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import { TextPreparer } from '../../runtime/packages/text-preparer.js';
import { EpochBench } from '../models/epoch-bench.js';
import { LlamaRows } from '../models/llama-rows.js';
import { openLlamaPeer } from './llama-peer.js';
import type { LlamaPeer } from './llama-peer.js';
import { writeRandomLlama } from './random-llama.js';
import { printReport } from './report.js';
import type { BenchRow } from './report.js';

const COUNT = 64;
const MARGIN = 1e-3;
const prompts = ['hello there', 'in the year of', 'a long time ago, far', 'what is this?', 'zebra'];

function openOurs(path: string): EpochBench {
  const roots = { packageRoots: [], parameterRoots: [], cacheDir: null };
  const location = locatePackage({ kind: 'package', package: path }, roots);
  const { document } = location;
  const options = { ...document.definition.options, rows: 1, context: 256 };
  const changed = { ...document, definition: { ...document.definition, options } };
  return new EpochBench({ document: changed, files: openPackageFiles(location) } as never);
}

interface Step {
  readonly token: number;
  /** Between the best logit and the next. */
  readonly margin: number;
}

function ourSteps(bench: EpochBench, ids: readonly number[]): Step[] {
  const rows = new LlamaRows(bench);
  const row = rows.open(ids);
  return Array.from({ length: COUNT }, () => {
    const [result] = rows.epoch([{ row, take: row.ids.length - row.done }]);
    const [best, next] = [...result!.logits[0]!].sort((a, b) => b - a) as [number, number];
    return { token: result!.selected!, margin: best - next };
  });
}

interface Compared {
  readonly agreed: number;
  /** Whether they differ where both could not be in doubt. */
  readonly wrong: boolean;
}

async function compare(bench: EpochBench, peer: LlamaPeer, prompt: string): Promise<Compared> {
  const preparer = new TextPreparer(bench.model, bench.tokenizer);
  const ids = preparer.promptIds({ kind: 'text', text: prompt });
  const theirIds = [1, ...peer.tokenize(prompt)];
  if (JSON.stringify(ids) !== JSON.stringify(theirIds)) {
    throw new Error(`'${prompt}' is [${ids.join()}] here and [${theirIds.join()}] there`);
  }
  const context = await peer.open({ threads: 1, sequences: 1, tokens: 256, exact: true });
  const theirs: number[] = [];
  for await (const token of context.generate(0, ids, COUNT)) theirs.push(token);
  await context.close();
  const steps = ourSteps(bench, ids);
  const at = steps.findIndex(({ token }, index) => token !== theirs[index]);
  if (at < 0) return { agreed: COUNT, wrong: false };
  return { agreed: at, wrong: steps[at]!.margin >= MARGIN };
}

const folder = mkdtempSync(join(tmpdir(), 'loom-random-'));
const path = join(folder, 'random.gguf');
writeRandomLlama(path, { layers: 4, type: 'F32' });
const peer = await openLlamaPeer(path);
const rows: BenchRow[] = [];
if (peer !== null) {
  const bench = openOurs(path);
  const compared: Compared[] = [];
  for (const prompt of prompts) compared.push(await compare(bench, peer, prompt));
  compared.forEach(({ agreed }, index) => {
    rows.push({
      name: `tokens agreed, '${prompts[index]!}'`,
      value: agreed,
      unit: 'tokens',
      better: 'higher',
    });
  });
  const whole = compared.filter(({ agreed }) => agreed === COUNT).length;
  const wrong = compared.filter((each) => each.wrong).length;
  rows.push({
    name: `prompts that agree through ${COUNT} tokens`,
    value: whole,
    unit: 'of 5',
    better: 'higher',
    goal: 3,
  });
  rows.push({
    name: 'prompts that differ at a clear step',
    value: wrong,
    unit: 'of 5',
    better: 'lower',
    goal: 0,
  });
}
rmSync(folder, { recursive: true });
printReport({ name: 'text-tokens', rows });
// The peer's threads would keep the process alive.
process.exit(0);
