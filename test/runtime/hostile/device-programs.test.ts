/**
 * Termination of device programs on the reference device and as emitted code: ranges are fixed at
 * entry, and whatever is large (loops, regions, grids, bodies) is charged against the budget of the
 * submission, so everything ends soon and says which kernel it was.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { POISON } from '../../../runtime/jit/local-abi.js';
import { useOptimizedWasm } from '../../../runtime/jit/v8-flags.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../jit/run-command.js';
import { stageProgram } from '../loom/elaborate/programs.js';

useOptimizedWasm();

const BUDGET = 20_000;
const huge = 2 ** 31 - 1;

const program = (kernel: string, grid: string, lanes = 1) =>
  stageProgram(`kernel.def k(x: in view<i32>, y: out view<i32>) workgroup(${lanes}) {
${kernel}
}
command.def export main(x: root, y: root) {
  dispatch k(x, y) grid(${grid})
}`);

const nest = (depth: number, bound: string, body: string): string =>
  depth === 0 ? body : `for i${depth} in 0..${bound} { ${nest(depth - 1, bound, body)} }`;
const stores = Array.from({ length: 64 }, (_, i) => `y[${i}] = x[${i}] + x[0] * x[1]`).join('\n');

/** Each row: what it is, the body of a kernel, its grid, its lanes. */
const endless: readonly (readonly [string, string, string, number?])[] = [
  ['a loop to the largest integer', `once { for i in 0..${huge} { y[0] = i } }`, '1'],
  ['from the smallest to the largest', `once { for i in -2147483648..${huge} { y[0] = i } }`, '1'],
  ['a bound that data gives', 'once { for i in 0..x[0] { y[0] = i } }', '1'],
  ['steps that pass the largest', `once { for i in 0..${huge} step 3 { y[0] = i } }`, '1'],
  ['a nest of constant loops', `once { ${nest(4, '1000', 'y[0] = 1')} }`, '1'],
  [
    'a nest of short loops in many workgroups',
    `once { ${nest(4, '16', 'y[0] = 1')} }`,
    '65535, 255',
  ],
  ['a nest of loops that data bounds', `once { ${nest(3, 'x[0]', 'y[0] = 1')} }`, '1'],
  ['uniform loops around regions', `for i in 0..${huge} { once { y[0] = i } }`, '1'],
  ['a region of all integers', `parallel i in 0..${huge} { y[0] = i }`, '1'],
  ['a region that data bounds', 'parallel i in 0..x[0] { y[i] = i }', '1'],
  ['loops that go on', `once { for i in 0..${huge} { if i > 3 { continue }\ny[0] = i } }`, '1'],
  [
    'loops that might end',
    `once { for i in 0..${huge} { if x[i] == 7 { break }\ny[0] = i } }`,
    '1',
  ],
  ['an immense grid of nothing', 'if x[0] == 0 { return }', '65535, 65535, 65535'],
  ['an immense grid of a long body', `parallel i in 0..256 { ${stores} }`, '65535, 4', 256],
  [
    'a long body in a loop that data bounds',
    `once { for i in 0..x[0] { ${nest(3, '30', stores)} } }`,
    '1',
  ],
];

const input = (): Uint8Array[] => [
  new Uint8Array(Int32Array.from({ length: 64 }, () => 1_000_000).buffer),
  new Uint8Array(256),
];

for (const [what, body, grid, lanes] of endless) {
  test(`${what} ends as "ran too long" on both executors`, () => {
    const made = program(body, grid, lanes);
    let told: unknown = null;
    try {
      interpretCommand(made, { roots: input(), rounds: BUDGET });
    } catch (error) {
      told = error;
    }
    assert.instance(told, StatusError);
    assert.is((told as StatusError).code, 'resourceExhausted');
    assert.match(
      (told as StatusError).message,
      /^k \(main\.loom:\d+:\d+\): ran too long: .* 20000 rounds/,
    );
    const compiled = compileCommand(made);
    const bench = new CommandBench(compiled, input());
    const { poison, poisonStep } = bench.runAlone({ budget: BUDGET });
    assert.is(poison, POISON.ranTooLong);
    assert.match(compiled.reflection.steps[poisonStep]!, /^k \(main\.loom:1:\d+\)$/);
    assert.ok(bench.canariesIntact());
  });
}

