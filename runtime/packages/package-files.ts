/**
 * How a package's references become bytes. One interface for a folder on disk and for files that
 * came with an upload, so that nothing above knows the difference.
 *
 * Always holds: a reference resolves from the document's folder; what it names, after symlinks,
 * lies inside one of the allowed roots, or the read is refused. References use `/`, are never
 * absolute, and may climb (`../motifs/norm.loom`) as long as they stay inside.
 */
import { StatusError } from '../base/errors.js';
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import type { ParameterFile } from '../parameters/checkpoints/parameter-file.js';

/** A shard of a checkpoint, open until `close`. */
export interface OpenParameterFile extends ParameterFile {
  /** Descriptor; -1 for a file in memory. */
  readonly fd: number;
  /** When it was last modified; undefined for a file in memory. */
  readonly modifiedMs?: number | undefined;
  /** A second descriptor for direct reads; null without. */
  readonly directFd: number | null;
  close(): void;
}

export interface PackageFiles {
  /** Bytes of a file; the caller may keep them. */
  read(reference: string): Uint8Array;
  /** Whether `read` would find a file there; false for what is outside, too. */
  has(reference: string): boolean;
  /** The name of a file in diagnostics, the same wherever the package lies. */
  name(reference: string): string;
  /** Opens a checkpoint's shard, of any size; parameter roots are allowed besides. */
  openParameters(reference: string, reads?: FileReads): OpenParameterFile;
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): readonly string[];
}

/** Most bytes of one file that is read whole. Checkpoints are not read this way. */
export const fileBytesMax = 64 * 1024 * 1024;

/**
 * The parts of a reference, normalized: leading `..` parts stay, all others are gone. Throws for
 * what no reference may be.
 */
export function referenceParts(reference: string): string[] {
  if (reference === '') throw refused(reference, 'a reference must not be empty');
  if (reference.includes('\0') || reference.includes('\\')) {
    throw refused(reference, 'references use "/" and hold no control characters');
  }
  if (reference.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(reference)) {
    throw refused(reference, 'references are relative to the folder of model.json');
  }
  const parts: string[] = [];
  for (const part of reference.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

export function refused(reference: string, why: string): StatusError {
  return new StatusError('permissionDenied', `path ${JSON.stringify(reference)} refused: ${why}`, {
    where: reference,
  });
}

export function escapes(reference: string, roots: string): StatusError {
  return new StatusError(
    'permissionDenied',
    `path ${JSON.stringify(reference)} escapes the folders that packages may read: ${roots} (--package-root)`,
    { where: reference },
  );
}

export function missing(reference: string): StatusError {
  return new StatusError('notFound', `no file ${JSON.stringify(reference)} in the package`, {
    where: reference,
  });
}

export function missingParameters(reference: string, roots: readonly string[]): StatusError {
  const also = roots.length === 0 ? 'and there is no' : `nor below ${roots.join(', ')} of`;
  return new StatusError(
    'notFound',
    `no parameter file ${JSON.stringify(reference)} in the package, ${also} --parameter-root`,
    { where: reference },
  );
}

export function tooLarge(reference: string, bytes: number): StatusError {
  return new StatusError(
    'invalidArgument',
    `${JSON.stringify(reference)} has ${bytes} bytes; a file of a package may have ${fileBytesMax}`,
    { where: reference },
  );
}
