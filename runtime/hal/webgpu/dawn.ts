/**
 * Dawn, from the optional npm package `webgpu`: loaded when a WebGPU device or the list of adapters
 * is first asked for, on the thread that asks, and never otherwise.
 *
 * Holds: what `create()` returns stays referenced for the life of the thread. When it is collected
 * while anything made of it lives, the process ends.
 */
import { StatusError } from '../../base/errors.js';

interface DawnModule {
  create(options: string[]): GPU;
}

let loading: Promise<DawnModule> | null = null;
/** By adapter name; the empty name lets Dawn choose. */
const instances = new Map<string, GPU>();

function load(): Promise<DawnModule> {
  // No literal, so that the package may be absent when this is compiled.
  const name: string = 'webgpu';
  loading ??= (import(name) as Promise<DawnModule>).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StatusError(
      'failedPrecondition',
      `a WebGPU device needs the npm package 'webgpu', and it cannot be loaded: ${reason}`,
    );
  });
  return loading;
}

/** The adapter that Dawn offers under a name (or a part of it), or first; null when none. */
export async function requestAdapter(name: string): Promise<GPUAdapter | null> {
  const { create } = await load();
  const instance = instances.get(name) ?? create(name === '' ? [] : [`adapter=${name}`]);
  instances.set(name, instance);
  return instance.requestAdapter({ powerPreference: 'high-performance' });
}

/** A name that no adapter has: Dawn answers by naming all that there are. */
const NOBODY = 'no such adapter, list them';

/** Names of all adapters of this machine. */
export async function adapterNames(): Promise<readonly string[]> {
  try {
    await requestAdapter(NOBODY);
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    const names = [...text.matchAll(/name: '(.*)'$/gm)].map((match) => match[1]!);
    if (names.length > 0 || !(error instanceof StatusError)) return [...new Set(names)];
    throw error;
  }
  return [];
}

/** Whether WGSL has packed 8-bit dots; asked of the instance that offered the adapter. */
export function packedDot(name: string): boolean {
  const features = instances.get(name)?.wgslLanguageFeatures;
  return features?.has('packed_4x8_integer_dot_product') ?? false;
}
