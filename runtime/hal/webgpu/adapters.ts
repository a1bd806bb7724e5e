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
 * By name (a part of one is enough); or the first that is hardware, then where software will do the
 * first of all. Refuses an adapter that is too small, with the limit.
 */
export async function chooseAdapter(
  asked: string | null,
  options: { readonly software: boolean } = { software: true },
): Promise<ChosenAdapter> {
  const found: ChosenAdapter[] = [];
  for (const name of await adapterNames()) {
    const adapter = await requestAdapter(name);
    if (adapter) found.push({ adapter, description: describeAdapter(name, adapter) });
  }
  const wanted = asked?.toLowerCase() ?? '';
  const fitting = found.filter(({ description: { name, software } }) => {
    return name.toLowerCase().includes(wanted) && (options.software || !software);
  });
  const best = fitting.find(({ description }) => !description.software) ?? fitting[0];
  if (best) {
    checkLimits(best.description);
    return best;
  }
  const kind = options.software ? '' : 'hardware ';
  const what = asked === null ? `no ${kind}WebGPU adapter` : `no WebGPU adapter '${asked}'`;
  const names = found.map(({ description: { name, software } }) => {
    return `'${name}'${software ? ' (software)' : ''}`;
  });
  const others = names.length > 0 ? `it has ${names.join(', ')}` : 'it has none at all';
  throw new StatusError(
    'failedPrecondition',
    `this machine has ${what}; ${others} (--device webgpu:NAME)`,
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
