/** Kernels: levels, places, state and limits, as tables of what is accepted and rejected. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  asFloats,
  asIntegers,
  checkAccepts,
  checkRejects,
  floats,
  integers,
  kernel,
  problemText,
  runStage,
  stageProgram,
} from './programs.js';

test('kernel level is uniform: what it may read and write', () => {
  checkAccepts(
    [
      [
        'in views, lengths, scalars',
        'let a = x[rows] * eps\nif x.len > 4 { return }\nfor i in 0..rows { let z = x[i] }',
      ],
      [
        'reductions in loops',
        'shared p : f32[64]\nvar m = 0.0\nfor i in 0..rows { parallel l in 0..64 { p[l] = x[l] }\nm += p.reduce_add() }\nonce { y[0] = m }',
      ],
      ['a carried variable in a region', 'var m = 1.0\nparallel l in 0..64 { y[l] = m }'],
      ['early return', 'if rows < 4 { return }\nonce { y[0] = 1.0 }'],
    ],
    kernel,
  );
  checkRejects(
    [
      [
        'inout views',
        'let a = s[0]',
        /`inout` view cannot be read at kernel level[\s\S]*`parallel` or `once`/,
      ],
      ['out views', 'once { let a = y[0] }', /`out` view cannot be read[\s\S]*inout/],
      ['acc views', 'once { let a = c[0] }', /`acc` view cannot be read/],
      ['stores', 'y[0] = 1.0', /written in regions only[\s\S]*once/],
      ['shared stores', 'shared a : f32[4]\na[0] = 1.0', /written in regions only/],
      [
        'a kernel-level variable',
        'var m = 0.0\nparallel l in 0..64 { m = 1.0 }',
        /cannot be assigned inside a region[\s\S]*kernel level/,
      ],
      ['return in a region', 'once { return }', /`return` is for kernel level[\s\S]*use `if`/],
      ['nested regions', 'once { parallel l in 0..4 { } }', /regions do not nest/],
      ['a loop around a region', 'for i in 0..4 { once { break } }', /outside of a loop/],
      [
        'reductions in regions',
        'shared a : f32[4]\nonce { let m = a.reduce_add() }',
        /kernel-level operation/,
      ],
      ['while', 'while rows > 0 { }', /`while` exists on the host only/],
      [
        'a region variable later',
        'parallel l in 0..64 { let a = 1.0 }\nonce { y[0] = a }',
        /'a' is not defined/,
      ],
    ],
    kernel,
  );
});

test('views: access, elements and ranges', () => {
  checkAccepts(
    [
      ['tiles', 'let t = x.tile<4>(rows)\nparallel l in 0..64 { y[l] = t[l] }'],
      ['slices', 'let t = x.slice(rows, 8)\nonce { for i in 0..t.len { y[i] = t[i] } }'],
      [
        'take',
        'parallel l in 0..64 { for k in 0..rows { let a = x.take<4>(k, 2)\ny[l] = a[0] + a[3] } }',
      ],
      [
        'neighbours',
        'once { let a = x.vec4(1)\nlet b = vec4(x, 2) + a\ns.put4(0, b)\nput4(s, 4, b) }',
      ],
      ['accumulation', 'parallel l in 0..rows { c.add(l, 1)\nc.max(0, u32(l)) }'],
      ['compound stores', 'parallel l in 0..64 { s[l] += x[l]\ns[l] *= 2 }'],
      ['vector and scalar', 'once { y[0] = (v[0] * eps + 1).sum() }'],
      ['dynamic components', 'parallel l in 0..4 { y[l] = v[0][l] }'],
    ],
    kernel,
  );
  checkRejects(
    [
      ['in views', 'once { x[0] = 1.0 }', /`in` view cannot be written/],
      ['compound stores to out', 'once { y[0] += 1.0 }', /declare it `inout`/],
      ['plain stores to acc', 'once { c[0] = 1u }', /use \.add/],
      ['adding to inout', 'once { s.add(0, 1.0) }', /needs an `acc` view/],
      ['adding at kernel level', 'c.add(0, 1)', /regions only/],
      ['a result of add', 'once { let a = c.add(0, 1) }', /gives no value/],
      ['a real index', 'let a = x[eps]', /index: expected i32, got f32/],
      [
        'unequal addresses',
        'parallel l in 0..64 { let a = x.take<4>(l, 1) }',
        /equal for all lanes/,
      ],
      ['a dynamic tile', 'let t = x.tile<rows>(0)', /constant integer/],
      ['a huge tile', 'let t = x.tile<1000000>(0)', /it must be 1 to 262144/],
      ['vec4 of vectors', 'once { let a = v.vec4(0) }', /32-bit scalars/],
      ['another type', 'once { y[0] = v[0] }', /a store: expected f32, got f32x4/],
    ],
    kernel,
  );
  checkRejects([
    [
      'small elements',
      'kernel.def k(y: out view<f16>) workgroup(1) { }',
      /read-only[\s\S]*whole words/,
    ],
    ['no access', 'kernel.def k(y: view<f32>) workgroup(1) { }', /needs an access/],
    ['i64 scalars', 'kernel.def k(n: i64) workgroup(1) { }', /cannot take 'n'/],
    ['real accumulators', 'kernel.def k(a: acc view<f32>) workgroup(1) { }', /holds i32 or u32/],
    ['i64 elements', 'kernel.def k(a: in view<i64>) workgroup(1) { }', /not a storage element/],
    ['odd workgroups', 'kernel.def k(a: in view<f32>) workgroup(48) { }', /not a power of two/],
    ['large workgroups', 'kernel.def k(a: in view<f32>) workgroup(512) { }', /1 to 256/],
  ]);
});

test('register arrays have constant indices; dynamic ones belong to shared', () => {
  checkAccepts(
    [
      [
        'unrolled',
        'parallel l in 0..64 { var a : f32[4]\nfor i in 0..4 unroll { a[i] = x[i] }\nlet b = a\na[0] = 0.0\ny[l] = a[3] + b[0] }',
      ],
      ['values', 'let a = f32[2](1.0, eps)\nonce { y[0] = a[1] }'],
      [
        'private',
        'private p : f32x4[2]\nparallel l in 0..64 { p[0] += v[l] }\nparallel l in 0..64 { y[l] = p[0].x }',
      ],
    ],
    kernel,
  );
  checkRejects(
    [
      [
        'dynamic',
        'once { var a : f32[4]\nlet b = a[rows] }',
        /must be constant[\s\S]*use `shared`/,
      ],
      ['dynamic stores', 'once { var a : f32[4]\na[rows] = 1.0 }', /must be constant/],
      ['beyond', 'once { var a : f32[4]\na[4] = 1.0 }', /it must be 0 to 3/],
      ['too many', 'once { var a : f32[65] }', /the limit is 64/],
      [
        'private in a strided region',
        'private p : f32[2]\nparallel l in 0..rows { p[0] = 1.0 }',
        /exact regions/,
      ],
      ['private at kernel level', 'private p : f32[2]\nlet a = p[0]', /exact regions/],
      ['unroll too far', 'once { for i in 0..65 unroll { } }', /65 rounds; the limit is 64/],
      [
        'unroll over values',
        'once { for i in 0..rows unroll { } }',
        /bound of `unroll` must be a constant/,
      ],
    ],
    kernel,
  );
});

test('shared state is declared at the top, within the limit', () => {
  checkRejects(
    [
      ['too much', 'shared a : f32x4[1025]', /16400 bytes; the limit is 16384/],
      ['in a loop', 'for i in 0..4 { shared a : f32[4] }', /top of the kernel/],
      ['under a condition', 'if rows > 3 { shared a : f32[4] }', /top of the kernel/],
      ['in a region', 'once { shared a : f32[4] }', /declared at kernel level/],
      ['no array', 'shared a : f32', /needs an array/],
      ['host types', 'shared a : i64[4]', /needs an array, got i64\[4\]/],
      ['dynamic sizes', 'shared a : f32[rows]', /constant/],
    ],
    kernel,
  );
  assert.is(problemText(kernel('shared a : f32x4[1024]')), '');
  // A constant decides: what is not chosen takes nothing.
  const either = 'if target.simt { shared a : f32x4[1024] } else { shared b : f32x4[1024] }';
  assert.is(problemText(kernel(either)), '');
});

test('devices have no i64, f64, text or records', () => {
  checkRejects(
    [
      ['i64', 'let a = i64(rows)\nvar b = a\n', /i64/],
      ['text', 'let a = "x"\nvar b = a', /string does not exist on devices/],
      ['lists', 'let a = list<i64>()', /exists on the host only/],
      ['buffers', 'let a = buffer.new(4)', /'buffer.new' is for the host only/],
    ],
    kernel,
  );
});

test('exact and strided regions are told apart', () => {
  const regions = (body: string): boolean[] => {
    const text = `${kernel(body)}\ncommand.def main(x: root, y: root, s: root, c: root, v: root) { dispatch k(x, y, s, c, v, 1, 1.0) grid(1) }`;
    const [made] = stageProgram(text).kernels;
    return (made?.body.stmts ?? []).flatMap((stmt) => (stmt.op === 'parallel' ? [stmt.exact] : []));
  };
  assert.equal(
    regions(
      'parallel l in 0..64 { }\nparallel l in 0..65 { }\nparallel l in 0..rows { }\nparallel l in 1..64 { }\nonce { }',
    ),
    [true, false, false, false, false],
  );
});

test('inlined functions: views, arrays, several returns, tuples', () => {
  const text = `func.def clamp(x: f32) -> f32 { if x < 0.0 { return 0.0 }\nif x > 1.0 { return 1.0 }\nreturn x }
func.def both(v: in view<f32>, i: i32) -> (f32, f32) { return (v[i], v[i + 1]) }
template.def <N: i64>
func.def total(a: f32[N]) -> f32 { var s = 0.0\nfor i in 0..N unroll { if i == 2 { continue }\ns += a[i] }\nreturn s }
kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(4) {
  parallel l in 0..4 {
    let (a, b) = both(x, l)
    y[l] = clamp(a) + 10.0 * b + 100.0 * total(f32[4](1.0, 2.0, 3.0, 4.0))
  }
}
command.def main(x: root, y: root) { dispatch k(x, y) grid(1) }`;
  const y = new Uint8Array(16);
  runStage(text, [floats(-5, 0.5, 2, 3, 4), y]);
  assert.equal(asFloats(y), [0 + 5 + 700, 0.5 + 20 + 700, 1 + 30 + 700, 1 + 40 + 700]);
});

test('layout elements: fields by name, arrays by index, i64 as two words', () => {
  const text = `layout.def R { id: i32, tail: f32[3], big: i64 }
kernel.def k(r: in view<R>, w: inout view<R>, y: out view<i32>) workgroup(4) {
  let me = r[1]
  parallel i in 0..3 { w[0].tail[i] = me.tail[i] + 1.0 }
  once { w[0].id = me.id * 2\nlet b = me.big\ny[0] = b.x\ny[1] = b.y\ny[2] = w[0].id }
}
command.def main(r: root, w: root, y: root) { dispatch k(r, w, y) grid(1) }`;
  const record = (id: number, tail: number[], big: bigint): Uint8Array => {
    const bytes = new DataView(new ArrayBuffer(24));
    bytes.setInt32(0, id, true);
    tail.forEach((value, index) => bytes.setFloat32(4 + 4 * index, value, true));
    bytes.setBigInt64(16, big, true);
    return new Uint8Array(bytes.buffer);
  };
  const r = new Uint8Array([
    ...record(1, [0, 0, 0], 0n),
    ...record(21, [1, 2, 3], 5n + (7n << 32n)),
  ]);
  const w = new Uint8Array(24);
  const y = new Uint8Array(12);
  runStage(text, [r, w, y]);
  assert.equal(asIntegers(y), [5, 7, 42]);
  assert.equal(asFloats(w).slice(1, 4), [2, 3, 4]);
  checkRejects([['another field', text.replace('me.id', 'me.ID'), /has no field 'ID'/]]);
});

test('a reduction keeps its value although a later region overwrites the array', () => {
  const text = `kernel.def k(y: out view<i32>) workgroup(4) {
  shared a : i32[4]
  shared ids : i32[4]
  parallel l in 0..4 { a[l] = l + 1\nids[l] = 10 - l }
  let sum = a.reduce_add()
  let top = reduce_argmax(a, ids)
  parallel l in 0..4 { a[l] = 0 }
  once { y[0] = sum\ny[1] = top.value\ny[2] = top.index\ny[3] = a.sum_in_order() + a.slice<2>(0).sum_in_order() }
}
command.def main(y: root) { dispatch k(y) grid(1) }`;
  const y = integers(0, 0, 0, 9);
  runStage(text, [y]);
  assert.equal(asIntegers(y), [10, 4, 7, 0]);
});

test('hints tell where a template instance was asked for', () => {
  const text = `template.def <N: i64>
kernel.def k(x: in view<f32>) workgroup(4) { once { var a : f32[N]\nlet b = a[8] } }
command.def main(x: root) { dispatch k<4>(x) grid(1) }`;
  assert.match(problemText(text), /it must be 0 to 3[\s\S]*in k<4>, used here/);
});

test.run();
