import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../../runtime/jit/compile-command.js';
import { renderDiagnostics } from '../../../../runtime/loom/diagnostics.js';
import {
  elaborateBanks,
  elaborateFunction,
  elaborateLoader,
  elaborateLoaderShape,
} from '../../../../runtime/loom/elaborate/elaborate.js';
import type { CommandProgram, Symbol } from '../../../../runtime/loom/typed.js';
import { interpretCommand } from '../../../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../../jit/run-command.js';
import { asFloats, catalogOf, configurationOf, floats, integers } from './programs.js';
import type { Settings } from './programs.js';

/** Rows of `src` doubled, each at its place; several workgroups share the rows. */
const packing = `library m
config.decl wide : i64 = 2
kernel.def pack(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(4) grid(ceil_div(rows, wide)) {
  for r in 0..2 {
    let row = workgroup.x * 2 + r
    parallel c in 0..cols {
      if row < rows { dst[(at + row) * cols + c] = src[row * cols + c] * 2.0 }
    }
  }
}
kernel.def alone(src: in view<u8>, dst: inout view<u32>, first: i32, n: i32, width: i32) workgroup(1) {
  once { for i in 0..n { dst[first + i] = u32(i32(src[i * width])) } }
}
kernel.def ones(dst: out view<f32>) workgroup(4) {
  parallel i in 0..dst.len { dst[i] = 1.0 }
}
template.def <N: i64>
kernel.def scaled(dst: out view<f32x4>) workgroup(1) grid(N) { once { dst[workgroup.x] = f32x4(1.0) } }
`;

const symbol = (name: string, ...args: string[]): Symbol => ({ name: `m.${name}`, args });

function elaborate<Result>(
  run: (...args: Parameters<typeof elaborateLoader>) => {
    program: Result | null;
    diagnostics: readonly unknown[];
  },
  { text = packing, root, settings = {} }: { text?: string; root: Symbol; settings?: Settings },
): Result {
  const catalog = catalogOf(text);
  const { program, diagnostics } = run(catalog, root, configurationOf(catalog, settings));
  assert.equal(renderDiagnostics(diagnostics as never, catalog.source), '');
  return program!;
}

const loader = (root: Symbol): CommandProgram => elaborate(elaborateLoader, { root });

function refusal(
  run: (...args: Parameters<typeof elaborateLoader>) => { diagnostics: readonly unknown[] },
  text: string,
  root: Symbol,
): string {
  const catalog = catalogOf(text);
  const { diagnostics } = run(catalog, root, configurationOf(catalog));
  return renderDiagnostics(diagnostics as never, catalog.source);
}

test('a pack kernel is a program over packet, source and field', () => {
  const program = loader(symbol('pack'));
  assert.equal(program.roots, [
    { name: 'packet', access: 'none', hosted: true, bytesMin: 16 },
    { name: 'src', access: 'in', hosted: false, bytesMin: 0 },
    { name: 'dst', access: 'inout', hosted: false, bytesMin: 0 },
  ]);
  assert.equal(elaborate(elaborateLoaderShape, { root: symbol('pack') }), {
    kind: 'pack',
    source: 'f32',
    elementBytes: 4,
  });
  assert.is(program.steps.length, 1);
});

test('a fill kernel has the field alone', () => {
  const program = loader(symbol('ones'));
  assert.equal(program.roots, [{ name: 'dst', access: 'inout', hosted: false, bytesMin: 0 }]);
  assert.equal(elaborate(elaborateLoaderShape, { root: symbol('scaled', '3') }), {
    kind: 'fill',
    source: null,
    elementBytes: 16,
  });
});

test('blocks write their parts of a field, interpreted and compiled alike', () => {
  const program = loader(symbol('pack'));
  const source = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const block = (at: number) => [
    integers(at, 3, 3, 0),
    floats(...source),
    floats(...Array(18).fill(-1)),
  ];
  const expected = [...Array(9).fill(-1), 2, 4, 6, 8, 10, 12, 14, 16, 18];
  const roots = block(3);
  assert.equal(interpretCommand(program, { roots, checks: true }).faults, []);
  assert.equal(asFloats(roots[2]!), expected);
  const bench = new CommandBench(compileCommand(program), block(3));
  assert.equal([...new Float32Array(bench.runAlone().roots[2]!.buffer)], expected);
});

test('the grid follows the words of the packet; without one there is one workgroup', () => {
  const grid = (name: string, ...args: string[]) => {
    const [step] = loader(symbol(name, ...args)).steps;
    assert.ok(step?.op === 'dispatch' && step.grid.kind === 'direct');
    return step.grid.extents;
  };
  assert.equal(grid('ones'), [{ op: 'const', type: 'i32', value: 1 }]);
  assert.equal(grid('alone'), [{ op: 'const', type: 'i32', value: 1 }]);
  assert.equal(grid('scaled', '3'), [{ op: 'const', type: 'i32', value: 3 }]);
  assert.equal(grid('pack'), [
    {
      op: 'ceil_div',
      type: 'i32',
      left: { op: 'word', type: 'i32', root: 0, offset: 4 },
      right: { op: 'const', type: 'i32', value: 2 },
    },
  ]);
});

