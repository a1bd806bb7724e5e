/** Buffer usages by the numbers that the WebGPU standard fixes: Dawn's globals stay unloaded. */
export const USAGE = {
  mapRead: 0x1,
  copySource: 0x4,
  copyTarget: 0x8,
  uniform: 0x40,
  storage: 0x80,
  indirect: 0x100,
} as const;
export const MAP_READ = 0x1;
/** Stage of bind group layouts. */
export const COMPUTE_STAGE = 0x4;
