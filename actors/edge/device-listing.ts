/** What `--device` can name on this machine, with what each offers. */
import { availableParallelism } from 'node:os';
import type { DeviceListing } from '../../http/serving.js';
import { toStatus } from '../../runtime/base/errors.js';
import { listAdapters } from '../../runtime/hal/webgpu/adapters.js';

/** The local device is always there; where WebGPU cannot be loaded a listing says why. */
export async function deviceListings(): Promise<readonly DeviceListing[]> {
  const rows = [{ name: 'compute workers', value: `1 to 64 (${availableParallelism()} cores)` }];
  const local = { device: 'local', description: 'WebAssembly on the processor', rows };
  try {
    const adapters = await listAdapters();
    return [
      local,
      ...adapters.map(({ name, description, software, features, limits }) => ({
        device: `webgpu:${name}`,
        description: software ? `${description} (software: auto leaves it out)` : description,
        rows: [
          ...Object.entries(limits).map(([limit, value]) => ({ name: limit, value: `${value}` })),
          { name: 'features', value: features.join(' ') },
        ],
      })),
    ];
  } catch (error) {
    return [local, { device: 'webgpu', description: toStatus(error).message, rows: [] }];
  }
}
