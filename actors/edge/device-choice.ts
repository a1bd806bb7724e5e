/**
 * Which devices `--device` means on this machine, decided once before any thread starts: programs
 * are compiled from their facts elsewhere than where they are opened.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import { chooseAdapter } from '../../runtime/hal/webgpu/adapters.js';
import { adapterFacts } from '../../runtime/hal/webgpu/webgpu-facts.js';
import type { NamedDevice } from '../../runtime/packages/package-device.js';

export interface AskedDevice {
  /** As `--device` has it. */
  readonly name: string;
  /** `--memory`; null: the driver's default. */
  readonly memoryBytes: number | null;
}

/** Plain data: it goes to the threads. */
export interface DeviceChoice extends NamedDevice {
  readonly facts: TargetFacts;
  readonly memoryBytes: number | null;
}

type Found = Omit<DeviceChoice, 'name' | 'memoryBytes'>;

/** In the order asked, each once: `auto` may find one that is named as well. */
export async function chooseDevices(
  asked: readonly AskedDevice[],
): Promise<readonly DeviceChoice[]> {
  const chosen: (DeviceChoice & { readonly isNamed: boolean })[] = [];
  for (const { name, memoryBytes } of asked) {
    const found = await chooseDevice(name);
    const isNamed = name !== 'auto';
    const alike = chosen.filter(({ driver }) => driver === found.driver);
    const same = alike.find(({ adapter }) => adapter === found.adapter);
    if (same === undefined) {
      const unique = alike.length === 0 ? found.driver : label(found);
      chosen.push({ ...found, name: unique, memoryBytes, isNamed });
    } else if (isNamed && same.isNamed) {
      throw new StatusError(
        'invalidArgument',
        `'${name}' is the device '${same.name}', which is there already: each is opened once (--device)`,
      );
    }
  }
  return chosen.map(({ isNamed: _, ...choice }) => choice);
}

const label = ({ driver, adapter }: Found): string =>
  adapter === null ? driver : `${driver}:${adapter}`;

const local = (): Found => ({ driver: 'local', adapter: null, facts: localFacts() });

/** `auto`, `local`, `webgpu` or `webgpu:NAME`. Only a name or `webgpu` takes a software adapter. */
async function chooseDevice(asked: string): Promise<Found> {
  if (asked === 'local') return local();
  if (asked === 'auto') return chooseHardware();
  const [driver, name] = splitName(asked);
  if (driver !== 'webgpu' || name === '') {
    throw new StatusError(
      'invalidArgument',
      `there is no device '${asked}': auto, local, webgpu and webgpu:NAME are (--device)`,
    );
  }
  return webgpu(await chooseAdapter(name));
}

const webgpu = (chosen: Awaited<ReturnType<typeof chooseAdapter>>): Found => ({
  driver: 'webgpu',
  adapter: chosen.description.name,
  facts: adapterFacts(chosen),
});

async function chooseHardware(): Promise<Found> {
  try {
    return webgpu(await chooseAdapter(null, { software: false }));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return local();
  }
}

function splitName(asked: string): readonly [driver: string, name: string | null] {
  const at = asked.indexOf(':');
  return at < 0 ? [asked, null] : [asked.slice(0, at), asked.slice(at + 1)];
}
