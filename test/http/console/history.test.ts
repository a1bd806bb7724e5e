/** A cursor over records: any way to a moment gives what a console that saw only so much shows. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { History } from '../../../http/console/history.js';
import type { WireRecord } from '../../../http/console/wire.js';

const names = ['a:/x', 'a:/x/1', 'a:/x/2', 'b:/y'];
const states = ['idle', 'busy', 'over'];

/** Any records, in the order of time. */
const records = fc
  .array(
    fc.record({
      kind: fc.constantFrom('spawn', 'stop', 'transition', 'message'),
      actor: fc.constantFrom(...names),
      from: fc.constantFrom(...states),
      to: fc.constantFrom(...states),
      waitMs: fc.nat(3),
    }),
    { maxLength: 40 },
  )
  .map((list) => {
    let atMs = 1;
    return list.map(({ kind, actor, from, to, waitMs }, index): WireRecord => {
      atMs += waitMs;
      if (kind === 'spawn') return { type: kind, atMs, actor, parent: 'a:/', incarnation: 0 };
      if (kind === 'stop') return { type: kind, atMs, actor, reason: { kind: 'finished' } };
      if (kind === 'transition') return { type: kind, atMs, actor, from, to, event: 'go' };
      const what = { from: 'a:/', to: actor, kind: 'go', role: 'tell', lane: 'data' };
      return { type: 'message', id: `m${index}`, cause: null, startMs: atMs, endMs: atMs, ...what };
    });
  });

const shown = (history: History): unknown =>
  [...history.picture.actors.values()]
    .map(({ address, state, parent }) => ({ address, state, parent }))
    .sort((left, right) => left.address.localeCompare(right.address));

/** The states of who exists after these records, worked out from nothing but them. */
function statesAfter(list: readonly WireRecord[]): Record<string, string | null> {
  const alive: Record<string, string | null> = {};
  for (const record of list) {
    if (record.type === 'spawn') alive[record.actor] = null;
    else if (record.type === 'stop') delete alive[record.actor];
    else if (record.type === 'transition') alive[record.actor] = record.to;
    else if (record.type === 'message') alive[record.to] ??= null;
  }
  return alive;
}

test('after any seeks the picture is that of the records before the cursor', () => {
  fc.assert(
    fc.property(records, fc.array(fc.nat(45), { maxLength: 8 }), (list, seeks) => {
      const history = new History();
      history.add(list);
      for (const to of [...seeks, seeks[0] ?? 0]) {
        history.seek(to);
        const before = list.slice(0, Math.min(to, list.length));
        const seen = [...history.picture.actors.values()].map((actor) => [
          actor.address,
          actor.state,
        ]);
        assert.equal(Object.fromEntries(seen.sort()), statesAfter(before));
      }
    }),
  );
});

test('steps forward and back visit the same moments in opposite order', () => {
  fc.assert(
    fc.property(records, (list) => {
      const history = new History();
      history.add(list);
      history.seek(0);
      const forward: unknown[] = [];
      const isChange = list.map(({ type }) => type !== 'message');
      const changes = isChange.filter(Boolean).length;
      for (let step = 0; step < changes; step += 1) {
        history.stepForward();
        forward.push([history.cursor, shown(history)]);
      }
      assert.is(history.cursor, isChange.lastIndexOf(true) + 1);
      for (let step = changes - 2; step >= 0; step -= 1) {
        history.stepBack();
        assert.equal([history.cursor, shown(history)], forward[step]);
      }
    }),
  );
});

test('one actor’s steps pass over the others', () => {
  const history = new History();
  const move = (actor: string, atMs: number): WireRecord => {
    return { type: 'transition', atMs, actor, from: 'idle', to: 'busy', event: 'go' };
  };
  history.add([move('a:/x', 1), move('b:/y', 2), move('b:/y', 3), move('a:/x', 4)]);
  history.seek(0);
  const cursors = [1, 2].map(() => {
    history.stepForward('a:/x');
    return history.cursor;
  });
  assert.equal(cursors, [1, 4]);
  history.stepBack('a:/x');
  assert.is(history.cursor, 1);
});

test('whoever looks at the past is not moved by what comes', () => {
  const history = new History();
  const spawn = (actor: string, atMs: number): WireRecord => {
    return { type: 'spawn', atMs, actor, parent: 'a:/', incarnation: 0 };
  };
  history.add([spawn('a:/x', 1)]);
  history.isFollowing = false;
  history.add([spawn('b:/y', 2)]);
  history.look({ nowMs: 3, threads: [], actors: [] });
  assert.equal([...history.picture.actors.keys()], ['a:/x']);
  history.follow();
  assert.equal([...history.picture.actors.keys()], ['a:/x', 'b:/y']);
});

test('a look at the tree does not undo what moved after it was taken', () => {
  const history = new History();
  const move = { type: 'transition', actor: 'a:/x', from: 'idle', event: 'go' } as const;
  history.add([{ ...move, atMs: 5, to: 'busy' }]);
  const actor = { address: 'a:/x', parent: null, thread: 'a', kind: 'm', mailbox: 1, oldestMs: 2 };
  const tree = { threads: [{ name: 'a' }], actors: [{ ...actor, state: 'idle' }] };
  history.look({ ...tree, nowMs: 4 });
  assert.is(history.picture.actors.get('a:/x')?.state, 'busy');
  history.look({ ...tree, nowMs: 6 });
  assert.is(history.picture.actors.get('a:/x')?.state, 'idle');
  history.look({ nowMs: 7, threads: [], actors: [] });
  assert.is(history.picture.actors.size, 0);
});

test('the oldest records give way and are counted; what is left can be stepped', () => {
  const history = new History(100);
  for (let atMs = 1; atMs <= 1000; atMs += 1) {
    history.add([
      { type: 'transition', atMs, actor: 'a:/x', from: 'idle', to: 'busy', event: 'go' },
    ]);
    assert.ok(history.entries.length <= 121);
    assert.is(history.dropped + history.entries.length, atMs);
  }
  history.seek(0);
  history.stepForward();
  assert.is(history.cursor, 1);
});

test.run();
