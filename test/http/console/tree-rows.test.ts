import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Actor } from '../../../http/console/picture.js';
import { treeRows } from '../../../http/console/tree-rows.js';

const actor = (address: string, parent: string | null, state = 'idle'): Actor => {
  const thread = address.slice(0, address.indexOf(':'));
  const rest = { kind: 'door', mailbox: 0, oldestMs: null, movedMs: 0 };
  return { address, parent, thread, state, ...rest };
};

const byAddress = (actors: readonly Actor[]): Map<string, Actor> =>
  new Map(actors.map((each) => [each.address, each]));

const none = { text: '', also: new Set<string>() };
const all = byAddress([
  actor('main:/server', null),
  actor('model-0:/m', 'main:/server'),
  actor('model-0:/m/cohorts/10', 'model-0:/m', 'busy'),
  actor('model-0:/m/cohorts/9', 'model-0:/m'),
]);

const outline = (closed: readonly string[], filter = none): string[] =>
  treeRows(all, new Set(closed), filter).map(({ depth, name }) => '·'.repeat(depth) + name);

test('threads, then whom each supervises, in the order that people count', () => {
  const whole = ['main', '·server', 'model-0', '·m', '··cohorts/9', '··cohorts/10'];
  assert.equal(outline([]), whole);
});

test('what is closed hides what is below', () => {
  assert.equal(outline(['model-0:/m', 'main:/']), ['main', 'model-0', '·m']);
});

test('a filter shows what matches all words with the way to it, also in what is closed', () => {
  const found = ['model-0', '·m', '··cohorts/10'];
  assert.equal(outline(['model-0:/m'], { ...none, text: 'BUSY cohorts' }), found);
  assert.equal(outline([], { ...none, text: 'nobody' }), []);
});

test('the actor of a request is found by the id of the request', () => {
  const also = new Set(['model-0:/m/cohorts/9']);
  assert.equal(outline([], { text: 'req-1', also }), ['model-0', '·m', '··cohorts/9']);
});

test('every actor has one row, below its supervisor where that is of its thread', () => {
  const trees = fc
    .array(fc.record({ thread: fc.constantFrom('a', 'b'), parent: fc.nat(30) }), { maxLength: 30 })
    .map((list) =>
      list.map(({ thread, parent }, index) =>
        actor(
          `${thread}:/n${index}`,
          parent < index ? `${list[parent]!.thread}:/n${parent}` : null,
        ),
      ),
    );
  fc.assert(
    fc.property(trees, (actors) => {
      const known = byAddress(actors);
      const rows = treeRows(known, new Set(), none);
      const keys = rows.map(({ key }) => key);
      const threads = new Set(actors.map(({ thread }) => `${thread}:/`));
      assert.equal([...keys].sort(), [...known.keys(), ...threads].sort());
      for (const [index, row] of rows.entries()) {
        const above = rows.slice(0, index).findLast(({ depth }) => depth === row.depth - 1);
        const { thread = '', parent = null } = row.actor ?? {};
        const isNear = known.get(parent ?? '')?.thread === thread;
        assert.is(above?.key, row.actor === null ? undefined : isNear ? parent : `${thread}:/`);
      }
    }),
  );
});

test.run();
