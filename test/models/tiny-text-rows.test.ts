/**
 * models/tiny-text under the row store of the server: shared prefixes, forks, rewinds, checkpoints,
 * rows that gave up their pages and submissions that failed, with few pages, never change a token.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { modelPackage } from '../runtime/packages/reference-model.js';
import { EpochBench } from './epoch-bench.js';
import { RetainedRows } from './retained-rows.js';

const { definition } = modelPackage('tiny-text').document;
const options = { rows: 6, context: 48, pages: 30, states: 10 };
const bench = new EpochBench('tiny-text', 'local', { definition: { ...definition, options } });

/** Prompts with beginnings in common. */
const pieces = ['the same beginning', 'of a text', ', or not', ' and so on'];
const prompt = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 })
  .map((parts) => [...new TextEncoder().encode(parts.join('').slice(0, 40))]);

const step = fc.record({
  what: fc.constantFrom(
    ...['open', 'append', 'fork', 'rewind', 'back', 'keep', 'restore', 'spill', 'close'],
    ...new Array<string>(9).fill('epoch'),
  ),
  which: fc.nat({ max: 99 }),
  prompt,
  takes: fc.record({
    counts: fc.array(fc.constantFrom(0, 1, 2, 7, 16), { minLength: 6, maxLength: 6 }),
    drafts: fc.constantFrom(0, 0, 3),
    fails: fc.constantFrom(false, false, false, false, true),
  }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function play(rows: RetainedRows, { what, which, prompt: ids, takes }: Step): void {
  const { store } = rows;
  if (what === 'open') return rows.open(ids);
  if (what === 'epoch') return rows.epoch(takes);
  const row = rows.rows[which % Math.max(rows.rows.length, 1)];
  if (!row) return;
  const checkpoint = rows.checkpoints[which % Math.max(rows.checkpoints.length, 1)];
  const hasRoom = row.ids.length + ids.length < options.context;
  if (what === 'append' && hasRoom) store.append(row, ids);
  if (what === 'fork') rows.fork(row);
  if (what === 'rewind') store.rewind(row, which % (row.ids.length + 1));
  if (what === 'back') store.stepBack(row);
  if (what === 'keep') rows.checkpoints.push(store.checkpoint(row));
  if (what === 'restore' && checkpoint) store.restore(row, checkpoint);
  if (what === 'spill') store.spill(row);
  if (what === 'close') rows.close(row);
}

test('any schedule of rows equals full replays, and leaves nothing behind', () => {
  let [chosen, shared, copied] = [0, 0, 0];
  const schedule = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(prompt, schedule, (first, steps) => {
      const rows = new RetainedRows(bench);
      rows.open(first);
      for (const each of steps) play(rows, each);
      const counts = rows.store.describe();
      chosen += rows.chosen;
      shared += counts.sharedTokens;
      copied += counts.copiedBytes;
      for (const row of [...rows.rows]) rows.close(row);
      for (const checkpoint of rows.checkpoints) rows.store.dropCheckpoint(checkpoint);
      rows.store.dropCache();
      assert.is(rows.store.describe().pagesFree, options.pages);
    }),
    { numRuns: 100 },
  );
  // Otherwise nothing was proved.
  assert.ok(chosen > 500 && shared > 100 && copied > 500, `${chosen} ${shared} ${copied}`);
});

test.run();
