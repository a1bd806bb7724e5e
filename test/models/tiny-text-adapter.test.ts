/**
 * models/tiny-text and models/sequence on a WebGPU adapter: pages, states and outputs are those of
 * the oracle, bit for bit, for nothing in them depends on how a device rounds. Without an adapter
 * the tests are skipped and say so.
 *
 * time limit: 300 s (shaders are compiled on the first run)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileWgsl } from '../../runtime/jit/wgsl/compile-wgsl.js';
import type { EpochPlan } from '../../runtime/packages/epoch-plan.js';
import type { Span } from '../../runtime/profiles/text.js';
import { sequenceOracle } from '../oracles/sequence.js';
import { continued, Replay, stateBytes } from '../oracles/tiny-text.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { modelPackage } from '../runtime/packages/reference-model.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { openBench } from '../runtime/jit/wgsl/wgsl-bench.js';
import { EpochBench } from './epoch-bench.js';

const adapter = await openBench();
const STALE_BYTE = 0xa5;

function onAdapter(name: string, run: () => Promise<void>): void {
  if (adapter) test(name, run);
  else test.skip(`${name} (skipped: no adapter)`, run);
}

interface Packed {
  readonly bench: EpochBench;
  readonly plan: EpochPlan;
  readonly pages: Uint8Array;
  readonly states: Uint8Array;
}

/** Runs the large stage on an epoch's packets; gives pages, states and the residual afterwards. */
async function runEpoch(root: string, { bench, plan, pages, states }: Packed) {
  const { definition, id } = modelPackage(bench.model.id).document;
  const folder = join(repositoryRoot, 'models', id);
  const files = definition.sources.map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  const compiled = compileWgsl(stageProgram(Object.fromEntries(files), root), adapter!.target);
  assert.equal(await adapter!.check(compiled), []);
  const { metadataBytes, inputBytes, residualBytes } = bench.geometry;
  const packets = [metadataBytes, inputBytes].map((bytes) => stale(bytes));
  for (const { binding, offset, bytes } of plan.uploads) packets[binding]!.set(bytes, offset);
  const roots = [...packets, pages.slice(), states.slice(), stale(residualBytes)];
  const [, , pagesAfter, statesAfter, residual] = await adapter!.run(compiled, roots);
  return { pages: pagesAfter!, states: statesAfter!, residual: residual! };
}

const stale = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(STALE_BYTE);

/** The bytes of all pages with some rows in them, and of all states. */
function storageOf(bench: EpochBench, rows: readonly Placed[]) {
  const { pages, pageBytes, states, stateBytes: size } = bench.geometry;
  const storage = {
    pages: new Uint8Array(pages * pageBytes),
    states: new Uint8Array(states * size),
  };
  for (const { ids, pages: own, state } of rows) {
    const replay = new Replay(ids);
    const bytes = replay.pageBytes();
    own.forEach((page, at) => {
      const part = bytes.subarray(at * pageBytes, (at + 1) * pageBytes);
      storage.pages.set(part, page * pageBytes);
    });
    const last = ids.length === 0 ? bench.control.emptyState() : stateBytes(replay.states.at(-1)!);
    storage.states.set(last, state * size);
  }
  return storage;
}

interface Placed {
  readonly ids: readonly number[];
  readonly pages: readonly number[];
  readonly state: number;
}

const rest = { counter: 0, history: [], mask: null, seed: 0n } as const;
const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];

onAdapter('an epoch of a prompt, a decode and a verifier span', async () => {
  const bench = new EpochBench('tiny-text');
  const { bound } = bench.control.bind({});
  const prompt = bytesOf('a prompt of some length');
  const known = bytesOf('known already');
  const next = continued(known, 4);
  const before = [
    { ids: [], pages: [3, 1, 4, 15, 9, 2], state: 6 },
    { ids: known.slice(0, -1), pages: [5, 35, 8], state: 0 },
    { ids: known.slice(0, -1), pages: [97, 93, 23, 84, 62], state: 3 },
  ];
  const proposals = [next[0]!, next[1]!, next[2]! ^ 1];
  const spans: Span[] = [
    { ...rest, ...before[0]!, row: 0, first: 0, ids: prompt, selects: true, drafts: 0, bound },
    {
      ...rest,
      ...before[1]!,
      row: 1,
      first: 12,
      ids: known.slice(-1),
      selects: true,
      drafts: 0,
      bound,
    },
    {
      ...{ ...rest, ...before[2]!, row: 2, first: 12, ids: [known.at(-1)!, ...proposals] },
      ...{ selects: true, drafts: 3, bound, pages: [97, 93, 23, 84] },
    },
  ];
  spans[1] = { ...spans[1]!, pages: [5, 35, 8, 6] };
  const plan = bench.control.packEpoch(spans);
  const found = await runEpoch('tiny.epoch.step', { bench, plan, ...storageOf(bench, before) });
  const after = [
    { ids: prompt, pages: before[0]!.pages, state: 6 },
    { ids: known, pages: spans[1]!.pages, state: 0 },
    { ids: [...known, ...next.slice(0, 2)], pages: spans[2]!.pages, state: 3 },
  ];
  const expected = storageOf(bench, after);
  // The slot of the proposal that does not hold lies behind the frontier.
  const { pageBytes, feedbackBytes } = bench.geometry;
  const behind = 84 * pageBytes + 3 * (pageBytes / 4);
  expected.pages.set(found.pages.subarray(behind, behind + pageBytes / 4), behind);
  assert.equal(found.pages, expected.pages);
  assert.equal(found.states, expected.states);
  const results = bench.control.publish(plan, found.residual.slice(0, 6 * feedbackBytes));
  assert.equal(results, [
    { completed: prompt.length, selected: continued(prompt, 1)[0], details: [] },
    { completed: 1, selected: next[0], details: [] },
    { completed: 3, selected: next[2], details: [] },
  ]);
});

onAdapter('outputs of two rows of a sequence', async () => {
  const bench = new EpochBench('sequence');
  const rows = [11, 23].map((length, at) => ({
    ids: Array.from({ length }, (_, k) => (k * 89 + at) % 1024),
    pages: Array.from({ length: Math.ceil(length / 4) }, (_, page) => page * 7 + at),
    state: at * 5,
  }));
  const empty = rows.map((row) => ({ ...row, ids: [] }));
  const spans = rows.map((row, at) => {
    return { ...rest, ...row, row: at, first: 0, selects: false, drafts: 0, bound: stale(0) };
  });
  const plan = bench.control.packEpoch(spans);
  const found = await runEpoch('sequence.encode', { bench, plan, ...storageOf(bench, empty) });
  const { pages, states } = storageOf(bench, rows);
  assert.equal({ pages: found.pages, states: found.states }, { pages, states });
  plan.captures.forEach((pieces, at) => {
    const parts = pieces.map(({ offset, length }) => found.residual.slice(offset, offset + length));
    const output = new Uint8Array(Buffer.concat(parts));
    assert.equal(output, new Uint8Array(sequenceOracle(rows[at]!.ids).buffer));
  });
});

test.after(() => adapter?.close());
test.run();
