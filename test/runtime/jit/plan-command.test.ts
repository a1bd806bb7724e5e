/** Plans of command programs: barriers where data flows, workspaces that share bytes safely. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { HazardTracker, type Touch } from '../../../runtime/jit/hazards.js';
import {
  placeWorkspaces,
  WORKSPACE_ALIGNMENT,
  type WorkspaceLife,
} from '../../../runtime/jit/place-workspaces.js';
import { planCommand } from '../../../runtime/jit/plan-command.js';
import { reportCommand, reportText, stageRows } from '../../../runtime/jit/report.js';
import type { CommandProgram, Range } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';

const touch = fc
  .record({
    space: fc.constantFrom('workspace', 'root 0'),
    start: fc.nat(20),
    size: fc.integer({ min: 1, max: 8 }),
    writes: fc.boolean(),
  })
  .map(({ space, start, size, writes }): Touch => ({ space, start, end: start + size, writes }));

/** The rule in its own words. */
function conflicts(a: Touch, b: Touch): boolean {
  return a.space === b.space && (a.writes || b.writes) && a.start < b.end && b.start < a.end;
}

test('between two steps that conflict there is always a barrier, and never one without a conflict', () => {
  fc.assert(
    fc.property(fc.array(fc.array(touch, { maxLength: 3 }), { maxLength: 12 }), (steps) => {
      const tracker = new HazardTracker();
      const barriers = steps.map((step) => tracker.step(step));
      const clash = (i: number, j: number) =>
        steps[i]!.some((a) => steps[j]!.some((c) => conflicts(a, c)));
      for (let j = 0; j < steps.length; j++) {
        const since = barriers.lastIndexOf(true, j - 1);
        for (let i = 0; i < j; i++) {
          if (clash(i, j))
            assert.ok(barriers.slice(i + 1, j + 1).includes(true), `steps ${i} and ${j}`);
        }
        const needed = Array.from({ length: j }, (_, i) => i).some(
          (i) => i >= Math.max(since, 0) && clash(i, j),
        );
        assert.is(barriers[j], needed);
      }
    }),
  );
});

test('two reads need no barrier; a write after a read does', () => {
  const read: Touch = { space: 'root 0', start: 0, end: 16, writes: false };
  const tracker = new HazardTracker();
  assert.equal(
    [read, read, { ...read, writes: true }, read].map((one) => tracker.step([one])),
    [false, false, true, true],
  );
});

const life = fc
  .record({
    bytes: fc.integer({ min: 1, max: 2000 }),
    invocation: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    first: fc.nat(10),
    steps: fc.nat(5),
  })
  .map(({ bytes, invocation, first, steps }): WorkspaceLife => ({
    bytes,
    lifetime: invocation ? 'invocation' : 'command',
    live: { first, last: first + steps },
  }));

test('workspaces that live at the same time never overlap, and all are aligned', () => {
  fc.assert(
    fc.property(fc.array(life, { maxLength: 10 }), (lives) => {
      const { offsets, peakBytes, invocationBytes } = placeWorkspaces(lives);
      lives.forEach((a, i) => {
        assert.is(offsets[i]! % WORKSPACE_ALIGNMENT, 0);
        assert.ok(offsets[i]! + a.bytes <= peakBytes);
        lives.slice(0, i).forEach((c, j) => {
          const kept = a.lifetime === 'invocation' || c.lifetime === 'invocation';
          const together = kept || (a.live!.first <= c.live!.last && c.live!.first <= a.live!.last);
          const apart =
            offsets[i]! + a.bytes <= offsets[j]! || offsets[j]! + c.bytes <= offsets[i]!;
          assert.ok(!together || apart, `workspaces ${i} and ${j}`);
        });
        if (a.lifetime === 'invocation') assert.ok(offsets[i]! + a.bytes <= invocationBytes);
      });
    }),
  );
});

function copyProgram(
  steps: CommandProgram['steps'],
  workspaces: CommandProgram['workspaces'] = [],
): CommandProgram {
  const k = new b.KernelBuilder('copy', 1);
  const [x, y] = [k.view('x', 'in', b.storage('f32')), k.view('y', 'out', b.storage('f32'))];
  const lane = k.local('lane', b.t.i32);
  const body = b.block(
    k.parallel(lane, { from: b.i32(0), to: b.i32(1) }, b.block(y.set(b.i32(0), x.get(b.i32(0))))),
  );
  return b.commandProgram({
    roots: [b.root('in'), b.root('out')],
    kernels: [k.build(body)],
    steps,
    workspaces,
  });
}
const part = (base: number, offset: number): Range => ({
  base: { kind: 'root', index: base },
  offset,
  length: 64,
});

test('disjoint ranges of one root run without a barrier, overlapping ones do not', () => {
  const steps = [
    b.dispatch(0, [part(0, 0), part(1, 0)], 1),
    b.dispatch(0, [part(0, 0), part(1, 64)], 1),
    b.dispatch(0, [part(0, 0), part(1, 96)], 1),
  ];
  assert.equal(
    planCommand(copyProgram(steps)).parts[0]!.map((step) => step.barrier),
    [false, false, true],
  );
});

test('workspaces that share bytes after placement are kept apart by a barrier', () => {
  const spaces = ['a', 'c'].map((name) => ({
    name,
    bytes: 64,
    zero: false,
    lifetime: 'command' as const,
  }));
  const steps = [
    b.dispatch(0, [part(0, 0), b.wholeWorkspace(0)], 1),
    b.dispatch(0, [b.wholeWorkspace(0), part(1, 0)], 1),
    b.dispatch(0, [part(0, 0), b.wholeWorkspace(1)], 1),
    b.dispatch(0, [b.wholeWorkspace(1), part(1, 64)], 1),
  ];
  const plan = planCommand(copyProgram(steps, spaces));
  assert.equal(plan.placement.offsets, [0, 0]);
  assert.equal(
    plan.parts[0]!.map((step) => step.barrier),
    [false, true, true, true],
  );
});

test('the report names kernels, workspaces, barriers and parts', () => {
  const spaces = [{ name: 'sum', bytes: 64, zero: true, lifetime: 'command' as const }];
  const program = copyProgram(
    [
      b.dispatch(0, [b.wholeRoot(0), b.wholeWorkspace(0)], {
        op: 'ceil_div',
        type: 'i32',
        left: { op: 'word', type: 'i32', root: 0, offset: 8 },
        right: b.word(4),
      }),
      { op: 'part', site: 0 },
      b.dispatch(0, [b.wholeWorkspace(0), part(1, 64)], 2, 3),
    ],
    spaces,
  );
  const report = reportCommand(program, compileCommand(program).reflection);
  const text = reportText(report);
  assert.match(text, 'test.command: 2 dispatches, 1 barriers, 2 parts');
  assert.match(
    text,
    '    zero sum\n  | copy(root, sum) grid(ceil_div(root@8, 4))\n  --- part 1\n    copy(sum, root[64 +64]) grid(2, 3)',
  );
  assert.equal(JSON.parse(JSON.stringify(report)), report);
  const rows = new Map(stageRows(report.reflection).map(({ name, value }) => [name, value]));
  assert.equal([rows.get('dispatches'), rows.get('workspace sum')], [2, '64 bytes at 0']);
});

test.run();
