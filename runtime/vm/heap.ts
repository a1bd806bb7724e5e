/**
 * The memory of one VM instance: literals, the frozen state image and the arena of the running
 * call (`memory-map.ts`). It allocates by moving a pointer, grows the WebAssembly memory as needed,
 * keeps the byte cap and the fuel of the call. Operations on objects live in the files beside it.
 *
 * Addresses are numbers (u32). Only this class grows the memory; whoever keeps a view across an
 * allocation holds a dead one, so take `view` and `bytes` afresh each time.
 */
import { assert } from '../base/errors.js';
import type { RecordType } from '../loom/typed.js';
import { faults } from './faults.js';
import {
  ARENA_BYTES,
  ARENA_BYTES_MAX,
  ARENA_LIMIT,
  ARENA_POINTER,
  CALL_DEPTH,
  COPY_SHIFT,
  FROZEN_BASE,
  FROZEN_BYTES_MAX,
  FUEL,
  FUEL_DEFAULT,
  LITERALS_BASE,
  PAGE,
  WRITABLE_BASE,
} from './memory-map.js';
import { StatusError } from '../base/errors.js';
import { newMemories, type HeapMemories } from './heap-memories.js';
import { roundUp } from './value-layout.js';

/** A record graph as bytes that lie at FROZEN_BASE, its ref there, and where its addresses are. */
export interface SealedState {
  readonly image: Uint8Array;
  /** Address of the ref, counted from address 0 (so at least FROZEN_BASE). */
  readonly root: number;
  /** Offsets of the u32 addresses in the image, for moving it elsewhere. */
  readonly pointers: Uint32Array;
  /** Record types of its refs: what a reader may open them as. */
  readonly types: readonly RecordType[];
}

export interface HeapOptions {
  /** Cap of one call's arena (knob). */
  readonly arenaBytes?: number;
  /** What `prepare` sealed; all calls read it in place. */
  readonly state?: SealedState;
  readonly memories?: HeapMemories;
}

/** Arena that a fresh instance can use without growing. */
const INITIAL_ARENA_BYTES = 16 * PAGE;

export class Heap {
  readonly memory: WebAssembly.Memory;
  readonly arenaBase: number;
  readonly arenaBytes: number;
  view: DataView;
  bytes: Uint8Array;
  /** Calls that have begun: what lies in the arena belongs to the last one. */
  calls = 0;
  #literalsEnd = LITERALS_BASE;
  #fuelLimit = FUEL_DEFAULT;
  /** End of what calls before this one, and rewinds of it, have used. */
  #usedEnd = 0;

  constructor({ arenaBytes = ARENA_BYTES, state, memories = newMemories }: HeapOptions = {}) {
    const frozenBytes = state?.image.length ?? 0;
    if (frozenBytes > FROZEN_BYTES_MAX) {
      throw new StatusError(
        'resourceExhausted',
        `a state of ${frozenBytes} bytes was sealed; the limit is ${FROZEN_BYTES_MAX}`,
      );
    }
    if (arenaBytes > ARENA_BYTES_MAX) {
      throw new StatusError(
        'invalidArgument',
        `an arena of ${arenaBytes} bytes a call; the limit is ${ARENA_BYTES_MAX} (deployment.memory.arena_bytes)`,
      );
    }
    this.arenaBytes = roundUp(arenaBytes, 16);
    this.arenaBase = roundUp(FROZEN_BASE + frozenBytes, 16);
    const end = this.arenaBase + this.arenaBytes;
    const first = this.arenaBase + Math.min(INITIAL_ARENA_BYTES, this.arenaBytes);
    const pages = { initial: Math.ceil(first / PAGE), maximum: Math.ceil(end / PAGE) };
    this.memory = memories.take(pages, () => this.#wipe());
    this.view = new DataView(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
    if (state) this.bytes.set(state.image, FROZEN_BASE);
    this.view.setUint32(ARENA_LIMIT, end, true);
    this.view.setUint32(WRITABLE_BASE, this.arenaBase, true);
    this.beginCall();
  }

  /** Empties the arena and sets the fuel of the call that follows. */
  beginCall(fuel: number = FUEL_DEFAULT): void {
    this.#noteUsed();
    this.calls += 1;
    this.#fuelLimit = Math.min(fuel, 2 ** 31 - 1);
    this.view.setUint32(ARENA_POINTER, this.arenaBase, true);
    this.view.setUint32(CALL_DEPTH, 0, true);
    this.view.setInt32(FUEL, this.#fuelLimit, true);
  }

  /** Uninitialised arena bytes, 8-aligned. */
  alloc(byteCount: number): number {
    const at = this.view.getUint32(ARENA_POINTER, true);
    const next = at + Math.ceil(byteCount / 8) * 8;
    if (next > this.arenaBase + this.arenaBytes) throw faults.arena(byteCount, this.arenaBytes);
    if (next > this.bytes.length) this.#grow(next);
    this.view.setUint32(ARENA_POINTER, next, true);
    return at;
  }

  #noteUsed(): void {
    this.#usedEnd = Math.max(this.#usedEnd, this.view.getUint32(ARENA_POINTER, true));
  }

  /** Zeros wherever this heap or its program have written. */
  #wipe(): void {
    this.#noteUsed();
    // The program itself may have grown the memory, which ends the view.
    const bytes = new Uint8Array(this.memory.buffer);
    bytes.fill(0, 0, this.#literalsEnd);
    bytes.fill(0, FROZEN_BASE, this.#usedEnd);
  }

  #grow(end: number): void {
    // At least half as much again, so that many small allocations grow it few times.
    const wanted = Math.max(end, this.bytes.length + this.bytes.length / 2);
    const pages = Math.ceil(Math.min(wanted, this.arenaBase + this.arenaBytes) / PAGE);
    this.memory.grow(pages - this.bytes.length / PAGE);
    this.view = new DataView(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  /** Bytes of the arena in use. */
  get used(): number {
    return this.view.getUint32(ARENA_POINTER, true) - this.arenaBase;
  }

  /** Frees what was allocated since `used` was read; nothing may refer to it. */
  rewind(used: number): void {
    assert(used <= this.used, 'a mark of this call');
    this.#noteUsed();
    this.view.setUint32(ARENA_POINTER, this.arenaBase + used, true);
  }

  /** What the call in progress was given. */
  get fuelLimit(): number {
    return this.#fuelLimit;
  }

  get fuel(): number {
    return this.view.getInt32(FUEL, true);
  }

  charge(units: number): void {
    const left = this.view.getInt32(FUEL, true) - units;
    // Stays below zero once spent, whatever is charged after it.
    this.view.setInt32(FUEL, Math.max(left, -1), true);
    if (left < 0) throw faults.fuel(this.#fuelLimit);
  }

  /** Fuel of copying, clearing or searching bytes. */
  chargeBytes(byteCount: number): void {
    this.charge(Math.floor(byteCount / 2 ** COPY_SHIFT));
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  setU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  /** Writes program literals, laid by a LiteralTable, after those of nobody else. */
  writeLiterals(literals: Uint8Array): void {
    assert(this.#literalsEnd === LITERALS_BASE, 'literals to be written once');
    if (LITERALS_BASE + literals.length > FROZEN_BASE) {
      throw new StatusError(
        'resourceExhausted',
        `the texts of the program take ${literals.length} bytes; the limit is ${FROZEN_BASE - LITERALS_BASE}`,
      );
    }
    this.bytes.set(literals, LITERALS_BASE);
    this.#literalsEnd = LITERALS_BASE + literals.length;
  }
}
