/** Bytes of a device value in shared or private state (bool as u32). */
import type { Type } from '../typed.js';

export function sizeOf(type: Type): number {
  if (type.kind === 'vector') return 4 * type.lanes;
  if (type.kind === 'bytes') return type.lanes;
  return type.kind === 'array' ? type.count * sizeOf(type.elem) : 4;
}
