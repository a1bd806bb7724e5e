/** What every WebGPU device has; tests of text use it. */
import type { WgslTarget } from '../../../../runtime/jit/wgsl/wgsl-program.js';

export const portableTarget: WgslTarget = {
  workgroupBytes: 16_384,
  invocations: 256,
  bindings: 8,
  packedDot: true,
  subgroupSize: null,
  uploadsConstant: true,
};
