/** What most WebGPU devices have; tests of text use it. */
import type { WgslTarget } from '../../../../runtime/jit/wgsl/wgsl-program.js';

export const portableTarget: WgslTarget = {
  workgroupBytes: 16_384,
  invocations: 256,
  bindings: 8,
  packedDot: true,
  software: false,
  subgroupSize: 8,
  uploadsConstant: true,
};
