/** Which of the devices that a server has a package runs on. */
import { StatusError } from '../base/errors.js';
import type { ModelDocument } from './model-document.js';

export interface NamedDevice {
  /** Unique in a server: its driver, or `driver:NAME` where another has that. */
  readonly name: string;
  readonly driver: string;
  /** Named as `driver:NAME`, a part of it is enough; null: the driver has one device only. */
  readonly adapter: string | null;
}

/**
 * The one that the package names; where it names none or just a driver, the one where the model is
 * already, or else the first that fits.
 */
export function deviceFor<Device extends NamedDevice>(
  { deployment }: Pick<ModelDocument, 'deployment'>,
  devices: readonly Device[],
  present?: Device,
): Device {
  const asked = deployment.device;
  const fits = ({ name, driver, adapter }: Device): boolean =>
    ['auto', name, driver].includes(asked) || isPartOf(asked, `${driver}:`, adapter);
  const found = present !== undefined && fits(present) ? present : devices.find(fits);
  if (found !== undefined) return found;
  const open = devices.map(({ name }) => `'${name}'`).join(', ');
  throw new StatusError(
    'failedPrecondition',
    `the package asks for the device '${asked}' (deployment.device) and this server runs ${open} (--device)`,
  );
}

function isPartOf(asked: string, prefix: string, adapter: string | null): boolean {
  if (adapter === null || !asked.startsWith(prefix)) return false;
  return adapter.toLowerCase().includes(asked.slice(prefix.length).toLowerCase());
}
