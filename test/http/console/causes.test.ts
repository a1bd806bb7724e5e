import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Causes } from '../../../http/console/causes.js';
import type { Entry } from '../../../http/console/causes.js';
import type { WireRecord } from '../../../http/console/wire.js';

let seq = 0;
const entry = (record: WireRecord): Entry => ({ record, seq: seq++, turn: null });

const turn = (id: string, cause: string | null, to: string, startMs: number): Entry => {
  const what = { from: 'main:/a', kind: 'go', role: 'tell', lane: 'data' };
  return entry({ type: 'message', id, cause, to, startMs, endMs: startMs + 1, ...what });
};

const spawn = (actor: string, atMs: number): Entry =>
  entry({ type: 'spawn', atMs, actor, parent: 'main:/', incarnation: 0 });

const move = (actor: string, atMs: number, cause?: string): Entry =>
  entry({ type: 'transition', atMs, actor, cause, from: 'x', to: 'y', event: 'go' });

test('effects are the turns of the messages that a turn sent, over threads', () => {
  const causes = new Causes();
  const entries = [
    turn('1', null, 'main:/a', 0),
    turn('3', '1', 'device:/d', 4),
    turn('2', '1', 'model-0:/b', 2),
    turn('4', '3', 'model-0:/b', 9),
  ];
  for (const each of entries) causes.add(each);
  assert.equal(
    causes.effectsOf('1').map(({ id }) => id),
    ['3', '2'],
  );
  assert.is(causes.causeOf(causes.turn('4')!)?.id, '3');
  assert.is(causes.causeOf(causes.turn('1')!), null);
  assert.equal(causes.effectsOf('4'), []);
});

test('a transition belongs to the turn that it names, also before that turn is told', () => {
  const causes = new Causes();
  const moved = move('main:/a', 5, '7');
  causes.add(moved);
  assert.is(moved.turn, '7');
  causes.add(turn('7', null, 'main:/a', 5));
  assert.equal(causes.within('7'), [moved]);
});

test('what names no turn belongs to the one in which its actor did it', () => {
  const causes = new Causes();
  const [before, during, other] = [spawn('main:/a', 1), move('main:/a', 4), move('main:/b', 4)];
  for (const each of [before, during, other, turn('9', null, 'main:/a', 3)]) causes.add(each);
  assert.equal([before.turn, during.turn, other.turn], [null, '9', null]);
  assert.equal(causes.within('9'), [during]);
});

test('what is no longer kept is no longer known', () => {
  const causes = new Causes();
  const entries = [turn('1', null, 'main:/a', 0), turn('2', '1', 'main:/b', 2)];
  for (const each of entries) causes.add(each);
  causes.keepOnly(entries.slice(1));
  assert.is(causes.turn('1'), null);
  assert.is(causes.causeOf(causes.turn('2')!), null);
});

test.run();
