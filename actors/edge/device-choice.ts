/**
 * Which device `--device` means on this machine, decided once before any thread starts: programs
 * are compiled from its facts elsewhere than where it is opened.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import { chooseAdapter } from '../../runtime/hal/webgpu/adapters.js';
import { adapterFacts } from '../../runtime/hal/webgpu/webgpu-facts.js';

/** Plain data: it goes to the threads. */
export interface DeviceChoice {
  /** Name of the WebGPU adapter; null: the local device. */
  readonly adapter: string | null;
  readonly facts: TargetFacts;
}

/** `auto`, `local`, `webgpu` or `webgpu:NAME`. Only a name or `webgpu` takes a software adapter. */
export async function chooseDevice(asked: string): Promise<DeviceChoice> {
  if (asked === 'local') return { adapter: null, facts: localFacts() };
  if (asked === 'auto') return chooseHardware();
  const [driver, name] = splitName(asked);
  if (driver !== 'webgpu' || name === '') {
    throw new StatusError(
      'invalidArgument',
      `there is no device '${asked}': auto, local, webgpu and webgpu:NAME are (--device)`,
    );
  }
  const chosen = await chooseAdapter(name);
  return { adapter: chosen.description.name, facts: adapterFacts(chosen) };
}

async function chooseHardware(): Promise<DeviceChoice> {
  try {
    const chosen = await chooseAdapter(null, { software: false });
    return { adapter: chosen.description.name, facts: adapterFacts(chosen) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { adapter: null, facts: localFacts() };
  }
}

function splitName(asked: string): readonly [driver: string, name: string | null] {
  const at = asked.indexOf(':');
  return at < 0 ? [asked, null] : [asked.slice(0, at), asked.slice(at + 1)];
}
