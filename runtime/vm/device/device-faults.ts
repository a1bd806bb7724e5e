/**
 * What check mode finds in device programs: not errors that end a run (devices have none), but
 * accesses without a defined meaning, each reported once a place. The run goes on as on a device.
 */
import type { Site } from '../../loom/typed.js';
import { positionOf } from '../program-error.js';

export type DeviceFaultKind = 'race' | 'outOfRange' | 'unwritten';

export interface DeviceFault {
  readonly kind: DeviceFaultKind;
  readonly kernel: string;
  readonly message: string;
  /** `file:line:column`. */
  readonly position: string;
}

/** More tell nobody anything. */
const faultsMax = 100;

export class DeviceFaults {
  readonly list: DeviceFault[] = [];
  readonly #seen = new Set<string>();
  readonly #files: readonly string[];

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  report(fault: { kind: DeviceFaultKind; kernel: string; site: Site; message: string }): void {
    const { kind, kernel, site, message } = fault;
    const key = `${kernel} ${kind} ${site}`;
    if (this.#seen.has(key) || this.list.length >= faultsMax) return;
    this.#seen.add(key);
    this.list.push({ kind, kernel, message, position: positionOf(this.#files, site) });
  }
}
