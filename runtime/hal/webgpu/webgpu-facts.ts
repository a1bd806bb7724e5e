/** What programs may read of a WebGPU device as `target.NAME`, from what its adapter reports. */
import type { TargetFacts } from '../../base/target-facts.js';
import type { AdapterDescription, ChosenAdapter } from './adapters.js';
import { packedDot } from './dawn.js';

/** Features that a device is opened with where the adapter has them. */
export const WANTED_FEATURES: readonly string[] = ['subgroups'];

/** Bytes of shared arrays that Loom allows whatever the device has. */
const SHARED_BYTES = 16_384;
/** Views of one kernel, likewise. */
const VIEWS_MAX = 16;

/** Lanes where an adapter does not say. */
const LANES = 32;

export function adapterFacts({ adapter, description }: ChosenAdapter): TargetFacts {
  const lanes = adapter.info.subgroupMinSize || LANES;
  return webgpuFacts(description, { lanes, packedDot: packedDot(description.name) });
}

export function webgpuFacts(
  { limits, software, features }: AdapterDescription,
  options: { readonly lanes: number; readonly packedDot: boolean },
): TargetFacts {
  return {
    simt: true,
    lanes: options.lanes,
    subgroups: features.includes('subgroups'),
    software,
    // Software adapters keep a lane's registers in vector registers of the CPU.
    registers: software ? 16 : 64,
    binding_bytes: limits.maxStorageBufferBindingSize!,
    shared_bytes: Math.min(SHARED_BYTES, limits.maxComputeWorkgroupStorageSize!),
    workgroup_bytes: limits.maxComputeWorkgroupStorageSize!,
    views: Math.min(VIEWS_MAX, limits.maxStorageBuffersPerShaderStage!),
    relaxed: false,
    // Software takes the words apart again, so there it is best not to put them together first.
    dot8: options.packedDot && !software,
    // Of one lane. Loads cost software adapters most, and a tile's sums lie in memory there anyway.
    tile_m: software ? 32 : 16,
    tile_n: 8,
  };
}
