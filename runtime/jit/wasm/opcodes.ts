/**
 * The instruction table: every WebAssembly instruction that the emitters may use, by its text name,
 * with its encoding (prefix in the high byte). Each row is a run of consecutive codes; `_` skips a
 * code that is not used. This list is the only one; function bodies look names up here.
 *
 * Left out on purpose: relaxed SIMD (its results differ between machines), tables, references.
 */
const PREFIX_SAT = 0xfc00;
const PREFIX_SIMD = 0xfd0000;
const PREFIX_ATOMIC = 0xfe00;

const INTEGER = 'clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u';
const COMPARE = 'eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u';
const FLOAT = 'abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign';
const LANES_COMPARE = 'eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u';

/** [first code, type prefix of the names ('' = names are whole), names]. */
const runs: readonly (readonly [number, string, string])[] = [
  [0x00, '', 'unreachable nop'],
  [0x0f, '', 'return'],
  [0x1a, '', 'drop select'],
  [
    0x28,
    '',
    'i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u',
  ],
  [0x30, '', 'i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u'],
  [0x36, '', 'i32.store i64.store f32.store f64.store i32.store8 i32.store16'],
  [0x3c, '', 'i64.store8 i64.store16 i64.store32'],
  [0x3f, '', 'memory.size'],
  [0x45, 'i32.', COMPARE],
  [0x50, 'i64.', COMPARE],
  [0x5b, 'f32.', 'eq ne lt gt le ge'],
  [0x61, 'f64.', 'eq ne lt gt le ge'],
  [0x67, 'i32.', INTEGER],
  [0x79, 'i64.', INTEGER],
  [0x8b, 'f32.', FLOAT],
  [0x99, 'f64.', FLOAT],
  [0xa7, '', 'i32.wrap_i64'],
  [0xac, '', 'i64.extend_i32_s i64.extend_i32_u'],
  [0xb2, 'f32.', 'convert_i32_s convert_i32_u convert_i64_s convert_i64_u demote_f64'],
  [0xb7, 'f64.', 'convert_i32_s convert_i32_u convert_i64_s convert_i64_u promote_f32'],
  [0xbc, '', 'i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64'],
  [0xc0, '', 'i32.extend8_s i32.extend16_s'],
  [PREFIX_SAT, 'i32.', 'trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u'],
  [PREFIX_SAT + 4, 'i64.', 'trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u'],
  [PREFIX_SAT + 10, 'memory.', 'copy fill'],
  [PREFIX_SIMD, 'v128.', 'load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u'],
  [PREFIX_SIMD + 7, 'v128.', 'load8_splat load16_splat load32_splat load64_splat store'],
  [PREFIX_SIMD + 13, '', 'i8x16.shuffle i8x16.swizzle'],
  [PREFIX_SIMD + 15, '', 'i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat'],
  [PREFIX_SIMD + 21, 'i8x16.', 'extract_lane_s extract_lane_u replace_lane'],
  [PREFIX_SIMD + 27, '', 'i32x4.extract_lane i32x4.replace_lane _ _'],
  [PREFIX_SIMD + 31, '', 'f32x4.extract_lane f32x4.replace_lane'],
  [PREFIX_SIMD + 55, 'i32x4.', LANES_COMPARE],
  [PREFIX_SIMD + 65, 'f32x4.', 'eq ne lt gt le ge'],
  [PREFIX_SIMD + 77, 'v128.', 'not and andnot or xor bitselect any_true'],
  [PREFIX_SIMD + 84, 'v128.', 'load8_lane load16_lane load32_lane load64_lane'],
  [PREFIX_SIMD + 88, 'v128.', 'store8_lane store16_lane store32_lane store64_lane'],
  [PREFIX_SIMD + 92, 'v128.', 'load32_zero load64_zero'],
  [PREFIX_SIMD + 98, 'i8x16.', 'popcnt'],
  [PREFIX_SIMD + 101, 'i8x16.', 'narrow_i16x8_s narrow_i16x8_u'],
  [PREFIX_SIMD + 103, 'f32x4.', 'ceil floor trunc nearest'],
  [PREFIX_SIMD + 133, 'i16x8.', 'narrow_i32x4_s narrow_i32x4_u'],
  [PREFIX_SIMD + 135, 'i16x8.', 'extend_low_i8x16_s extend_high_i8x16_s'],
  [PREFIX_SIMD + 137, 'i16x8.', 'extend_low_i8x16_u extend_high_i8x16_u'],
  [PREFIX_SIMD + 160, 'i32x4.', 'abs neg'],
  [PREFIX_SIMD + 167, 'i32x4.', 'extend_low_i16x8_s extend_high_i16x8_s'],
  [PREFIX_SIMD + 169, 'i32x4.', 'extend_low_i16x8_u extend_high_i16x8_u shl shr_s shr_u add'],
  [PREFIX_SIMD + 177, 'i32x4.', 'sub'],
  [PREFIX_SIMD + 181, 'i32x4.', 'mul min_s min_u max_s max_u dot_i16x8_s'],
  [PREFIX_SIMD + 224, 'f32x4.', 'abs neg _ sqrt add sub mul div min max pmin pmax'],
  [PREFIX_SIMD + 248, '', 'i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u'],
  [PREFIX_SIMD + 250, '', 'f32x4.convert_i32x4_s f32x4.convert_i32x4_u'],
  [PREFIX_ATOMIC, 'memory.atomic.', 'notify wait32'],
  [PREFIX_ATOMIC + 0x10, 'i32.atomic.', 'load'],
  [PREFIX_ATOMIC + 0x17, 'i32.atomic.', 'store'],
  [PREFIX_ATOMIC + 0x1e, 'i32.atomic.', 'rmw.add'],
  [PREFIX_ATOMIC + 0x2c, 'i32.atomic.', 'rmw.and'],
  [PREFIX_ATOMIC + 0x33, 'i32.atomic.', 'rmw.or'],
  [PREFIX_ATOMIC + 0x3a, 'i32.atomic.', 'rmw.xor'],
  [PREFIX_ATOMIC + 0x48, 'i32.atomic.', 'rmw.cmpxchg'],
];

/** Instructions whose operands do not fit the plain forms; function bodies encode them by hand. */
export const OP = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  call: 0x10,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  v128Const: PREFIX_SIMD + 12,
} as const;

/** Name to code; codes above 0xffff are SIMD (0xfd), above 0xff are 0xfc or 0xfe. */
export const opcodes: ReadonlyMap<string, number> = new Map(
  runs.flatMap(([first, prefix, names]) =>
    names
      .split(' ')
      .map((name, index) => [prefix + name, first + index] as const)
      .filter(([name]) => !name.endsWith('_')),
  ),
);

/** Bytes that an access moves: its natural alignment, as a power of two. */
export function accessAlign(name: string): number {
  if (name.startsWith('v128.')) return simdAlign(name);
  if (name.includes('atomic')) return 2;
  if (name.includes('8')) return 0;
  if (name.includes('16')) return 1;
  if (name.endsWith('load32_s') || name.endsWith('load32_u') || name.endsWith('store32')) return 2;
  return name.startsWith('i64') || name.startsWith('f64') ? 3 : 2;
}

/** Vectors are loaded and stored at any address, so they claim no more than their element's. */
function simdAlign(name: string): number {
  if (name.includes('8_') || name.includes('8x8')) return 0;
  return name.includes('16_') ? 1 : 2;
}
