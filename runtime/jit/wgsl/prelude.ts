/**
 * Functions that WGSL lacks, written out once in a shader that calls them: division that gives 0,
 * saturating conversions, comparisons that pick as the language says, 16-bit floats with their
 * rounding, byte dots. Each exists for the shapes that occur.
 */
import { nameOf, splat, stemOf, zeroOf, type Shape } from './wgsl-types.js';

/** Text of a function body for a shape; `call` brings in another function. */
type Make = (shape: Shape, call: (name: PreludeName, shape: Shape) => string) => string;
export type PreludeName = keyof typeof bodies;

const u32s = (shape: Shape, value: string) => splat({ ...shape, elem: 'u32' }, value);
const vec = (shape: Shape, elem: Shape['elem']) => nameOf({ ...shape, elem });
const scalarU32: Shape = { elem: 'u32', lanes: 1 };

const nanTest = (shape: Shape) =>
  `(bitcast<${vec(shape, 'u32')}>(x) & ${u32s(shape, '0x7fffffffu')}) > ` +
  u32s(shape, '0x7f800000u');

function divide(shape: Shape, operator: '/' | '%'): string {
  const name = nameOf(shape);
  const zero = zeroOf(shape);
  return `(a: ${name}, b: ${name}) -> ${name} {
  return select(a ${operator} b, ${zero}, b == ${zero});
}`;
}

function pick(shape: Shape, operator: '<' | '>'): string {
  const name = nameOf(shape);
  return `(a: ${name}, b: ${name}) -> ${name} {
  return select(a, b, b ${operator} a);
}`;
}

/** Floats: truncates, saturates, NaN gives 0. `limits`: result below, from where, above, … */
function saturate(shape: Shape, limits: readonly [string, string, string, string]): string {
  const from = vec(shape, 'f32');
  const [least, below, most, above] = limits;
  return `(x: ${from}) -> ${nameOf(shape)} {
  let low = select(${nameOf(shape)}(x), ${splat(shape, least)}, x ${below});
  let whole = select(low, ${splat(shape, most)}, x ${above});
  return select(whole, ${zeroOf(shape)}, ${nanTest(shape)});
}`;
}

