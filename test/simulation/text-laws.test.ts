/** Law K of texts: whoever failed in company is tried alone, unless it has been cancelled. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Observation } from './observed-actor.js';
import { Report } from './report.js';
import { TextLaws } from './text-laws.js';

const generation = 'model-0:/models/a@1';
const epoch = `${generation}/epochs/1`;
const session = `${generation}/sessions/1`;
const status = { code: 'internal', message: 'the device failed a command' };

function turnOf(name: string) {
  const row = { isOpen: true, pages: [], done: 0, ordinal: 0 };
  return { input: { session: name }, row, isWithdrawn: false, isStalled: false };
}

function broken(isCancelled: boolean): number {
  const report = new Report();
  const laws = new TextLaws(report);
  const see = (actor: string, seen: unknown): void => laws.observe(actor, seen as Observation);
  const turn = turnOf(session);
  const spans = [turn, turnOf(`${generation}/turns/1`)].map((one, row) => {
    return { turn: one, span: { row, first: 0, pages: [] } };
  });
  const input = { work: { spans }, store: {} };
  see(generation, { type: 'spawned', kind: 'epoch', child: epoch, input });
  see(epoch, { type: 'handled', message: { kind: 'work.failed', payload: { status } } });
  turn.isWithdrawn = isCancelled;
  see(generation, { type: 'told', to: session, kind: 'turn.failed', payload: { status } });
  return report.violations.length;
}

test('a turn that failed in company and is not tried alone is told of', () => {
  assert.is(broken(false), 1);
});

test('the next turn of a session whose turn was cancelled is another one', () => {
  assert.is(broken(true), 0);
});

test.run();
