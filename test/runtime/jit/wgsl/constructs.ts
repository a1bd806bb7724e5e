/**
 * A small kernel for each construct of device code, with a command program that launches it once.
 * The golden sources and the runs on an adapter both walk this list.
 */
import { Catalog } from '../../../../runtime/loom/elaborate/catalog.js';
import { defaultTarget } from '../../../../runtime/loom/elaborate/configuration.js';
import { elaborateStage } from '../../../../runtime/loom/elaborate/elaborate.js';
import { readModule } from '../../../../runtime/loom/syntax/read-module.js';
import type { CommandProgram } from '../../../../runtime/loom/typed.js';
import type { WgslTarget } from '../../../../runtime/jit/wgsl/wgsl-program.js';

export interface Construct {
  readonly kernels: string;
  /** What the device is besides portable. */
  readonly target?: Partial<WgslTarget>;
  /** Arguments and grid of the dispatch; roots are a, b (in), y, z (written). */
  readonly dispatch: string;
  readonly before?: string;
}

/** Bytes of every root. */
export const ROOT_BYTES = 1024;
const floats = 'a.view<f32>(0, 64)';
const out = 'y.view<f32>(0, 64)';

export const constructs: Readonly<Record<string, Construct>> = {
  'exact-region': {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(16) {
  parallel i in 0..16 { y[workgroup.x * 16 + i] = x[workgroup.x * 16 + i] * 2.0 } }`,
    dispatch: `k(${floats}, ${out}) grid(4)`,
  },
  'strided-region': {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>, n: i32) workgroup(8) {
  parallel i in 3..n { y[i] = x[i] + f32(i) }
  once { y[0] = 7.0 } }`,
    dispatch: `k(${floats}, ${out}, 61) grid(1)`,
  },
  barriers: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>, z: inout view<f32>) workgroup(16) {
  shared s : f32[16]
  shared own : f32[16]
  parallel i in 0..16 { s[i] = x[i]; own[i] = 1.0; z[i] = z[i] + 1.0 }
  for round in 0..3 {
    parallel i in 0..16 { own[15 - i] = own[15 - i] + s[(i + 1) % 16] }
    parallel i in 0..16 { s[i] = s[i] * 0.5 + z[15 - i] } }
  parallel i in 0..16 { y[i] = s[15 - i] + own[i] } }`,
    dispatch: `k(${floats}, ${out}, z.view<f32>(0, 16)) grid(1)`,
  },
  'uniform-control': {
    kernels: `kernel.def k(x: in view<i32>, y: out view<i32>) workgroup(4) {
  shared s : i32[4]
  let n = x[workgroup.x] & 3
  if n == 3 { return }
  for r in 0..n {
    parallel i in 0..4 { s[i] = s[(i + 0)] + x[i + r] & 7 }
    if s[1] > 2 { break } }
  parallel i in 0..4 { y[workgroup.x * 4 + i] = s[3 - i] + n } }`,
    dispatch: 'k(b.view<i32>(0, 64), y.view<i32>(0, 64)) grid(8)',
  },
  reductions: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(8) {
  shared s : f32[21]
  shared v : f32x4[8]
  parallel i in 0..21 { s[i] = x[i] }
  parallel i in 0..8 { v[i] = vec4(x, i * 4) }
  let sum = s.reduce_add()
  let part = s.slice<5>(3).reduce_max()
  let least = s.reduce_min()
  let all = v.reduce_add()
  let order = s.sum_in_order()
  once { y[0] = sum; y[1] = part; y[2] = least; y[3] = all.sum(); y[4] = order } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  argmax: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(8) {
  shared v : f32[12]
  shared id : i32[12]
  parallel i in 0..12 { v[i] = floor(x[i] * 0.1); id[i] = 40 - i }
  let best = reduce_argmax(v, id)
  once { y[0] = best.value; y[1] = f32(best.index) } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  'private-state': {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(8) {
  private acc : f32[2]
  for r in 0..4 { parallel i in 0..8 { acc[0] = acc[0] + x[r * 8 + i]; acc[1] = max(acc[1], x[r * 8 + i]) } }
  parallel i in 0..8 { y[i] = acc[0]; y[8 + i] = acc[1] } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  integers: {
    kernels: `kernel.def k(x: in view<i32>, y: out view<i32>, z: out view<u32>) workgroup(8) {
  parallel i in 0..8 {
    let a = x[i]
    let c = x[i + 8]
    y[i] = a * c + (a << c) - (c >> a)
    y[i + 8] = a / (c & 3) + a % (c & 3)
    y[i + 16] = a / 7 + min(a, c) * max(a, -5) + abs(a)
    z[i] = mul_hi(u32(a), u32(c)) ^ clz(u32(a)) ^ (popcount(u32(c)) << 7u)
    z[i + 8] = u32(a) / (u32(c) & 3u) + u32(c) % 10u } }`,
    dispatch: 'k(b.view<i32>(0, 64), y.view<i32>(0, 64), z.view<u32>(0, 64)) grid(1)',
  },
  floats: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>, z: out view<u32>) workgroup(8) {
  parallel i in 0..8 {
    let a = x[i]
    let c = x[i + 8]
    y[i] = a / c + sqrt(abs(c))
    y[i + 8] = round(a * 0.5) + floor(c) - ceil(a) + trunc(c)
    y[i + 16] = min(a, c) + max(a, 0.5) + mad(a, c, 1.0)
    y[i + 24] = select(a > c, a, c) + f32_from_bits(bits(c) & 0xff800000u)
    z[i] = u32(i32(a * 1e9)) + u32(a * 1e8)
    z[i + 8] = select(is_nan(a) || a != c, 1u, 2u) } }`,
    dispatch: `k(${floats}, ${out}, z.view<u32>(0, 64)) grid(1)`,
  },
  vectors: {
    kernels: `kernel.def k(x: in view<f32x4>, y: out view<f32x4>, z: out view<f32>) workgroup(4) {
  parallel i in 0..4 {
    let a = x[i]
    let c = x[i + 4]
    y[i] = a * c + f32x4(2.0) - f32x4(a.w, c.z, a.y, c.x)
    y[i + 4] = min(a, c) + f32x4(i32x4(c))
    z[i] = dot(a, c) + a.sum() + a.max_lane() - c.min_lane() + a[i] } }`,
    dispatch: 'k(a.view<f32x4>(0, 16), y.view<f32x4>(0, 16), z.view<f32>(0, 64)) grid(1)',
  },
  'register-arrays': {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(8) {
  parallel lane in 0..8 {
    var acc : f32[3]
    for k in 0..5 { for r in 0..3 unroll { acc[r] = acc[r] + x[lane + k * 3 + r] } }
    for r in 0..3 unroll { y[lane * 3 + r] = acc[r] } } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  halves: {
    kernels: `kernel.def k(h: in view<f16x4>, g: in view<f16>, p: in view<bf16x2>, y: out view<f32x4>, z: out view<f16x4>, w: out view<bf16x2>) workgroup(4) {
  parallel i in 0..4 {
    let v = h[i] * 0.125
    y[i] = v + f32x4(g[i + 1]) + f32x4(p[i].x, p[i].y, 0.0, 1.0)
    z[i] = v
    w[i] = f32x2(v.x * 3.0, v.y) } }`,
    dispatch:
      'k(b.view<f16x4>(512, 8), b.view<f16>(640, 16), b.view<bf16x2>(768, 8), y.view<f32x4>(0, 8), z.view<f16x4>(0, 4), z.view<bf16x2>(512, 4)) grid(1)',
  },
  bytes: {
    kernels: `kernel.def k(p: in view<i8x4>, u: in view<u8>, s: in view<i8>, y: out view<i32x4>, z: out view<i8x4>, w: out view<u8x4>) workgroup(4) {
  parallel i in 0..4 {
    y[i] = i32x4(p[i]) + i32x4(i32(u[i + 1]), i32(s[i]), 0, 1)
    z[i] = i8x4(f32x4(i32x4(p[i])) * 1.7)
    w[i] = u8x4(i32x4(p[i + 4]) * 3) } }`,
    dispatch:
      'k(b.view<i8x4>(0, 16), b.view<u8>(256, 16), b.view<i8>(512, 16), y.view<i32x4>(0, 8), z.view<i8x4>(0, 4), z.view<u8x4>(512, 4)) grid(1)',
  },
  'byte-dots': {
    kernels: `kernel.def k(p: in view<i8x16>, y: out view<i32x4>, z: out view<i32>) workgroup(4) {
  parallel i in 0..4 {
    var total = i32x4(0)
    for k in 0..3 { total = dot(p[i + k], p[i + 8], total) }
    z[i] = total.sum()
    y[i] = dot(p[i], p[i + 5], i32x4(1, 2, 3, 4)) ^ i32x4(bits(p[i + 1])) } }`,
    dispatch: 'k(b.view<i8x16>(0, 16), y.view<i32x4>(0, 8), z.view<i32>(0, 8)) grid(1)',
  },
  'broadcast-loads': {
    kernels: `kernel.def k(x: in view<f32>, w: in view<f32x4>, y: out view<f32x4>, rows: i32) workgroup(8) {
  let first = workgroup.x * 3
  parallel lane in 0..8 {
    var acc : f32x4[3]
    for k in 0..rows { let a = x.take<3>(first * 8 + k, 8)
      for r in 0..3 unroll { acc[r] = mad(f32x4(a[r]), w[k], acc[r]) } }
    for r in 0..3 unroll { y[(first + r) * 8 + lane] = acc[r] * f32(lane) }
    if lane < 5 { let t = x.take<2>(first, 1)
      y[lane + 60] = f32x4(t[0] + t[1]) } } }`,
    dispatch: 'k(a.view<f32>(0, 60), a.view<f32x4>(256, 16), y.view<f32x4>(0, 64), 7) grid(2)',
  },
  'broadcast-words': {
    kernels: `kernel.def k(x: in view<f32x4>, q: in view<i8x16>, w: in view<i8x16>, y: out view<f32x4>, rows: i32) workgroup(8) {
  let first = workgroup.x * 2
  parallel lane in 0..8 {
    var acc = i32x4(0)
    for k in 0..rows { let a = q.take<1>(first + k, 1)
      acc = dot(w[lane], a[0], acc) }
    let two = x.take<2>(first, 5)
    let far = x.take<1>(first + 15, 1)
    y[workgroup.x * 8 + lane] = f32x4(acc) * two[0] + two[1] - far[0] } }`,
    dispatch:
      'k(a.view<f32x4>(0, 16), b.view<i8x16>(0, 16), b.view<i8x16>(0, 16), y.view<f32x4>(0, 16), 9) grid(2)',
  },
  'store-runs': {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>, n: i32) workgroup(4) {
  shared s : f32[40]
  shared t : f32[30]
  shared few : f32[8]
  parallel lane in 0..4 {
    var v : f32[10]
    for i in 0..10 unroll { v[i] = x[i * 4 + lane] }
    for i in 0..10 unroll { s[i * 4 + lane] = v[i] }
    let at = lane + n
    for i in 0..10 unroll { t[i * 4 + at] = v[9 - i] }
    for i in 0..2 unroll { few[i * 4 + lane] = v[i] } }
  parallel i in 0..40 { y[i] = s[39 - i] + t[i] * few[i % 8] } }`,
    dispatch: `k(${floats}, ${out}, -5) grid(1)`,
    target: { software: true },
  },
  tiles: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>, n: i32) workgroup(8) {
  let whole = x.tile<4>(n)
  parallel i in 0..8 {
    let mine = x.tile<4>(i * 9)
    let some = x.slice(i, n)
    let t = x.take<3>(n + 3, 2)
    var s = whole[1] + mine[2] + t[0] + t[2]
    for k in 0..some.len() { s = s + some[k] }
    y[i] = s } }`,
    dispatch: `k(${floats}, ${out}, 5) grid(1)`,
  },
  neighbours: {
    kernels: `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(4) {
  shared s : f32[18]
  parallel i in 0..4 { put4(s, i * 4 + 1, vec4(x, i * 3 + 60 * (i / 3))) }
  parallel i in 0..4 { put4(y, i * 5, vec4(s, i * 4 + 1) * 2.0) } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  accumulation: {
    kernels: `kernel.def k(x: in view<i32>, h: acc view<u32>, y: out view<i32>) workgroup(8) {
  shared s : i32[4]
  parallel i in 0..32 { h.add(x[i] & 7, u32(i)); s.max(x[i] & 3, i) }
  parallel i in 0..4 { y[i] = s[i] } }`,
    dispatch: 'k(b.view<i32>(0, 64), z.view<u32>(0, 8), y.view<i32>(0, 8)) grid(3)',
  },
  layouts: {
    kernels: `layout.def Row { id: i64, span: i32, scale: f32, at: i32[3] }
kernel.def k(rows: in view<Row>, y: out view<f32>) workgroup(4) {
  let first = rows[0]
  parallel i in 0..4 {
    let row = rows[i]
    y[i] = f32(row.id.x & 15) + f32(row.span & 255) + f32(row.at[i] & 7) + f32(first.span & 3) } }`,
    dispatch: `k(b.view<Row>(0, 8), ${out}) grid(1)`,
  },
  'one-binding': {
    kernels: `kernel.def move(x: in view<i32>, y: out view<i32>) workgroup(8) {
  parallel i in 0..32 { y[i] = x[i] | 0x40000000 } }
kernel.def k(x: in view<f32x4>, u: in view<i32>, y: out view<f32>, v: out view<i32x2>) workgroup(8) {
  parallel i in 0..8 {
    y[i] = x[i / 4].w + x[i % 4].x
    v[i] = i32x2(u[i], i) } }`,
    before: `dispatch move(b.view<i32>(0, 32), z.view<i32>(0, 32)) grid(1)`,
    dispatch:
      'k(z.view<f32x4>(0, 4), z.view<i32>(64, 8), z.view<f32>(128, 8), z.view<i32x2>(192, 8)) grid(1)',
  },
  functions: {
    kernels: `func.def first(x: in view<f32>, from: i32, limit: f32) -> f32 {
  for i in from..from + 8 { if x[i] > limit { return x[i] } }
  return limit
}
func.def sign(v: f32) -> f32 {
  if v < 0.0 { return -1.0 }
  return 1.0
}
kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(8) {
  parallel i in 0..8 { y[i] = first(x, i, 20.0) * sign(x[i])
    if x[i] > 0.0 && first(x, i + 8, 5.0) > 9.0 { y[i + 8] = 1.0 } } }`,
    dispatch: `k(${floats}, ${out}) grid(1)`,
  },
  'words-and-workspaces': {
    kernels: `kernel.def twice(x: in view<f32>, y: out view<f32>, n: i32, s: f32) workgroup(8) {
  parallel i in 0..n { y[i] = x[i] * s } }
kernel.def both(x: in view<f32>, w: in view<f32>, y: out view<f32>) workgroup(8) {
  parallel i in 0..8 { y[i] = x[i] + w[i] } }`,
    before: `workspace w : f32[64]
  dispatch twice(${floats}, w, word(b, 0), 3.0) grid(1)`,
    dispatch: `both(w.slice(0, 8), w.slice(4, 8), ${out}) grid(1)`,
  },
};

export function programOf(name: string): CommandProgram {
  const { kernels, dispatch, before } = constructs[name]!;
  const text = `library constructs
${kernels}
command.def export run(a: root, b: root, y: root, z: root) {
  ${before ?? ''}
  dispatch ${dispatch}
}
`;
  const { module, diagnostics } = readModule(`${name}.loom`, new TextEncoder().encode(text));
  if (diagnostics.length > 0) throw new Error(`${name}: ${JSON.stringify(diagnostics)}`);
  const catalog = new Catalog([{ file: `${name}.loom`, module, source: text }]);
  const stage = elaborateStage(
    catalog,
    { name: 'constructs.run', args: [] },
    { target: defaultTarget, bindings: new Map() },
  );
  if (!stage.program) throw new Error(`${name}: ${JSON.stringify(stage.diagnostics)}`);
  return stage.program;
}

/** Roots: floats between -40 and 40, words and bytes of all kinds, two to write. */
export function rootsOf(): Uint8Array[] {
  let state = 11;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  const a = Float32Array.from({ length: ROOT_BYTES / 4 }, () => (next() % 2560) / 32 - 40);
  // Finite halves and small words too: exponents of all ones are not for devices to agree on.
  const b = Uint32Array.from({ length: ROOT_BYTES / 4 }, (_, i) =>
    i < 16 ? next() % 97 : i < 128 ? next() : next() & 0x3fff3fff,
  );
  const written = () => new Uint8Array(ROOT_BYTES);
  return [new Uint8Array(a.buffer), new Uint8Array(b.buffer), written(), written()];
}
