/** Check functions: what passes, how each expectation fails, and comparison with other devices. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkLibrary } from '../../../runtime/loom/check-library.js';
import type {
  CommandProgram,
  Expr,
  HostFunction,
  Kernel,
  Stmt,
  Type,
} from '../../../runtime/loom/typed.js';
import {
  runChecks,
  type CheckResult,
  type Launcher,
} from '../../../runtime/vm/checks/run-checks.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import * as b from '../../generators/typed-builder.js';

const { t } = b;
const imports = checkLibrary.map(({ importName, params, results }) =>
  b.importOf(`check.${importName}`, params, results),
);
const importIndex = (name: string): number =>
  checkLibrary.findIndex((entry) => entry.importName === name);
const check = (name: string, ...args: Expr[]): Stmt =>
  b.callStmt([], b.capability(importIndex(name), t.void, args));

/** y[i] = x[i] * 2, and with `neighbour` also the racy y[i + 1]. */
function doubling(neighbour = false): Kernel {
  const k = new b.KernelBuilder('double', 4);
  const x = k.view('x', 'in', b.storage('f32'));
  const y = k.view('y', 'out', b.storage('f32'));
  const lane = k.local('lane', t.i32);
  const next = neighbour ? [y.set(b.add(lane.get, b.i32(1)), b.f32(0))] : [];
  const body = b.block(y.set(lane.get, b.mul(x.get(lane.get), b.f32(2))), ...next);
  return k.build(b.block(k.parallel(lane, { from: b.i32(0), to: x.length }, body)));
}

const command = (kernel: Kernel): CommandProgram =>
  b.commandProgram({
    name: 'doubles',
    roots: [b.root('in'), b.root('out', { name: 'y' })],
    kernels: [kernel],
    steps: [b.dispatch(0, [b.wholeRoot(0), b.wholeRoot(1)], 1)],
  });

const symbols = ['doubles', 'double', 'rejecting', 'pack'].map((name) => ({ name, args: [] }));
const symbol = (name: string): Expr =>
  b.constant(
    t.symbol,
    symbols.findIndex((entry) => entry.name === name),
  );

async function run(
  make: (f: b.FunctionBuilder) => Stmt[],
  options: {
    kernel?: Kernel;
    launchers?: Launcher[];
    functions?: HostFunction[];
    rounds?: number;
  } = {},
): Promise<CheckResult> {
  const f = new b.FunctionBuilder('sample');
  const functions = [f.build([], b.block(...make(f))), ...(options.functions ?? [])];
  const program = b.hostProgram(functions, {
    imports,
    symbols,
    checks: [{ name: 'sample', func: 0 }],
  });
  const kernel = options.kernel ?? doubling();
  const results = await runChecks({
    program,
    resolve: ({ name }) =>
      name === 'double'
        ? { kind: 'kernel', kernel, files: ['test.loom'] }
        : { kind: 'command', command: command(kernel) },
    launchers: options.launchers,
    rounds: options.rounds,
  });
  assert.is(results.length, 1);
  return results[0]!;
}

/** Statements that launch on [1.5, -2] and leave the output in the returned variable. */
function launching(
  f: b.FunctionBuilder,
  target: string,
  words: readonly number[],
): { stmts: Stmt[]; output: b.Variable } {
  const input = f.local('input', t.buffer);
  const lists = {
    inputs: f.local('inputs', t.list(t.buffer)),
    sizes: f.local('sizes', t.list(t.i64)),
    words: f.local('words', t.list(t.i64)),
  };
  const output = f.local('output', t.buffer);
  const empty = (type: Type): Expr => b.heap('list.new', type);
  const launch = b.capability(importIndex('launch'), t.list(t.buffer), [
    symbol(target),
    lists.inputs.get,
    lists.sizes.get,
    lists.words.get,
  ]);
  return {
    output,
    stmts: [
      b.set(input, b.heap('buffer.new', t.buffer, [b.i64(8)])),
      b.bufferSet(input.get, 'f32', b.i64(0), b.f32(1.5)),
      b.bufferSet(input.get, 'f32', b.i64(1), b.f32(-2)),
      b.set(lists.inputs, empty(t.list(t.buffer))),
      b.listPush(lists.inputs.get, input.get),
      b.set(lists.sizes, empty(t.list(t.i64))),
      b.listPush(lists.sizes.get, b.i64(8)),
      b.set(lists.words, empty(t.list(t.i64))),
      ...words.map((value) => b.listPush(lists.words.get, b.i64(value))),
      b.set(output, b.listGet(launch, b.i64(0))),
    ],
  };
}

const near = (found: Expr, expected: number): Stmt =>
  check('expect_near_f32', found, b.f32(expected), b.f32(0), b.f32(0));

test('commands and kernels are launched, and their outputs are buffers', async () => {
  for (const [target, words] of [
    ['doubles', []],
    ['double', [1]],
  ] as const) {
    const result = await run((f) => {
      const { stmts, output } = launching(f, target, words);
      return [
        ...stmts,
        near(b.bufferGet(output.get, 'f32', b.i64(0)), 3),
        near(b.bufferGet(output.get, 'f32', b.i64(1)), -4),
      ];
    });
    assert.is(result.message, '');
    assert.ok(result.ok);
  }
});

