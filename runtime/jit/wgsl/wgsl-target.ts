/** What shaders may use of a device, from its facts: code depends on nothing else of it. */
import type { TargetFacts } from '../../base/target-facts.js';
import type { WgslTarget } from './wgsl-program.js';

/** Workgroups of Loom have no more; devices with fewer are refused when they are opened. */
const INVOCATIONS = 256;

export function wgslTarget(facts: TargetFacts): WgslTarget {
  return {
    workgroupBytes: facts.workgroup_bytes,
    invocations: INVOCATIONS,
    bindings: facts.views,
    packedDot: facts.dot8,
    software: facts.software,
    subgroupSize: facts.subgroups ? facts.lanes : null,
    // Roots come from anywhere, also from other programs, so they lie where anybody may write.
    uploadsConstant: false,
  };
}
