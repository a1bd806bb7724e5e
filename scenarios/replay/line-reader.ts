/**
 * Lines of a file with their places in it, so that long ones can be read again when they are due.
 */
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { StatusError, toStatus } from '../../runtime/base/errors.js';

/** Above what a recorder writes: a body of 16 MiB whose every character is escaped. */
export const LINE_BYTES_MAX = 48 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export interface FileLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  readonly at: number;
  readonly bytes: number;
  /** No line break ends it: whoever wrote it ended first. */
  readonly isCut: boolean;
}

/** Rejects when the file cannot be read, or a line is longer than any that a recorder writes. */
export async function* linesOf(file: string): AsyncGenerator<FileLine> {
  const pieces: Buffer[] = [];
  let held = 0;
  let at = 0;
  let number = 0;
  const taken = (isCut: boolean): FileLine => {
    const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces.length = 0;
    number += 1;
    const line = { text: whole.toString('utf8'), number, at, bytes: whole.length, isCut };
    at += whole.length + 1;
    held = 0;
    return line;
  };
  for await (const chunk of chunksOf(file)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, end));
      from = end + 1;
      yield taken(false);
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > LINE_BYTES_MAX) {
      const message = `${file}:${number + 1}: a line has more than ${LINE_BYTES_MAX} bytes`;
      throw new StatusError(
        'outOfRange',
        `${message}; no recorder writes one, this is no recording`,
      );
    }
  }
  if (held > 0) yield taken(true);
}

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new StatusError('notFound', `${file} cannot be read: ${toStatus(error).message}`);
  }
}

/** A line that was seen before. */
export async function lineAt(
  file: FileHandle,
  { at, bytes }: Pick<FileLine, 'at' | 'bytes'>,
): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new StatusError('dataLoss', 'the recording became shorter');
  return buffer.toString('utf8');
}