const bodies = {
  div: ((shape) => divide(shape, '/')) as Make,
  rem: ((shape) => divide(shape, '%')) as Make,
  min: ((shape) => pick(shape, '<')) as Make,
  max: ((shape) => pick(shape, '>')) as Make,
  is_nan: ((shape) => `(x: ${nameOf(shape)}) -> ${vec(shape, 'bool')} {
  return ${nanTest(shape)};
}`) as Make,
  to_i32: ((shape) =>
    saturate(shape, [
      'i32(-2147483648)',
      `< ${splat({ ...shape, elem: 'f32' }, '-2147483648f')}`,
      '2147483647i',
      `>= ${splat({ ...shape, elem: 'f32' }, '2147483648f')}`,
    ])) as Make,
  to_u32: ((shape) =>
    saturate(shape, [
      '0u',
      `< ${splat({ ...shape, elem: 'f32' }, '0f')}`,
      '4294967295u',
      `>= ${splat({ ...shape, elem: 'f32' }, '4294967296f')}`,
    ])) as Make,
  mul_hi: ((shape) => {
    const name = nameOf(shape);
    const half = u32s(shape, '16u');
    const mask = u32s(shape, '0xffffu');
    return `(a: ${name}, b: ${name}) -> ${name} {
  let p = (a & ${mask}) * (b & ${mask});
  let q = (a >> ${half}) * (b & ${mask}) + (p >> ${half});
  let r = (a & ${mask}) * (b >> ${half}) + (q & ${mask});
  return (a >> ${half}) * (b >> ${half}) + (q >> ${half}) + (r >> ${half});
}`;
  }) as Make,
  component: ((shape) => `(v: ${nameOf(shape)}, index: i32) -> ${shape.elem} {
  return select(${shape.elem}(), v[u32(index) & ${shape.lanes - 1}u], u32(index) < ${shape.lanes}u);
}`) as Make,
  unpack_i8: (() => `(bytes: u32) -> vec4<i32> {
  return (vec4<i32>(i32(bytes)) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);
}`) as Make,
  unpack_u8: (() => `(bytes: u32) -> vec4<i32> {
  return vec4<i32>((vec4<u32>(bytes) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}`) as Make,
  pack_bytes: (() => `(v: vec4<i32>) -> u32 {
  let b = (vec4<u32>(v) & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);
  return b.x | b.y | b.z | b.w;
}`) as Make,
  /** Bytes 2i, 2i + 1, 2i + 8 and 2i + 9 into lane i: halves of two words make its word. */
  dot8: (() => `(a: vec4<u32>, b: vec4<u32>, acc: vec4<i32>) -> vec4<i32> {
  let a_low = (a.xy & vec2<u32>(0xffffu)) | (a.zw << vec2<u32>(16u));
  let b_low = (b.xy & vec2<u32>(0xffffu)) | (b.zw << vec2<u32>(16u));
  let a_high = (a.xy >> vec2<u32>(16u)) | (a.zw & vec2<u32>(0xffff0000u));
  let b_high = (b.xy >> vec2<u32>(16u)) | (b.zw & vec2<u32>(0xffff0000u));
  return acc + vec4<i32>(
    dot4I8Packed(a_low.x, b_low.x), dot4I8Packed(a_high.x, b_high.x),
    dot4I8Packed(a_low.y, b_low.y), dot4I8Packed(a_high.y, b_high.y));
}`) as Make,
  dot8_total: (() => `(a: vec4<u32>, b: vec4<u32>, acc: vec4<i32>) -> vec4<i32> {
  return acc + vec4<i32>(
    dot4I8Packed(a.x, b.x), dot4I8Packed(a.y, b.y),
    dot4I8Packed(a.z, b.z), dot4I8Packed(a.w, b.w));
}`) as Make,
  dot8_plain: ((_, call) => {
    const unpack = call('unpack_i8', scalarU32);
    return `(a: vec4<u32>, b: vec4<u32>, acc: vec4<i32>) -> vec4<i32> {
  let p = ${unpack}(a.x) * ${unpack}(b.x) + ${unpack}(a.z) * ${unpack}(b.z);
  let q = ${unpack}(a.y) * ${unpack}(b.y) + ${unpack}(a.w) * ${unpack}(b.w);
  return acc + vec4<i32>(p.x + p.y, p.z + p.w, q.x + q.y, q.z + q.w);
}`;
  }) as Make,
  /** The built-in may round as it likes; this goes to nearest even. NaN becomes the quiet one. */
  round_f16: (() => `(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  let rebiased = magnitude - 0x38000000u;
  var half = (rebiased + 0xfffu + ((rebiased >> 13u) & 1u)) >> 13u;
  if (magnitude < 0x38800000u) { half = u32(round(abs(x) * 16777216f)); }
  if (magnitude >= 0x477ff000u) { half = select(0x7c00u, 0x7e00u, magnitude > 0x7f800000u); }
  return half | ((bits >> 16u) & 0x8000u);
}`) as Make,
  round_bf16: (() => `(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
  return select(rounded, (bits >> 16u) | 0x40u, (bits & 0x7fffffffu) > 0x7f800000u);
}`) as Make,
};

/** The functions that one shader calls, in an order in which each follows those it calls. */
export class Prelude {
  readonly #made = new Map<string, string>();

  /** The name under which a function can be called. */
  call(name: PreludeName, shape: Shape): string {
    const full = `${name}_${stemOf(shape)}`;
    if (!this.#made.has(full)) {
      const body = bodies[name](shape, (inner, of) => this.call(inner, of));
      this.#made.set(full, `fn ${full}${body}`);
    }
    return full;
  }

  /** Functions that a kernel brings itself: accesses to its views, reductions. */
  add(name: string, make: () => string): string {
    if (!this.#made.has(name)) {
      // Those it calls come first: the map keeps the order of insertion.
      const text = make();
      this.#made.set(name, text);
    }
    return name;
  }

  get text(): string {
    return [...this.#made.values()].map((text) => `${text}\n`).join('\n');
  }
}
