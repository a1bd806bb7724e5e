/**
 * Loads and stores of storage elements at an address on the stack: 16-bit floats become f32 and are
 * rounded on the way back, bytes stay packed, vectors of two live in the lower half of a v128.
 */
import { assert } from '../../base/errors.js';
import type { Storage, Type } from '../../loom/typed.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { emitWidenBf16, emitWidenF16, roundBf16Body, roundF16Body } from './half-float.js';
import type { KernelModule } from './kernel-scope.js';

const isHalf = (storage: Storage) => storage.elem === 'f16' || storage.elem === 'bf16';

/** Address on the stack → value. */
export function emitLoad(code: FunctionBody, storage: Storage, offset: number): void {
  if (isHalf(storage)) return emitLoadHalf(code, storage, offset);
  if (storage.elem === 'i8' || storage.elem === 'u8') {
    if (storage.lanes === 16) code.access('v128.load', offset);
    else if (storage.lanes === 4) code.access('i32.load', offset);
    else code.access(`i32.load8_${storage.elem === 'i8' ? 's' : 'u'}`, offset);
    return;
  }
  if (storage.lanes === 4) code.access('v128.load', offset);
  else if (storage.lanes === 2) code.access('v128.load64_zero', offset);
  else code.access(storage.elem === 'f32' ? 'f32.load' : 'i32.load', offset);
}

function emitLoadHalf(code: FunctionBody, storage: Storage, offset: number): void {
  if (storage.lanes === 4) {
    code.access('v128.load16x4_u', offset);
  } else if (storage.lanes === 2) {
    code.access('v128.load32_zero', offset);
    code.op('i32x4.extend_low_i16x8_u');
  } else {
    code.access('i32.load16_u', offset);
    code.op('i32x4.splat');
  }
  if (storage.elem === 'f16') emitWidenF16(code);
  else emitWidenBf16(code);
  if (storage.lanes === 1) code.lane('f32x4.extract_lane', 0);
}

/** Address on the stack → four neighbours of a scalar element as a vector. */
export function emitLoadFour(code: FunctionBody, storage: Storage, offset: number): void {
  if (storage.elem === 'i8' || storage.elem === 'u8') {
    const sign = storage.elem === 'i8' ? 's' : 'u';
    code.access('v128.load32_zero', offset);
    code.ops(`i16x8.extend_low_i8x16_${sign}`, `i32x4.extend_low_i16x8_${sign}`);
  } else {
    emitLoad(code, { ...storage, lanes: 4 }, offset);
  }
}

/** Address on the stack → the 32-bit element in all lanes. */
export function emitLoadSplat(code: FunctionBody, offset: number): void {
  code.access('v128.load32_splat', offset);
}

export const isWord = (storage: Storage) =>
  storage.lanes === 1 &&
  (storage.elem === 'f32' || storage.elem === 'i32' || storage.elem === 'u32');

/** Address and value on the stack → nothing. */
export function emitStore(
  code: FunctionBody,
  module: KernelModule,
  storage: Storage,
  offset: number,
): void {
  if (isHalf(storage)) return emitStoreHalf(code, module, storage, offset);
  if (storage.elem === 'i8' || storage.elem === 'u8') {
    assert(storage.lanes !== 1, 'no store of a single byte on a device');
    code.access(storage.lanes === 16 ? 'v128.store' : 'i32.store', offset);
    return;
  }
  if (storage.lanes === 4) code.access('v128.store', offset);
  else if (storage.lanes === 2) code.access('v128.store64_lane', offset, 0);
  else code.access(storage.elem === 'f32' ? 'f32.store' : 'i32.store', offset);
}

function emitStoreHalf(
  code: FunctionBody,
  module: KernelModule,
  storage: Storage,
  offset: number,
): void {
  assert(storage.lanes !== 1, 'no store of a single 16-bit float on a device');
  const f16 = storage.elem === 'f16';
  code.call(module.helper(f16 ? 'round_f16' : 'round_bf16', f16 ? roundF16Body : roundBf16Body));
  const bits = code.temp('v128');
  code.set(bits);
  code.get(bits);
  code.get(bits);
  code.shuffle([0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13]);
  code.access(storage.lanes === 4 ? 'v128.store64_lane' : 'v128.store32_lane', offset, 0);
  code.release('v128', bits);
}

/** How an element of a shared or private array of this type lies in memory. */
export function storageOf(type: Type): Storage {
  if (type.kind === 'vector') return { elem: type.elem, lanes: type.lanes, size: type.lanes * 4 };
  if (type.kind === 'bytes') return { elem: type.elem, lanes: type.lanes, size: type.lanes };
  assert(type.kind === 'scalar' && type.name !== 'i64' && type.name !== 'f64', 'a device type');
  return { elem: type.name === 'bool' ? 'u32' : type.name, lanes: 1, size: 4 };
}