test('scalars come by place, whatever their names are', () => {
  const roots = [integers(1, 2, 3, 0), Uint8Array.of(7, 0, 0, 9, 0, 0), integers(0, 0, 0)];
  const program = loader(symbol('alone'));
  assert.equal(interpretCommand(program, { roots, checks: true }).faults, []);
  assert.equal([...new Int32Array(roots[2]!.buffer)], [0, 7, 9]);
});

test('another shape shows the two that fit', () => {
  const fits =
    /a loader is `\(src: in view<f32 or u8>, dst: out view<E>, at: i32, rows: i32, cols: i32\)`.*or `\(dst: out view<E>\)`/s;
  const rows: [what: string, params: string][] = [
    ['no scalars', 'src: in view<f32>, dst: out view<f32>'],
    ['another source', 'src: in view<f16>, dst: out view<f32>, at: i32, rows: i32, cols: i32'],
    [
      'a source of vectors',
      'src: in view<f32x4>, dst: out view<f32>, at: i32, rows: i32, cols: i32',
    ],
    [
      'a source that is written',
      'src: inout view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32',
    ],
    [
      'a field that is read only',
      'src: in view<f32>, dst: in view<f32>, at: i32, rows: i32, cols: i32',
    ],
    ['other words', 'src: in view<f32>, dst: out view<f32>, at: u32, rows: i32, cols: i32'],
    [
      'a view too many',
      'src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: in view<f32>',
    ],
    ['only a source', 'src: in view<f32>'],
    ['nothing', ''],
  ];
  for (const [what, params] of rows) {
    const text = `library m\nkernel.def odd(${params}) workgroup(1) { }\n`;
    for (const run of [elaborateLoader, elaborateLoaderShape]) {
      const found = refusal(run, text, symbol('odd'));
      assert.match(found, /main\.loom:2:\d+: .*'odd' is no loader/, what);
      assert.match(found, fits, what);
    }
  }
  const command = 'library m\ncommand.def odd(a: root) { }\n';
  assert.match(
    refusal(elaborateLoader, command, symbol('odd')),
    /'m\.odd' is a command, not a kernel/,
  );
  assert.match(refusal(elaborateLoader, command, symbol('lost')), /'m\.lost' is not defined/);
});

const banks = `library m
config.decl width : i64 = 8
bank.def Layer { w: f32x4[width / 4], b: f16x2[2] }
bank.def Net { norm: f32[width], layer: Layer[2] }
command.def run(a: root, net: param Net, b: root, one: param Layer) { }
kernel.def direct(a: in view<f32>) workgroup(1) grid(1) { }
`;

test('banks of a stage come in binding order, under its configuration', () => {
  const reflect = (config = {}) =>
    elaborate(elaborateBanks, { text: banks, root: symbol('run'), settings: { config } });
  const shown = reflect().map(({ name, fields }) => [
    name,
    fields.map((each) => `${each.name} ${each.bytes}`),
  ]);
  assert.equal(shown, [
    ['net', ['norm 32', 'layer[0].w 32', 'layer[0].b 8', 'layer[1].w 32', 'layer[1].b 8']],
    ['one', ['w 32', 'b 8']],
  ]);
  assert.is(reflect({ 'm.width': '16' })[0]!.fields[1]!.bytes, 64);
  assert.equal(elaborate(elaborateBanks, { text: banks, root: symbol('direct') }), []);
});

test('a policy is an exported function without parameters and results', () => {
  const text = `library m
func.decl import("weights") count(input: i64) -> i64
template.def <N: i64>
func.def export p() { let n = count(N) }
func.def private() { }
func.def export takes(a: i64) { }
func.def export gives() -> i64 { return 1 }
const.def export c : i64 = 1
`;
  const program = elaborate(elaborateFunction, { text, root: symbol('p', '3') });
  assert.equal(program.entries, { 'm.p': 0 });
  assert.equal(
    program.imports.map((each) => each.name),
    ['count'],
  );
  const rows: [root: Symbol, expected: RegExp][] = [
    [symbol('private'), /main\.loom:5:\d+: .*'m\.private' is private; a policy is/],
    [symbol('takes'), /'m\.takes' has parameters or results/],
    [symbol('gives'), /'m\.gives' has parameters or results/],
    [symbol('c'), /'m\.c' is a const; a policy is/],
    [symbol('lost'), /'m\.lost' is not defined/],
    [symbol('p'), /'m\.p' takes 1 template arguments, got 0/],
  ];
  for (const [root, expected] of rows)
    assert.match(refusal(elaborateFunction, text, root), expected);
});

test.run();
