import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WorkspaceLimits, type WorkspaceShare } from '../../../runtime/memory/workspace-limits.js';

const LIMIT = 10;
const share = (stage: string, bytes: number): WorkspaceShare => ({
  stage,
  bytes,
  limitBytes: LIMIT,
});

const shares = fc
  .uniqueArray(
    fc.record({ stage: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: LIMIT }) }),
    {
      selector: ({ stage }) => stage,
      maxLength: 3,
    },
  )
  .map((rows) => rows.map(({ stage, bytes }) => share(stage, bytes)));

const step = fc.oneof(
  fc.record({ enter: shares }),
  fc.record({ leave: fc.nat(100) }),
  fc.record({ withdraw: fc.nat(100) }),
);

test('limits hold, each stage starts in order, and everything starts when others leave', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const limits = new WorkspaceLimits();
      const entered = new Map<string, readonly WorkspaceShare[]>();
      const running: string[] = [];
      const waiting: string[] = [];
      let started: string[] = [];
      const enter = (id: string, asked: readonly WorkspaceShare[]): void => {
        entered.set(id, asked);
        waiting.push(id);
        limits.enter(id, asked, () => {
          running.push(id);
          started.push(id);
          waiting.splice(waiting.indexOf(id), 1);
        });
      };
      const check = (): void => {
        for (const stage of ['a', 'b', 'c']) {
          const bytesOf = (id: string): number =>
            entered.get(id)!.find((each) => each.stage === stage)?.bytes ?? 0;
          const used = running.reduce((sum, id) => sum + bytesOf(id), 0);
          assert.ok(used <= LIMIT, `${stage} has ${used}`);
          const mine = started.filter((id) => bytesOf(id) > 0).map(Number);
          assert.equal(
            mine,
            [...mine].sort((left, right) => left - right),
            'in order',
          );
        }
        assert.is(limits.waiting, waiting.length);
      };
      for (const [index, each] of steps.entries()) {
        started = [];
        if ('enter' in each) enter(String(index), each.enter);
        else if ('leave' in each) {
          const [id] = running.splice(each.leave % Math.max(1, running.length), 1);
          if (id !== undefined) limits.leave(entered.get(id)!);
        } else {
          const id = waiting[each.withdraw % Math.max(1, waiting.length)];
          if (id !== undefined) {
            waiting.splice(waiting.indexOf(id), 1);
            assert.is(limits.withdraw(id), true);
          }
        }
        check();
      }
      for (let id = running.pop(); id !== undefined; id = running.pop())
        limits.leave(entered.get(id)!);
      assert.is(limits.waiting, 0, 'everything has started');
    }),
  );
});

test('what waits for one stage holds up no other', () => {
  const limits = new WorkspaceLimits();
  const started: string[] = [];
  const enter = (id: string, ...asked: WorkspaceShare[]): void =>
    limits.enter(id, asked, () => started.push(id));
  enter('first', share('a', 6));
  enter('second', share('a', 6));
  enter('third', share('a', 1));
  enter('other', share('b', 10));
  enter('none');
  assert.equal(started, ['first', 'other', 'none']);
  limits.leave([share('a', 6)]);
  assert.equal(started, ['first', 'other', 'none', 'second', 'third']);
});

test('who leaves the line makes way for those behind it, and nobody leaves twice', () => {
  const limits = new WorkspaceLimits();
  const started: string[] = [];
  for (const [id, bytes] of [
    ['runs', 6],
    ['long', 6],
    ['short', 3],
  ] as const) {
    limits.enter(id, [share('a', bytes)], () => void started.push(id));
  }
  assert.equal(started, ['runs']);
  assert.not(limits.withdraw('nobody'));
  assert.not(limits.withdraw('runs'));
  assert.is(limits.waiting, 2);
  assert.ok(limits.withdraw('long'));
  assert.equal(started, ['runs', 'short']);
  assert.not(limits.withdraw('long'));
  assert.is(limits.usedBytes('a'), 9);
});

test.run();