test('ranges are fixed at entry, whatever the body does to what they came from', () => {
  const bodies = [
    'once { var n = 3\nvar s = 0\nfor i in 0..n { n = n + 5\ns += 1 }\ny[0] = s\ny[1] = n }',
    'once { y[0] = 0\nvar s = 0\nfor i in 0..x[2] { s += 1\ny[2] = 900 + i }\ny[0] = s }',
    'var n = 2\nfor i in 0..n { n = n + 1\nonce { y[i] = n } }',
  ];
  const expected = [
    [3, 18, 0],
    [4, 0, 903],
    [3, 4, 0],
  ];
  const roots = () => [new Uint8Array(Int32Array.of(1, 2, 4, 8).buffer), new Uint8Array(12)];
  for (const [index, body] of bodies.entries()) {
    const made = program(body, '1');
    const interpreted = roots();
    interpretCommand(made, { roots: interpreted });
    const emitted = new CommandBench(compileCommand(made), roots()).runAlone().roots;
    for (const result of [interpreted[1]!, emitted[1]!.slice()]) {
      assert.equal([...new Int32Array(result.buffer)], expected[index], body);
    }
  }
});

test('the deepest expressions that inlining can make fit the stack everywhere', () => {
  const nested = (inner: string) => `${'('.repeat(58)}${inner}${' + x)'.repeat(58)}`;
  const functions = Array.from(
    { length: 31 },
    (_, i) => `func.def q${i + 1}(x: f32) -> f32 { return ${nested(`q${i}(x)`)} }`,
  );
  const made = stageProgram(`func.def q0(x: f32) -> f32 { return x }
${functions.join('\n')}
kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(1) { once { y[0] = q31(x[0]) } }
command.def export main(x: root, y: root) { dispatch k(x, y) grid(1) }`);
  const roots = () => [new Uint8Array(Float32Array.of(1).buffer), new Uint8Array(4)];
  const interpreted = roots();
  interpretCommand(made, { roots: interpreted });
  const emitted = new CommandBench(compileCommand(made), roots()).runAlone().roots;
  for (const result of [interpreted[1]!, emitted[1]!.slice()])
    assert.equal([...new Float32Array(result.buffer)], [31 * 58 + 1]);
});

test('programs of the most dispatches are planned, whatever they touch', () => {
  const kernel =
    'kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(1) { once { y[0] = x[0] } }';
  const main = (body: string) =>
    stageProgram(`${kernel}\ncommand.def export main(x: root, y: root) { ${body} }`);
  const apart = main('for i in 0..8192 { dispatch k(x, y.view<f32>(i * 16, 4)) grid(1) }');
  assert.is(compileCommand(apart).reflection.barriers, 0);
  const held = Array.from({ length: 2000 }, (_, i) => i);
  const live =
    main(`${held.map((i) => `workspace w${i} : f32[4]\ndispatch k(x, w${i}) grid(1)`).join('\n')}
${held.map((i) => `dispatch k(w${i}, y.view<f32>(${i} * 16, 4)) grid(1)`).join('\n')}`);
  const { barriers, workspaceBytes } = compileCommand(live).reflection;
  assert.is(barriers, 1);
  assert.is(workspaceBytes, 2000 * 256);
});

test('work that is well within the budget is not charged away', () => {
  const made = program(`once { ${nest(3, '30', 'y[0] = i1')} }`, '8');
  const bench = new CommandBench(compileCommand(made), input());
  assert.is(bench.runAlone().poison, 0);
});

test('a workspace beyond the interpreter, and outputs beyond a check, are refused by size', () => {
  const made = stageProgram(`kernel.def k(y: out view<f32>) workgroup(1) { once { y[0] = 1.0 } }
command.def export main(y: root) {
  workspace w : f32[268435457]
  dispatch k(w) grid(1)
  dispatch k(y) grid(1)
}`);
  assert.throws(
    () => interpretCommand(made, { roots: [new Uint8Array(4)] }),
    /main has 1073741828 bytes of workspace; the limit of the interpreter is 1073741824/,
  );
});

test.run();
