/** A checkpoint's file that was not pulled: told as such, not as a header that is broken. */
import { StatusError } from '../../base/errors.js';
import { lfsPointer, lfsPointerBytesMax } from '../../base/lfs-pointer.js';
import type { ParameterFile } from './parameter-file.js';

export function requireNoPointer(file: ParameterFile): void {
  const start = new Uint8Array(Math.min(file.bytes, lfsPointerBytesMax));
  file.read(0, start);
  const pointer = lfsPointer(start);
  if (pointer === null) return;
  throw new StatusError('invalidArgument', `${file.name} is ${pointer}`, { where: file.name });
}
