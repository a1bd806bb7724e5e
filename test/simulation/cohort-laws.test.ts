/** Law C of cohorts: one that all have left gets no stages, but what a pause left in mailboxes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CohortLaws } from './cohort-laws.js';
import type { Observation } from './observed-actor.js';
import { Report } from './report.js';

const generation = 'model-0:/models/a@1';
const request = `${generation}/requests/1`;
const cohort = `${generation}/cohorts/1`;
const members = [{ request, member: 0, units: 1, tag: 0, alone: false }];

/** Breaches where stages come `laterMs` after a cancel, and all stood still for `stoodMs` of it. */
function broken(laterMs: number, stoodMs: number): number {
  const report = new Report();
  let nowMs = 10;
  const laws = new CohortLaws(report, () => nowMs);
  const see = (actor: string, seen: unknown): void => laws.observe(actor, seen as Observation);
  const handles = (actor: string, kind: string, payload: unknown): void =>
    see(actor, { type: 'handled', message: { kind, payload } });
  const prepared = { contract: 'embeddings', capacities: { batchUnits: 8 } };
  see(generation, { type: 'started', kind: 'generation', input: { prepared, waitingMax: 8 } });
  handles(generation, 'members.offered', { members });
  see(generation, { type: 'spawned', kind: 'cohort', child: cohort, input: { members } });
  handles(request, 'cancel', {});
  if (stoodMs > 0) laws.stoodStill(stoodMs);
  nowMs += laterMs;
  handles(cohort, 'specialization.ready', {});
  return report.violations.length;
}

test('stages that come after all have left are told of, not those of the same moment', () => {
  assert.is(broken(0, 0), 0);
  assert.is(broken(5, 0), 1);
});

test('a pause makes nothing older that was told before it', () => {
  assert.is(broken(1000, 1000), 0);
  assert.is(broken(1005, 1000), 1);
});

test.run();
