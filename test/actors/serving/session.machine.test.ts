/**
 * The chart of a session in random histories: its turns one after another, each answered once and
 * ended when nobody has it any more; cancels, changes and ends at any time.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { session } from '../../../actors/serving/session.js';
import { runHistories } from '../chart-history.js';
import { SessionModel } from './session-model.js';

test('three thousand histories: every turn has one answer and one end, the row goes back', () => {
  const reached = runHistories({
    table: session.table,
    model: (random) => new SessionModel(random),
    histories: 3_000,
  });
  const states = ['preparing', 'abandoning', 'waiting', 'running', 'stalled', 'settling', 'closed'];
  for (const state of states) assert.ok((reached.get(state) ?? 0) > 200, state);
});

test.run();
