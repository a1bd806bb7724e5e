/** Command programs: ranges, words, hazards, banks, parts, direct stages, reflection. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  asFloats,
  catalogOf,
  checkAccepts,
  checkRejects,
  floats,
  integers,
  problemText,
  runStage,
  stageOf,
  stageProgram,
} from './programs.js';

const kernels = `layout.def Head { rows: i32, eps: f32 }
kernel.def copy(x: in view<f32>, y: out view<f32>, n: i32) workgroup(32) { parallel i in 0..n { y[i] = x[i] } }
kernel.def twice(x: inout view<f32>, n: i32) workgroup(32) { parallel i in 0..n { x[i] = x[i] * 2.0 } }
kernel.def add(a: in view<f32>, b: in view<f32>, y: out view<f32>) workgroup(32) { parallel i in 0..8 { y[i] = a[i] + b[i] } }
kernel.def words(a: in view<i32>, y: out view<f32>) workgroup(32) { once { y[0] = f32(a[0]) } }
kernel.def both(a: in view<f32>, b: in view<i32>, y: out view<f32>) workgroup(32) { once { y[0] = a[0] + f32(b[0]) } }
kernel.def reals(y: out view<f32>, e: f32, f: bool) workgroup(32) { once { y[0] = select(f, e, 0.0) } }
`;
const command = (body: string): string =>
  `${kernels}command.def main(p: root, q: root) {\n${body}\n}`;

test('words: what they are computed from and where they go', () => {
  checkAccepts(
    [
      [
        'arithmetic',
        'let n = min(word(p, Head.rows) * 2 + 1, 8)\ndispatch copy(p.view<f32>(16, 8), q, n) grid(ceil_div(n, 4), 2)',
      ],
      ['reals', 'dispatch reals(q, word<f32>(p, Head.eps) * 2, true) grid(1)'],
    ],
    command,
  );
  checkRejects(
    [
      [
        'as an offset',
        'dispatch copy(p.view<f32>(word(p, 0), 8), q, 1) grid(1)',
        /byte offset must be a constant integer/,
      ],
      ['as a condition', 'if word(p, 0) > 1 { }', /'>' does not apply to words/],
      [
        'as another type',
        'dispatch reals(q, word(p, 0), true) grid(1)',
        /word of type i32[\s\S]*word<f32>/,
      ],
      ['unaligned', 'let n = word(p, 2)', /not a multiple of 4/],
      ['of a workspace', 'workspace w : f32[4]\nlet n = word(w, 0)', /word reads a root/],
      ['a loop', 'for i in 0..word(p, 0) { }', /must be a constant integer/],
      [
        'a written root',
        'dispatch copy(q, p, word(p, 0)) grid(1)',
        /root 'p' is written here[\s\S]*a word of it/,
      ],
      ['a variable', 'var n = 1', /no variables/],
    ],
    command,
  );
});

test('ranges: offsets, elements, slices', () => {
  checkAccepts(
    [
      [
        'as',
        'workspace w : i32[8]\ndispatch copy(p, w.as<f32>(), 8) grid(1)\ndispatch words(w, q) grid(1)',
      ],
      [
        'slices',
        'workspace w : f32[8]\ndispatch copy(p, w.slice(0, 4), 4) grid(1)\ndispatch copy(w.slice(0, 4), q, 4) grid(1)',
      ],
      ['from', 'dispatch copy(p.from<f32>(16), q, 8) grid(1)'],
    ],
    command,
  );
  checkRejects(
    [
      ['unaligned', 'dispatch copy(p.view<f32>(4, 8), q, 8) grid(1)', /not a multiple of 16/],
      [
        'elements',
        'workspace w : i32[8]\ndispatch copy(w, q, 8) grid(1)',
        /takes view<f32>, got elements of i32[\s\S]*\.as<f32>/,
      ],
      [
        'a slice too long',
        'workspace w : f32[8]\nlet s = w.slice(4, 5)',
        /elements 4 to 9 of a range of 8/,
      ],
      [
        'uneven bytes',
        'workspace w : f32[3]\nlet s = w.as<f32x2>()',
        /12 bytes are not whole elements/,
      ],
      ['a constant as view', 'dispatch copy(3, q, 8) grid(1)', /'x' takes a range/],
      ['no array', 'workspace w : f32', /is an array/],
    ],
    command,
  );
});

test('overlaps inside one dispatch are errors; two reads may overlap', () => {
  checkRejects(
    [
      [
        'in and out',
        'workspace zero w : f32[8]\ndispatch copy(w, w, 8) grid(1)',
        /'y' \(out\) overlaps 'x' \(in\)[\s\S]*one `inout`/,
      ],
      [
        'parts of a root',
        'dispatch copy(p.view<f32>(0, 8), p.view<f32>(16, 8), 8) grid(1)',
        /overlaps/,
      ],
      ['to the end of a root', 'dispatch copy(p.view<f32>(64, 8), p, 8) grid(1)', /overlaps/],
      ['reads of unlike elements', 'dispatch both(p, p, q) grid(1)', /different elements/],
    ],
    command,
  );
  checkAccepts(
    [
      ['apart', 'dispatch copy(p.view<f32>(0, 4), p.view<f32>(16, 4), 4) grid(1)'],
      ['two reads', 'dispatch add(p, p, q) grid(1)'],
      ['in place', 'dispatch twice(p, 4) grid(1)'],
    ],
    command,
  );
});

test('a workspace is written before it is read, and ends at a part unless it stays', () => {
  const fill = 'dispatch copy(p, w, 8) grid(1)\n';
  const use = 'dispatch copy(w, q, 8) grid(1)\n';
  checkRejects(
    [
      [
        'read first',
        `workspace w : f32[8]\n${use}`,
        /read before it is written[\s\S]*workspace zero w/,
      ],
      [
        'inout first',
        'workspace w : f32[8]\ndispatch twice(w, 8) grid(1)',
        /read before it is written/,
      ],
      [
        'half written',
        `workspace w : f32[8]\ndispatch copy(p, w.slice(0, 4), 4) grid(1)\n${use}`,
        /read before it is written/,
      ],
      [
        'after a part',
        `workspace w : f32[8]\n${fill}part\n${use}`,
        /read after a `part`[\s\S]*workspace invocation w/,
      ],
    ],
    command,
  );
  checkAccepts(
    [
      ['zero', `workspace zero w : f32[8]\n${use}`],
      [
        'in two pieces',
        `workspace w : f32[8]\ndispatch copy(p, w.slice(4, 4), 4) grid(1)\ndispatch copy(p, w.slice(0, 4), 4) grid(1)\n${use}`,
      ],
      ['over a part', `workspace invocation w : f32[8]\n${fill}part\n${use}`],
    ],
    command,
  );
});

test('grids and limits', () => {
  checkRejects(
    [
      ['too large', 'dispatch copy(p, q, 8) grid(65536)', /extent of 65536; the limit is 65535/],
      ['negative', 'dispatch copy(p, q, 8) grid(0 - 1)', /extent of -1/],
      ['too many arguments', 'dispatch copy(p, q) grid(1)', /takes 3 arguments, got 2/],
      ['no kernel', 'dispatch Head(p, q) grid(1)', /is a layout, not a kernel/],
      [
        'an unknown kernel',
        'dispatch kopy(p, q, 8) grid(1)',
        /'kopy' is not defined[\s\S]*did you mean 'copy'/,
      ],
      ['kernel statements', 'once { }', /stand in kernels only/],
    ],
    command,
  );
  const long =
    'command.def main(p: root, q: root) { dispatch copy(p.view<f32>(0, 67108864), q, 8) grid(1) }';
  const small = stageOf(kernels + long, 'main', { target: { binding_bytes: 2 ** 27 } });
  assert.match(
    small.diagnostics[0]?.message ?? '',
    /binds 268435456 bytes; the limit is 134217728 \(target.binding_bytes\)/,
  );
  assert.equal(small.factsRead, ['binding_bytes']);
  assert.is(stageOf(kernels + long, 'main').diagnostics.length, 0);
  const views = Array.from({ length: 9 }, (_, index) => `v${index}: in view<f32>`).join(', ');
  const nine = `kernel.def k(${views}) workgroup(1) { }\ncommand.def main(p: root) { dispatch k(${Array(9).fill('p').join(', ')}) grid(1) }`;
  assert.match(
    stageOf(nine, 'main', { target: { views: 8 } }).diagnostics[0]?.message ?? '',
    /9 views; the limit is 8/,
  );
});

test('reflection: access, least bytes, what is uploaded by the host', () => {
  const program = stageProgram(
    `${kernels}command.def main(p: root, q: root, r: root, s: root) {
  let n = word(p, 28)
  workspace w : f32x4[4]
  dispatch copy(p.view<f32>(16, 2), w.as<f32>(), n) grid(n)
  dispatch copy(w.as<f32>(), q.view<f32>(32, 8), n) grid(n)
  dispatch twice(r.view<f32>(0, 4), n) grid(n)
}`,
  );
  assert.equal(program.roots, [
    { name: 'p', access: 'in', hosted: true, bytesMin: 32 },
    { name: 'q', access: 'out', hosted: false, bytesMin: 64 },
    { name: 'r', access: 'inout', hosted: false, bytesMin: 16 },
    { name: 's', access: 'none', hosted: false, bytesMin: 0 },
  ]);
  assert.equal(program.workspaces, [{ name: 'w', bytes: 64, zero: false, lifetime: 'command' }]);
  assert.equal(
    program.kernels.map((entry) => entry.key),
    ['copy', 'twice'],
    'kernels are interned',
  );
});

test('banks flatten to paths in binding order; loops and conditions are constant', () => {
  const text = `${kernels}config.decl layers : i64 = 2
bank.def Layer { norm: f32[8], mix: f16x4[layers * 2] }
bank.def Model { embed: f32x4[2], layer: Layer[layers], last: Layer }
command.def main(p: root, q: root, w: param Model) {
  workspace x : f32[8]
  dispatch copy(p, x, 8) grid(1)
  for l in 0..layers {
    if l > 0 { dispatch twice(x, 8) grid(1) }
    dispatch add(w.layer[l].norm, w.last.norm, q) grid(1)
  }
  dispatch copy(w.embed.as<f32>(), x, 8) grid(1)
}`;
  const program = stageProgram(text);
  const names = [
    'embed',
    'layer[0].norm',
    'layer[0].mix',
    'layer[1].norm',
    'layer[1].mix',
    'last.norm',
    'last.mix',
  ];
  assert.equal(
    program.banks[0]?.fields.map((field) => field.name),
    names,
  );
  assert.equal(
    program.banks[0]?.fields.map((field) => field.bytes),
    [32, 32, 32, 32, 32, 32, 32],
  );
  const bases = program.steps.flatMap((step) => (step.op === 'dispatch' ? [step.args[0]] : []));
  const fields = bases.flatMap((arg) =>
    arg !== undefined && 'base' in arg && arg.base.kind === 'bank' ? [arg.base.field] : [],
  );
  assert.equal(fields, [1, 3, 0]);
  assert.is(program.steps.length, 5);
  checkRejects([
    ['written', text.replace('twice(x, 8)', 'twice(w.last.norm, 8)'), /banks are read-only/],
    ['beyond', text.replace('w.layer[l].norm', 'w.layer[2].norm'), /it must be 0 to 1/],
    ['unknown', text.replace('w.last.norm', 'w.last.nrm'), /has no field 'nrm'/],
    ['host types', 'bank.def B { a: i64[4] }', /a bank field holds storage elements/],
  ]);
});

test('parts and indirect grids', () => {
  const program = stageProgram(
    command(
      'dispatch copy(p, q, 8) grid indirect(p.view<u32>(64, 6), 1)\npart\ndispatch twice(q, 8) grid(1, 2, 3)',
    ),
  );
  assert.equal(
    program.steps.map((step) => step.op),
    ['dispatch', 'part', 'dispatch'],
  );
  const [first] = program.steps;
  const grid = first?.op === 'dispatch' ? first.grid : null;
  assert.equal(grid, {
    kind: 'indirect',
    range: { base: { kind: 'root', index: 0 }, offset: 64, length: 24 },
    index: 1,
  });
  assert.match(
    problemText(command('dispatch copy(p, q, 8) grid indirect(p.view<u32>(64, 3), 1)')),
    /lies outside/,
  );
});

test('a kernel by itself is a direct stage with its own grid', () => {
  const text = 'kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(4) grid(2, 1 + 2) { }';
  const program = stageProgram(text, 'k');
  assert.equal(
    program.roots.map((root) => [root.name, root.access]),
    [
      ['x', 'in'],
      ['y', 'out'],
    ],
  );
  const [step] = program.steps;
  const extents = step?.op === 'dispatch' && step.grid.kind === 'direct' ? step.grid.extents : [];
  assert.equal(
    extents.map((extent) => (extent.op === 'const' ? extent.value : null)),
    [2, 3],
  );
  const reject = (source: string): string =>
    stageOf(source, 'k')
      .diagnostics.map((entry) => entry.message)
      .join();
  assert.match(reject(text.replace(' grid(2, 1 + 2)', '')), /no grid of its own/);
  assert.match(
    reject(text.replace('y: out view<f32>', 'y: out view<f32>, n: i32')),
    /cannot give the scalar 'n'/,
  );
  assert.match(stageOf(text, 'nobody').diagnostics[0]?.message ?? '', /'nobody' is not defined/);
});

test('template arguments: written, inferred from views, given in the text of a symbol', () => {
  const text = `template.def <E: f32 | f32x4, N: i64>
kernel.def fill(y: out view<E>, x: in view<E>) workgroup(4) { parallel i in 0..N { y[i] = x[i] * 2.0 } }
template.def <N: i64>
command.def run(p: root, q: root) {
  workspace w : f32x4[N]
  dispatch fill<f32x4, N>(w, p.view<f32x4>(0, N)) grid(1)
  dispatch fill<f32, N * 4>(q, w.as<f32>()) grid(1)
}
command.def main(p: root, q: root) { dispatch fill<f32, 4>(q, p) grid(1) }`;
  const catalog = catalogOf(text);
  assert.is(catalog.diagnostics.length, 0);
  const q = new Uint8Array(16);
  runStage(text, [floats(1, 2, 3, 4), q]);
  assert.equal(asFloats(q), [2, 4, 6, 8]);
  checkRejects([
    [
      'a type that is not allowed',
      text.replace('fill<f32, 4>', 'fill<i32, 4>'),
      /E must be f32 or f32x4, got i32/,
    ],
    [
      'too many',
      text.replace('fill<f32, 4>', 'fill<f32, 4, 5>'),
      /takes 2 template arguments, got 3/,
    ],
    [
      'not inferable',
      text.replace('fill<f32, 4>', 'fill<f32>'),
      /argument N of 'fill' is not given/,
    ],
  ]);
});

test('words reach kernels as the host uploaded them', () => {
  const text = `${kernels}command.def main(p: root, q: root) { let n = word(p, 0)\ndispatch copy(p.view<f32>(16, 4), q, n) grid(n - 1) }`;
  const q = floats(9, 9, 9, 9);
  const p = new Uint8Array([...integers(2, 0, 0, 0), ...floats(1, 2, 3, 4)]);
  runStage(text, [p, q]);
  assert.equal(asFloats(q).slice(0, 2), [1, 2]);
});

test.run();
