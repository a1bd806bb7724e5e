/** A checkpoint file with one entry, and a reader of it whose moments the test chooses. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import type { Gather, GatherEntry, Gathers } from '../../runtime/hal/gather.js';
import { readRanges } from '../../runtime/parameters/read-ranges.task.js';
import { SourceTable } from '../../runtime/parameters/source-table.js';
import type { DeviceFixture } from '../runtime/hal/device-fixture.js';

export const SCOPE = 'net@1';
const WORDS = 64;
const OFFSET = 16;

/** Word `at` of the entry. */
export const fileWord = (at: number): number => 1000 + at * at;

export const entryOf = (): GatherEntry => {
  return { key: 'table', source: 0, shard: 0, offset: OFFSET, bytes: WORDS * 4 };
};

/** Waits for what other turns bring about. */
export async function settled(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 2000) throw new Error(`it does not come: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

interface HeldRead {
  readonly run: () => void;
}

export class GatherSource implements Gathers {
  readonly path: string;
  readonly #folder: string;
  readonly #table: SourceTable;
  readonly #open = new Set<number>();
  #accepted = 0;
  #isHolding = false;
  /** What became of each gather, in order. */
  readonly events: string[] = [];
  /** Bytes that each read has copied to the host. */
  readonly copied: number[] = [];
  readonly held: HeldRead[] = [];
  isClosed = false;

  constructor(fixture: DeviceFixture) {
    this.#folder = mkdtempSync(join(tmpdir(), 'loom-gather-'));
    this.path = join(this.#folder, 'weights');
    const bytes = new Uint8Array(OFFSET + WORDS * 4);
    bytes.set(
      new Uint8Array(Uint32Array.from({ length: WORDS }, (_, at) => fileWord(at)).buffer),
      OFFSET,
    );
    writeFileSync(this.path, bytes);
    this.#table = new SourceTable(({ descriptor }) => {
      closeSync(descriptor);
      this.isClosed = true;
    });
    const file = {
      name: 'weights',
      descriptor: openSync(this.path, 'r'),
      bytes: bytes.length,
    };
    this.#table.register(SCOPE, [{ files: [file] }]);
    fixture.runner.gathers = this;
  }

  /** Gathers that have not retired. */
  get open(): number[] {
    return [...this.#open];
  }

  /** From now on reads wait in `held`. */
  hold(): void {
    this.#isHolding = true;
  }

  release(read: HeldRead): void {
    this.held.splice(this.held.indexOf(read), 1);
    read.run();
  }

  unregister(): boolean {
    return this.#table.release(SCOPE);
  }

  close(): void {
    this.#table.releaseAll();
    rmSync(this.#folder, { recursive: true });
  }

  check(scope: string, { source, shard }: GatherEntry): void {
    if (this.#table.find(scope).sources[source]?.files[shard] !== undefined) return;
    throw new StatusError('notFound', `${scope} has no shard ${shard} of source ${source}`);
  }

  accept(scope: string, entry: GatherEntry): Gather {
    const lease = this.#table.find(scope);
    lease.retain();
    const id = this.#accepted;
    this.#accepted += 1;
    this.#open.add(id);
    const note = (event: string): void => void this.events.push(`${id} ${event}`);
    return {
      started: () => note('started'),
      read: (descriptors, target, done) => {
        note('read');
        this.copied.push(descriptors.buffer.byteLength);
        const file = lease.sources[entry.source]!.files[entry.shard]!;
        const run = (): void => {
          try {
            readRanges({ file, entry, descriptors, target });
            done(null);
          } catch (error) {
            done(toStatus(error));
          }
        };
        if (this.#isHolding) this.held.push({ run });
        else setImmediate(run);
      },
      retired: () => {
        note('retired');
        this.#open.delete(id);
        lease.release();
      },
    };
  }
}
