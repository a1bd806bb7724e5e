/**
 * Closures that read and write single elements of views and of shared arrays: robust (a read
 * outside gives zero, a write there is dropped), and in check mode reporting what the language
 * calls an error. `guarded` places stand under `select` or `take`, where outside is expected.
 */
import type { Kernel, Site, Storage } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import type { DeviceFrame } from './device-frame.js';
import type { BoundView } from './device-memory.js';
import { storageCodec, zeroValue } from './storage-codec.js';

export interface AccessPlace {
  readonly site: Site;
  readonly guarded: boolean;
}

export type Outside = (frame: DeviceFrame, index: number) => void;
export type ElementRead = (frame: DeviceFrame, index: number) => RawValue;
export type ElementWrite = (frame: DeviceFrame, index: number, value: RawValue) => void;

const silent: Outside = () => undefined;

export function isOutside({ length, isVoid }: BoundView, index: number): boolean {
  return isVoid || index < 0 || index >= length;
}

/** What to do about an index outside a view. */
export function outsideView(kernel: Kernel, view: number, { site, guarded }: AccessPlace): Outside {
  if (guarded) return silent;
  const { name } = kernel.views[view]!;
  return (frame, index) => {
    if (!frame.context.faults) return;
    const { length, isVoid } = frame.views[view]!;
    const range = isVoid ? 'lies outside its source' : `has ${length} elements`;
    frame.report('outOfRange', site, `'${name}' ${range}, index ${index}`);
  };
}

export interface ViewElement {
  readonly view: number;
  readonly storage: Storage;
}

export function viewRead(
  kernel: Kernel,
  { view, storage }: ViewElement,
  place: AccessPlace,
): ElementRead {
  const { name, elementSize } = kernel.views[view]!;
  const codec = storageCodec(storage);
  const access = { kind: 'read', site: place.site, name } as const;
  const outside = outsideView(kernel, view, place);
  return (frame, index) => {
    const bound = frame.views[view]!;
    if (isOutside(bound, index)) {
      outside(frame, index);
      return codec.zero;
    }
    const at = bound.offset + index * elementSize;
    if (frame.context.faults) frame.touch(bound.region, { at, size: codec.size }, access);
    return codec.load(bound.region.view, at);
  };
}

export function viewWrite(
  kernel: Kernel,
  { view, storage }: ViewElement,
  place: AccessPlace,
): ElementWrite {
  const { name, elementSize } = kernel.views[view]!;
  const codec = storageCodec(storage);
  const access = { kind: 'write', site: place.site, name } as const;
  const outside = outsideView(kernel, view, place);
  return (frame, index, value) => {
    const bound = frame.views[view]!;
    if (isOutside(bound, index)) return outside(frame, index);
    const at = bound.offset + index * elementSize;
    if (frame.context.faults) frame.touch(bound.region, { at, size: codec.size }, access);
    codec.store(bound.region.view, at, value);
  };
}

export function outsideShared(
  kernel: Kernel,
  shared: number,
  { site, guarded }: AccessPlace,
): Outside {
  if (guarded) return silent;
  const { name, count } = kernel.shared[shared]!;
  return (frame, index) =>
    frame.report('outOfRange', site, `shared '${name}' has ${count} elements, index ${index}`);
}

export function sharedRead(kernel: Kernel, shared: number, place: AccessPlace): ElementRead {
  const { name, count, type } = kernel.shared[shared]!;
  const zero = zeroValue(type);
  const access = { kind: 'read', site: place.site, name } as const;
  const outside = outsideShared(kernel, shared, place);
  return (frame, index) => {
    if (index < 0 || index >= count) {
      outside(frame, index);
      return zero;
    }
    const array = frame.shared[shared]!;
    if (frame.context.faults) frame.touchShared(array, index, access);
    return array.values[index]!;
  };
}

export function sharedWrite(kernel: Kernel, shared: number, place: AccessPlace): ElementWrite {
  const { name, count } = kernel.shared[shared]!;
  const access = { kind: 'write', site: place.site, name } as const;
  const outside = outsideShared(kernel, shared, place);
  return (frame, index, value) => {
    if (index < 0 || index >= count) return outside(frame, index);
    const array = frame.shared[shared]!;
    if (frame.context.faults) frame.touchShared(array, index, access);
    array.values[index] = value;
  };
}
