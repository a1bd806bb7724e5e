/**
 * Fills the storage of a bank as its load plan says: reads by threads that may block, packing by
 * kernels on the device. Lives on the device thread; calls back there.
 *
 * Holds: a few blocks are in flight, of which two read or decode and two are packed, so host memory
 * beyond the bank's own stays below four blocks; the queue orders reads and kernels by the bytes
 * that they touch. It ends exactly once, when nothing of it is in flight any more, whether it is
 * done, failed or was stopped.
 */
import { assert, StatusError, type StatusRecord } from '../base/errors.js';
import { subRange, type DeviceRange } from '../hal/buffer.js';
import type { DeviceCommand } from '../hal/command.js';
import type { Device } from '../hal/device.js';
import { loadBlocks, type LoadBlock } from './load-blocks.js';
import {
  LOADER_PACKET_BYTES,
  payloadBytes,
  type LoadPlan,
  type OpenedSource,
} from './load-plan.js';
import type { BlockRead, ReadBlock } from './read-block.task.js';

/** More than there are reading threads, so that none waits for its next block. */
const BLOCKS_IN_FLIGHT = 4;
const STAGING_BUFFERS = 2;
/** The packet of a loader program lies before its block in a staging buffer. */
export const STAGING_HEADER_BYTES = 256;

type Pack = Extract<LoadBlock, { op: 'pack' }>;

export interface BankLoaderOptions {
  readonly device: Device;
  readonly deployment: string;
  readonly plan: LoadPlan;
  readonly sources: readonly OpenedSource[];
  readonly storage: DeviceRange;
  /** Two, or none where nothing is packed. */
  readonly staging: readonly DeviceRange[];
  /** Calls back exactly once, not before it returns. */
  readonly read: (
    block: ReadBlock,
    done: (outcome: BlockRead | { readonly status: StatusRecord }) => void,
  ) => void;
  readonly onProgress: () => void;
  readonly onEnd: (failure: StatusRecord | null) => void;
}

export class BankLoader {
  readonly totalBytes: number;
  /** Bytes of checkpoints whose blocks have retired. */
  loadedBytes = 0;
  /** NaN and infinity among the values read as f32. */
  nonFinite = 0;
  readonly #options: BankLoaderOptions;
  readonly #blocks: Iterator<LoadBlock>;
  #failure: StatusRecord | null = null;
  #open = 0;
  #taken = 0;
  #hasEnded = false;

  constructor(options: BankLoaderOptions) {
    this.#options = options;
    this.#blocks = loadBlocks(options.plan);
    this.totalBytes = options.plan.steps.reduce((sum, step) => sum + payloadBytes(step), 0);
  }

  start(): void {
    this.#pump();
  }

  /** Starts no more blocks; ends with `status` when those in flight have retired. */
  stop(status: StatusRecord): void {
    this.#failure ??= status;
    this.#pump();
  }

  #pump(): void {
    while (this.#open < BLOCKS_IN_FLIGHT && this.#failure === null) {
      const { value, done } = this.#blocks.next();
      if (done === true) break;
      this.#submit(value);
    }
    if (this.#open > 0 || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd(this.#failure);
  }

  #submit(block: LoadBlock): void {
    const { device, plan, onProgress } = this.#options;
    const label = `${plan.label}: ${plan.fields[block.field]!.name}`;
    this.#open += 1;
    try {
      device.queue.submit({
        label,
        wait: null,
        timeline: device.createTimeline(label),
        commands: this.#commands(block),
        onRetired: ({ failure }) => {
          this.#open -= 1;
          this.#failure ??= failure;
          if (failure === null && 'from' in block) this.loadedBytes += block.from.bytes;
          onProgress();
          this.#pump();
        },
      });
    } catch (error) {
      this.#open -= 1;
      // The device is gone, or the programs of a generation that has ended.
      if (!(error instanceof StatusError)) throw error;
      this.#failure ??= device.queue.refusal ?? error.status;
    }
  }

  #commands(block: LoadBlock): readonly DeviceCommand[] {
    const field = this.#field(block.field);
    if (block.op === 'fill') return [this.#launch(block.loader, [field], null)];
    if (block.op === 'copy')
      return this.#reading(block, subRange(field, block.offset, block.length));
    const staging = this.#options.staging[this.#taken % STAGING_BUFFERS];
    assert(staging, 'staging for a plan that packs');
    this.#taken += 1;
    const packet = subRange(staging, 0, LOADER_PACKET_BYTES);
    const source = subRange(staging, STAGING_HEADER_BYTES, block.length);
    const bytes = packetOf(block);
    return [
      ...this.#reading(block, source),
      { op: 'upload', target: packet, bytes },
      this.#launch(block.loader, [packet, source, field], bytes),
    ];
  }

  /** The block's bytes into `target`: straight, or by an upload where threads do not see it. */
  #reading(
    { from, decode }: Extract<LoadBlock, { op: 'copy' | 'pack' }>,
    target: DeviceRange,
  ): readonly DeviceCommand[] {
    const { device, sources, read } = this.#options;
    const window = device.memory.window(target);
    const { buffer, offset } = window ?? {
      buffer: new SharedArrayBuffer(target.length),
      offset: 0,
    };
    const file = sources[from.source]?.files[from.shard];
    assert(file, 'a plan to name shards that were opened');
    const block: ReadBlock = {
      file,
      from,
      decode,
      target: { buffer, offset, length: target.length },
    };
    const call: DeviceCommand = {
      op: 'call',
      reads: [],
      writes: [target],
      run: (done) =>
        read(block, (outcome) => {
          if ('status' in outcome) return done(outcome.status);
          this.nonFinite += outcome.nonFinite;
          done(null);
        }),
    };
    if (window) return [call];
    return [call, { op: 'upload', target, bytes: new Uint8Array(buffer) }];
  }

  /** `packet`: what its first root was given, for devices that read words of it on the host. */
  #launch(loader: number, roots: readonly DeviceRange[], packet: Uint8Array | null): DeviceCommand {
    const { device, plan, deployment } = this.#options;
    const executable = device.executable(plan.loaders[loader]!);
    const launch = { executable, roots, banks: [], workspace: null, part: 0 };
    const hosted = () => [packet];
    return { op: 'execute', launch: { ...launch, deployment, backEdges: null, hosted } };
  }

  #field(index: number): DeviceRange {
    const { offset, bytes } = this.#options.plan.fields[index]!;
    return subRange(this.#options.storage, offset, bytes);
  }
}

function packetOf({ at, rows, cols }: Pack): Uint8Array {
  const packet = new DataView(new ArrayBuffer(LOADER_PACKET_BYTES));
  [at, rows, cols].forEach((word, index) => packet.setInt32(index * 4, word, true));
  return new Uint8Array(packet.buffer);
}
