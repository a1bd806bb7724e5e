/**
 * A parameter file on disk, open until `close`. The open descriptor pins the file: one that is
 * replaced by name goes on being read, one that is cut short in place fails the reads beyond its
 * end. Whoever opens it closes it; reads move no file position, so threads may share the
 * descriptor.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { StatusError, assert } from '../../base/errors.js';
import { shorterThanIndexed } from './parameter-file.js';
import type { ParameterFile } from './parameter-file.js';

/** One call of the system reads less than 2 GiB. */
const readBytesMax = 2 ** 30;

export class DiskParameterFile implements ParameterFile {
  readonly name: string;
  readonly bytes: number;
  readonly fd: number;
  #isOpen = true;

  private constructor(name: string, fd: number, bytes: number) {
    this.name = name;
    this.fd = fd;
    this.bytes = bytes;
  }

  static open(path: string, name: string): DiskParameterFile {
    const fd = openDescriptor(path, name);
    const status = fstatSync(fd);
    if (!status.isFile()) {
      closeSync(fd);
      throw new StatusError('invalidArgument', `${name}: not a regular file`, { where: name });
    }
    return new DiskParameterFile(name, fd, status.size);
  }

  /** A file that another thread has opened; whoever opened it closes it. */
  static opened(file: { name: string; descriptor: number; bytes: number }): DiskParameterFile {
    return new DiskParameterFile(file.name, file.descriptor, file.bytes);
  }

  read(offset: number, into: Uint8Array): void {
    assert(Number.isSafeInteger(offset) && offset >= 0, 'an offset from 0');
    for (let done = 0; done < into.length;) {
      const count = this.#readSome(offset + done, into.subarray(done));
      if (count === 0) {
        const range = { offset, end: offset + into.length };
        throw shorterThanIndexed(this, range, fstatSync(this.fd).size);
      }
      done += count;
    }
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
  }
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
