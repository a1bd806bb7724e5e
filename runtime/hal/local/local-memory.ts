/**
 * The one memory of the local device. At the bottom lie what programs need besides buffers: a guard
 * page, the argument block, the zero page, and each worker's sink and scratch. Above is slab 0 of
 * the pool, which grows on demand and never shrinks.
 *
 * Holds: 4 GiB in all is the end (32-bit addresses). Only the device thread grows it. The bytes of
 * the fixed part are the driver's and do not count against `--memory`.
 */
import { assert, StatusError } from '../../base/errors.js';
import { ARGS, SINK_BYTES, ZERO_PAGE_BYTES } from '../../jit/local-abi.js';
import type { DeviceRange } from '../buffer.js';
import type { HostWindow, SlabMemory } from '../pool.js';

const PAGE = 65_536;
const PAGES_MAX = 65_536;
/** Dispatch steps (LOOM 14: 8192) with a chunk counter each, after the sync block. */
const STEPS_MAX = 8_192;
const SYNC_BYTES = 128;
/** Bank fields of one program (LOOM 14), a pair of words each. */
const BANK_FIELDS_MAX = 65_536;
/** Shared arrays (16 KiB), private state of 256 lanes and spills of one worker. */
export const SCRATCH_BYTES_MAX = 1_048_576;

/** Times a byte: eight of it. */
const EVERY_BYTE = 0x0101_0101_0101_0101n;

const up = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

export interface LocalLayout {
  readonly sync: number;
  readonly counters: number;
  readonly args: number;
  readonly zeroPage: number;
  readonly scratch: number;
  readonly scratchStride: number;
  readonly slab: number;
}

export class LocalMemory implements SlabMemory {
  readonly memory: WebAssembly.Memory;
  readonly layout: LocalLayout;
  readonly slabs = 1;
  readonly slabBytesMax: number;
  #slabBytes = 0;
  /** End of what anybody was shown of the slab since it was new. */
  #shownEnd = 0;
  #bytes: Uint8Array;
  #words: Uint32Array;
  #longs: BigUint64Array;

  constructor(options: { workers: number; memoryBytes: number }) {
    this.layout = layoutFor(options.workers);
    const most = PAGES_MAX * PAGE - this.layout.slab;
    if (options.memoryBytes > most) {
      throw new StatusError(
        'outOfRange',
        `the local device has 32-bit addresses and can hold ${most} bytes of models and requests; --memory asks for ${options.memoryBytes}`,
      );
    }
    this.slabBytesMax = up(options.memoryBytes, 256);
    this.memory = new WebAssembly.Memory({
      initial: this.layout.slab / PAGE,
      maximum: Math.min(PAGES_MAX, (this.layout.slab + up(options.memoryBytes, PAGE)) / PAGE),
      shared: true,
    });
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
    this.#longs = new BigUint64Array(this.memory.buffer);
  }

  serves(): boolean {
    return true;
  }

  slabBytes(): number {
    return this.#slabBytes;
  }

  grow(slab: number, bytes: number): boolean {
    assert(slab === 0, 'the local device to have one slab');
    if (bytes > this.slabBytesMax) return false;
    const missing = this.layout.slab + bytes - this.memory.buffer.byteLength;
    try {
      if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    } catch {
      // The machine has not got the pages now.
      return false;
    }
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
    this.#longs = new BigUint64Array(this.memory.buffer);
    this.#slabBytes = Math.max(this.#slabBytes, bytes);
    return true;
  }

  fill(range: DeviceRange, byte: number): void {
    const address = this.address(range);
    this.#write(address, address + range.length, byte);
  }

  window(range: DeviceRange): HostWindow {
    const buffer = this.memory.buffer as unknown as SharedArrayBuffer;
    return { buffer, offset: this.address(range) };
  }

  /** The bytes of a range. Stays right when the memory grows. */
  view(range: DeviceRange): Uint8Array {
    const address = this.address(range);
    return this.#bytes.subarray(address, address + range.length);
  }

  address(range: DeviceRange): number {
    assert(range.slab === 0, 'the local device to have one slab');
    const end = range.offset + range.length;
    assert(end <= this.#slabBytes, 'a range inside the slab');
    if (end > this.#shownEnd) this.#shownEnd = end;
    return this.layout.slab + range.offset;
  }

  /** As if new: an empty slab whose bytes are zero. The pages stay. */
  reset(): void {
    this.#write(this.layout.slab, this.layout.slab + this.#shownEnd, 0);
    this.#slabBytes = 0;
    this.#shownEnd = 0;
  }

  /** Fixed part and slab as u32 words, for the argument block. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** Clears the scratch (not the sinks, which nobody reads) of the first `workers` workers. */
  clearScratch(workers: number, bytes: number): void {
    const { scratch, scratchStride } = this.layout;
    for (let worker = 0; worker < workers; worker += 1) {
      const start = scratch + worker * scratchStride + SINK_BYTES;
      this.#write(start, start + bytes, 0);
    }
  }

  /** Shared memory is filled element by element, so the longest elements are the quickest. */
  #write(start: number, end: number, byte: number): void {
    const first = Math.min(end, up(start, 8));
    const last = Math.max(first, end - (end % 8));
    this.#bytes.fill(byte, start, first);
    this.#longs.fill(BigInt(byte) * EVERY_BYTE, first / 8, last / 8);
    this.#bytes.fill(byte, last, end);
  }
}

function layoutFor(workers: number): LocalLayout {
  // Page 0 stays empty: an address that was never set reads zeros and hits nobody.
  const sync = PAGE;
  const counters = sync + SYNC_BYTES;
  const args = up(counters + STEPS_MAX * 4, 256);
  const zeroPage = up(args + ARGS.banks + BANK_FIELDS_MAX * 8, PAGE);
  const scratch = up(zeroPage + ZERO_PAGE_BYTES, PAGE);
  const scratchStride = up(SINK_BYTES + SCRATCH_BYTES_MAX, PAGE);
  const slab = scratch + workers * scratchStride;
  return { sync, counters, args, zeroPage, scratch, scratchStride, slab };
}

/** Refuses what the fixed part has no room for. Called when an executable is loaded. */
export function checkFits(
  name: string,
  need: { steps: number; bankFields: number; scratchBytes: number },
): void {
  const limits = [
    ['dispatch steps', need.steps, STEPS_MAX],
    ['bank fields', need.bankFields, BANK_FIELDS_MAX],
    ['bytes of scratch a worker', need.scratchBytes, SCRATCH_BYTES_MAX],
  ] as const;
  for (const [what, asked, limit] of limits) {
    if (asked > limit) {
      throw new StatusError(
        'resourceExhausted',
        `${name} needs ${asked} ${what}; the local device has ${limit}`,
      );
    }
  }
}
