/**
 * Which adapters a machine has, and which one a device is opened on. A software adapter (Mesa's
 * lavapipe, for one) says so here and is used only where it is named.
 */
import { StatusError } from '../../base/errors.js';
import { adapterNames, requestAdapter } from './dawn.js';

export interface AdapterDescription {
  readonly name: string;
  readonly description: string;
  readonly vendor: string;
  /** Runs on the CPU. */
  readonly software: boolean;
  readonly features: readonly string[];
  /** Limits that decide what fits, by the names that WebGPU gives them. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Limits that are asked for as large as the adapter has them; alignments as small. */
export const WANTED_LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupsPerDimension',
  'minStorageBufferOffsetAlignment',
] as const;

/** Below these no package would run. */
const NEEDED: Partial<Record<(typeof WANTED_LIMITS)[number], number>> = {
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupsPerDimension: 65_535,
};

export function describeAdapter(name: string, adapter: GPUAdapter): AdapterDescription {
  const { info, features } = adapter;
  return {
    name,
    description: info.description,
    vendor: info.vendor,
    software: isSoftware(adapter),
    features: [...features].sort(),
    limits: limitsOf(adapter),
  };
}

export function limitsOf(adapter: GPUAdapter): Record<string, number> {
  return Object.fromEntries(WANTED_LIMITS.map((name) => [name, adapter.limits[name]]));
}

function isSoftware({ info }: GPUAdapter): boolean {
  return info.isFallbackAdapter || info.architecture === 'software';
}

export async function listAdapters(): Promise<readonly AdapterDescription[]> {
  const found: AdapterDescription[] = [];
  for (const name of await adapterNames()) {
    const adapter = await requestAdapter(name);
    if (adapter) found.push(describeAdapter(name, adapter));
  }
  return found;
}

export interface ChosenAdapter {
  readonly adapter: GPUAdapter;
  readonly description: AdapterDescription;
}

/**
 * By name (a part of one is enough), or the first that is hardware. Refuses an adapter that is too
 * small, with the limit.
 */
export async function chooseAdapter(asked: string | null): Promise<ChosenAdapter> {
  const names = await adapterNames();
  const wanted = asked?.toLowerCase() ?? '';
  const said: string[] = [];
  for (const name of names.filter((each) => each.toLowerCase().includes(wanted))) {
    const adapter = await requestAdapter(name);
    if (!adapter) continue;
    const description = describeAdapter(name, adapter);
    said.push(`'${name}'${description.software ? ' (software, used only by name)' : ''}`);
    if (description.software && asked === null) continue;
    checkLimits(description);
    return { adapter, description };
  }
  const what = asked === null ? 'no hardware WebGPU adapter' : `no WebGPU adapter '${asked}'`;
  const others = asked === null ? said : names.map((name) => `'${name}'`);
  throw new StatusError(
    'failedPrecondition',
    `this machine has ${what}; ${others.length > 0 ? `it has ${others.join(', ')}` : 'it has none at all'} (--device webgpu:NAME)`,
  );
}

export function checkLimits({ name, limits }: AdapterDescription): void {
  for (const [limit, needed] of Object.entries(NEEDED)) {
    const had = limits[limit] ?? 0;
    if (had >= needed) continue;
    throw new StatusError(
      'failedPrecondition',
      `the WebGPU adapter '${name}' has ${limit} ${had}; ${needed} are needed (--device)`,
    );
  }
}
