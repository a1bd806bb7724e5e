/**
 * A parameter file on disk, open until `close`. The open descriptor pins the file: one that is
 * replaced by name goes on being read, one that is cut short in place fails the reads beyond its
 * end. Whoever opens it closes it; reads move no file position, so threads may share the
 * descriptor. On demand it has a second descriptor for direct reads, which is closed with the
 * first.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { StatusError, assert } from '../../base/errors.js';
import { shorterThanIndexed } from './parameter-file.js';
import type { ParameterFile } from './parameter-file.js';

/** How gathers read a file; index and activation always go through the system's cache. */
export type FileReads = 'buffered' | 'direct';

/** One call of the system reads less than 2 GiB. */
const readBytesMax = 2 ** 30;

/** An open file as threads hand it on. */
export interface OpenedDiskFile {
  readonly name: string;
  readonly descriptor: number;
  readonly bytes: number;
  readonly modifiedMs?: number;
}

export class DiskParameterFile implements ParameterFile {
  readonly name: string;
  readonly bytes: number;
  readonly fd: number;
  /** When it was last modified at its opening, where that is known. */
  readonly modifiedMs: number | undefined;
  /** For direct reads, past the system's cache; null until they were asked for. */
  directFd: number | null = null;
  #isOpen = true;

  private constructor(opened: OpenedDiskFile) {
    this.name = opened.name;
    this.fd = opened.descriptor;
    this.bytes = opened.bytes;
    this.modifiedMs = opened.modifiedMs;
  }

  static open(path: string, name: string, reads: FileReads = 'buffered'): DiskParameterFile {
    const fd = openDescriptor(path, name);
    const status = fstatSync(fd);
    if (!status.isFile()) {
      closeSync(fd);
      throw new StatusError('invalidArgument', `${name}: not a regular file`, { where: name });
    }
    const { size: bytes, mtimeMs: modifiedMs } = status;
    const file = new DiskParameterFile({ name, descriptor: fd, bytes, modifiedMs });
    try {
      if (reads === 'direct') file.directFd = openDirect(path, { name, status });
    } catch (error) {
      file.close();
      throw error;
    }
    return file;
  }

  /** A file that another thread has opened; whoever opened it closes it. */
  static opened(file: OpenedDiskFile): DiskParameterFile {
    return new DiskParameterFile(file);
  }

  read(offset: number, into: Uint8Array): void {
    assert(Number.isSafeInteger(offset) && offset >= 0, 'an offset from 0');
    for (let done = 0; done < into.length;) {
      const count = this.#readSome(offset + done, into.subarray(done));
      done += count;
      if (done === into.length) return;
      // A direct read that ends inside of a block cannot be gone on with.
      const bytesNow = fstatSync(this.fd).size;
      if (count === 0 || offset + done >= bytesNow) {
        const range = { offset, end: offset + into.length };
        throw shorterThanIndexed(this, range, bytesNow);
      }
    }
  }

  /** Throws when it was written to since its opening. Called after reads, so none is missed. */
  checkUnchanged(): void {
    if (this.modifiedMs === undefined || fstatSync(this.fd).mtimeMs === this.modifiedMs) return;
    throw new StatusError(
      'dataLoss',
      `${this.name} was written to after it was indexed; register the package again`,
      { where: this.name },
    );
  }

  #readSome(offset: number, into: Uint8Array): number {
    try {
      return readSync(this.fd, into, 0, Math.min(into.length, readBytesMax), offset);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const range = `bytes ${offset} to ${offset + into.length}`;
      throw new StatusError('dataLoss', `${this.name}: ${range} cannot be read (${code})`, {
        where: this.name,
      });
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.fd);
    if (this.directFd !== null) closeSync(this.directFd);
  }
}

/** Closes a file by the descriptors that its plan carries; a file in memory has none. */
export function closeFile(file: { readonly descriptor: number; readonly direct?: number }): void {
  if (file.descriptor >= 0) closeSync(file.descriptor);
  if (file.direct !== undefined) closeSync(file.direct);
}

/** Another descriptor of the file that is open already, for reads past the system's cache. */
function openDirect(
  path: string,
  { name, status }: { readonly name: string; readonly status: Stats },
): number {
  const refuse = (why: string) =>
    new StatusError(
      'failedPrecondition',
      `${name}: cannot be opened for direct reads: ${why} (deployment.parameter_files: buffered reads any file)`,
      { where: name },
    );
  // Not every system has the flag.
  const { O_DIRECT } = constants as { readonly O_DIRECT?: number };
  if (O_DIRECT === undefined) throw refuse('this system has none');
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | O_DIRECT);
  } catch (error) {
    throw refuse(`its file system refuses (${(error as NodeJS.ErrnoException).code})`);
  }
  const { dev, ino } = fstatSync(fd);
  if (dev === status.dev && ino === status.ino) return fd;
  closeSync(fd);
  throw refuse('it was replaced meanwhile');
}

/** Without `O_NONBLOCK` a named pipe would hold up the thread until somebody writes to it. */
function openDescriptor(path: string, name: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const why = isMissing ? 'no such file' : `cannot be opened (${code})`;
    throw new StatusError(isMissing ? 'notFound' : 'failedPrecondition', `${name}: ${why}`, {
      where: name,
    });
  }
}
