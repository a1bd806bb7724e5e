/** What check mode finds on the reference device, and what it lets pass. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stmt } from '../../../runtime/loom/typed.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import * as b from '../../generators/typed-builder.js';
import { asFloats, asWords, bench, floats, run, words, type Bench } from './device-bench.js';

const { t } = b;
const u32 = b.storage('u32');

test('check mode reports out of range but under select and take', () => {
  const on = bench();
  const index = b.add(on.lane.get, b.i32(1));
  const bare = b.block(on.region(4, on.y.set(on.lane.get, on.x.get(index))));
  const [fault] = run(on, bare, [floats(1, 2, 3, 4), new Uint8Array(16)], { checks: true });
  assert.is(fault!.kind, 'outOfRange');
  assert.match(fault!.message, /^'x' has 4 elements, index 4 \(workgroup 0,0,0, lane 3\)$/);
  const guarded = bench();
  const next = b.add(guarded.lane.get, b.i32(1));
  const value = b.intrinsic('select', t.f32, [
    b.compare('<', next, b.i32(4)),
    guarded.x.get(next),
    b.f32(0),
  ]);
  const taken = guarded.k.local('taken', t.f32);
  const take = guarded.k.take(guarded.x, next, b.i32(1), [taken]);
  const stmts = [take, guarded.y.set(guarded.lane.get, b.add(value, taken.get))];
  const y = new Uint8Array(16);
  assert.equal(
    run(guarded, b.block(guarded.region(4, ...stmts)), [floats(1, 2, 3, 4), y], { checks: true }),
    [],
  );
  assert.equal(asFloats(y), [4, 6, 8, 0]);
});

test('races are found: two lanes at one element of a view or a shared array, one writing', () => {
  const races = (make: (on: Bench) => Stmt[], groups = 1): string[] => {
    const on = bench(4, u32);
    const body = b.block(...make(on));
    return run(on, body, [words(1, 2, 3, 4), new Uint8Array(16)], { checks: true, groups }).map(
      ({ kind, message }) => `${kind}: ${message}`,
    );
  };
  const same = races((on) => [
    on.region(4, on.y.set(b.arithmetic('/', on.lane.get, b.i32(2)), b.u32(1))),
  ]);
  assert.match(same[0]!, /^race: write of 'y' at byte 0 races with another lane's write/);
  const groups = races((on) => [on.region(4, on.y.set(on.lane.get, b.u32(1)))], 2);
  assert.match(groups[0]!, /another workgroup's write/);
  const neighbours = (apart: boolean) =>
    races((on) => {
      const s = on.k.shared('s', t.u32, 4);
      const write = s.set(on.lane.get, b.u32(1));
      const read = on.y.set(
        on.lane.get,
        s.get(b.arithmetic('%', b.add(on.lane.get, b.i32(1)), b.i32(4))),
      );
      return apart ? [on.region(4, write), on.region(4, read)] : [on.region(4, write, read)];
    });
  assert.equal(neighbours(true), []);
  assert.ok(neighbours(false).some((message) => message.startsWith('race')));
  const sums = (kinds: readonly ('add' | 'max')[]) =>
    races((on) => {
      const s = on.k.shared('s', t.u32, 1);
      return kinds.length === 1
        ? [on.region(4, s.accumulate(kinds[0]!, b.i32(0), b.u32(1)))]
        : [on.region(4, ...kinds.map((kind) => s.accumulate(kind, b.i32(0), b.u32(1))))];
    });
  assert.equal(sums(['add']), []);
  assert.ok(sums(['add', 'max']).length > 0);
});

test('reads of shared arrays and workspaces that nobody wrote are found', () => {
  const on = bench(4, u32);
  const s = on.k.shared('s', t.u32, 4);
  const [fault] = run(
    on,
    b.block(on.region(4, on.y.set(on.lane.get, s.get(on.lane.get)))),
    [words(0), new Uint8Array(16)],
    { checks: true },
  );
  assert.is(fault!.kind, 'unwritten');
  const copy = bench(4, u32);
  const kernel = copy.k.build(
    b.block(copy.region(4, copy.y.set(copy.lane.get, copy.x.get(copy.lane.get)))),
  );
  const through = (zero: boolean): { kinds: string[]; y: number[] } => {
    const y = new Uint8Array(16);
    const command = b.commandProgram({
      roots: [b.root('out')],
      kernels: [kernel],
      workspaces: [{ name: 'w', bytes: 16, zero, lifetime: 'command' }],
      steps: [b.dispatch(0, [b.wholeWorkspace(0), b.wholeRoot(0)], 1)],
    });
    const { faults } = interpretCommand(command, { roots: [y], checks: true });
    return { kinds: faults.map(({ kind }) => kind), y: asWords(y) };
  };
  assert.equal(through(false), {
    kinds: ['unwritten'],
    y: [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
  });
  assert.equal(through(true), { kinds: [], y: [0, 0, 0, 0] });
});

test.run();
