/**
 * Writes a trace: JSON lines, a header first, then a record each. Holds a bounded amount for a slow
 * disk; what does not fit is left out, counted, and said in the file.
 */
import { createWriteStream, type WriteStream } from 'node:fs';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import type { Collected } from './record-history.js';

/** Bytes that wait for the disk. */
const HELD_MAX = 64 * 1024 * 1024;

/** The first line of a trace file. */
export interface TraceHeader {
  readonly loomTrace: 1;
  /** The clock of its records at its start, and the milliseconds since 1970 then. */
  readonly startMs: number;
  readonly wallTimeMs: number;
  readonly threads: readonly string[];
}

export const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

export class TraceFile {
  readonly path: string;
  readonly #stream: WriteStream;
  readonly #heldMax: number;
  #failure: Error | null = null;
  #lost = 0;
  /** Of other kinds than records. */
  #linesLost = 0;
  #lastMs: number;

  constructor(path: string, header: TraceHeader, heldMax = HELD_MAX) {
    this.path = path;
    this.#heldMax = heldMax;
    this.#lastMs = header.startMs;
    this.#stream = createWriteStream(path);
    this.#stream.on('error', (error) => (this.#failure = error));
    this.#stream.write(lineOf(header));
  }

  /** For other lines than records, in their place; false where the disk is too far behind. */
  append(line: object): boolean {
    if (this.#failure !== null) return false;
    if (this.#stream.writableLength <= this.#heldMax) return this.#put(line);
    this.#linesLost += 1;
    return false;
  }

  write(nowMs: number, { records, lost }: Collected): void {
    this.#lost += lost;
    if (this.#failure !== null) return;
    if (this.#stream.writableLength > this.#heldMax) {
      this.#lost += records.length;
      return;
    }
    this.#lastMs = nowMs;
    this.#tellLost();
    this.#stream.write(records.map(lineOf).join(''));
  }

  /** What is missing before this place. */
  #tellLost(): void {
    if (this.#lost + this.#linesLost === 0) return;
    this.#put({ type: 'lost', atMs: this.#lastMs, count: this.#lost, lines: this.#linesLost });
    this.#lost = 0;
    this.#linesLost = 0;
  }

  #put(line: object): true {
    this.#stream.write(lineOf(line));
    return true;
  }

  /** Resolves when everything is in the file; rejects when the file could not be written. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#stream.once('close', resolve));
    if (this.#failure === null) {
      this.#tellLost();
      this.#stream.end();
    }
    if (!this.#stream.closed) await closed;
    if (this.#failure === null) return;
    const { message, code } = toStatus(this.#failure);
    throw new StatusError(code, `the trace ${this.path} could not be written: ${message}`);
  }
}