test('an expectation that fails says what was found, and where', async () => {
  const cases: readonly [Stmt, string][] = [
    [check('expect', b.bool(false)), 'the expectation does not hold'],
    [check('expect_equal_i64', b.i64(3), b.i64(4)), '3 is not 4'],
    [check('expect_equal_string', b.text('a'), b.text('b')), '"a" is not "b"'],
    [
      check('expect_near_f64', b.f64(1), b.f64(1.5), b.f64(0.1), b.f64(0.1)),
      '1 is not near 1.5 (abs 0.1, rel 0.1)',
    ],
    [
      check(
        'expect_equal_buffer',
        b.heap('buffer.new', t.buffer, [b.i64(2)]),
        b.heap('buffer.new', t.buffer, [b.i64(3)]),
      ),
      '2 bytes, expected 3',
    ],
  ];
  for (const [stmt, message] of cases) {
    const result = await run(() => [stmt]);
    assert.not(result.ok);
    assert.match(result.message, message);
    assert.match(result.position, /^test\.loom:\d+:1$/);
  }
});

test('launches without end share the rounds of their check', async () => {
  const forever = (f: b.FunctionBuilder): Stmt[] => {
    const { stmts } = launching(f, 'doubles', []);
    return [b.whileLoop(b.bool(true), b.block(...stmts))];
  };
  const { ok, message } = await run(forever, { rounds: 100 });
  assert.is(ok, false);
  assert.match(message, /double \(test\.loom:\d+:1\): ran too long/);
});

test('a race in a launch fails the check and names kernel and place', async () => {
  const result = await run((f) => launching(f, 'doubles', []).stmts, { kernel: doubling(true) });
  assert.not(result.ok);
  assert.match(
    result.message,
    /double \(test\.loom:\d+:1\): write of 'y' at byte 4 races with another lane's write/,
  );
});

test('launches are repeated on other devices and compared', async () => {
  const make = (f: b.FunctionBuilder): Stmt[] => launching(f, 'doubles', []).stmts;
  const same: Launcher = {
    name: 'same',
    launch: async (program, roots) => void interpretCommand(program, { roots }),
  };
  const other: Launcher = { name: 'other', launch: async (_, roots) => void roots[1]!.fill(1) };
  assert.ok((await run(make, { launchers: [same] })).ok);
  const result = await run(make, { launchers: [same, other] });
  assert.match(
    result.message,
    /^doubles on other differs from the interpreter in 'y': byte 0 is 1, expected 0$/,
  );
});

test('expect_rejects wants a reject with the text, from the function that is named', async () => {
  const rejecting = (kind: 'reject' | 'fail'): HostFunction =>
    new b.FunctionBuilder('rejecting').build([], b.block(b.raise(kind, b.text('too long'))));
  const wants = (text: string) => () => [
    check('expect_rejects', symbol('rejecting'), b.text(text)),
  ];
  assert.ok((await run(wants('too long'), { functions: [rejecting('reject')] })).ok);
  assert.match(
    (await run(wants('too short'), { functions: [rejecting('reject')] })).message,
    'which lacks "too short"',
  );
  assert.match(
    (await run(wants('too long'), { functions: [rejecting('fail')] })).message,
    'too long',
  );
  const silent = new b.FunctionBuilder('rejecting').build([], b.block());
  assert.match(
    (await run(wants('x'), { functions: [silent] })).message,
    'rejecting does not reject',
  );
});

/** pack(rows) -> (all rows one after another, 4 bytes a row), one f32 a row. */
function packing(): HostFunction {
  const f = new b.FunctionBuilder('pack');
  const rows = f.param('rows', t.list(t.buffer));
  const packet = f.local('packet', t.buffer);
  const i = f.local('i', t.i64);
  const count = b.heap('list.len', t.i64, [rows.get]);
  const copy = b.bufferSet(
    packet.get,
    'f32',
    i.get,
    b.bufferGet(b.listGet(rows.get, i.get), 'f32', b.i64(0)),
  );
  return f.build(
    [t.buffer, t.i64],
    b.block(
      b.set(packet, b.heap('buffer.new', t.buffer, [b.mul(count, b.i64(4))])),
      b.loop(i, { from: b.i64(0), to: count }, b.block(copy)),
      b.ret(packet.get, b.i64(4)),
    ),
  );
}

/** y[i] = x[i] + x[0]: a row depends on its neighbours. */
function leaking(): Kernel {
  const k = new b.KernelBuilder('double', 1);
  const x = k.view('x', 'in', b.storage('f32'));
  const y = k.view('y', 'out', b.storage('f32'));
  const lane = k.local('lane', t.i32);
  const body = b.block(y.set(lane.get, b.add(x.get(lane.get), x.get(b.i32(0)))));
  return k.build(b.block(k.parallel(lane, { from: b.i32(0), to: x.length }, body)));
}

test('expect_invariant finds a row that depends on its neighbours', async () => {
  const make = (f: b.FunctionBuilder): Stmt[] => {
    const rows = f.local('rows', t.list(t.buffer));
    const row = f.local('row', t.buffer);
    const one = (value: number): Stmt[] => [
      b.set(row, b.heap('buffer.new', t.buffer, [b.i64(4)])),
      b.bufferSet(row.get, 'f32', b.i64(0), b.f32(value)),
      b.listPush(rows.get, row.get),
    ];
    return [
      b.set(rows, b.heap('list.new', t.list(t.buffer))),
      ...one(1),
      ...one(2),
      ...one(5),
      check('expect_invariant', symbol('doubles'), symbol('pack'), rows.get),
    ];
  };
  assert.is((await run(make, { functions: [packing()] })).message, '');
  const result = await run(make, { functions: [packing()], kernel: leaking() });
  assert.match(result.message, /row 0 packed in reverse differs from the row alone: byte/);
});

test.run();
