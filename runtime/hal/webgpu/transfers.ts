/**
 * Uploads, copies and fills of a WebGPU device. What is aligned to words goes the short way; the
 * rest goes through a kernel. Dawn's queue keeps order, so a transfer is done for its work as soon
 * as it is in that queue, and later commands see its bytes.
 *
 * Holds: a transfer that Dawn refuses after all loses the device, since its work went on. A large
 * upload is done only when the device has taken it, so that whoever streams weights does not
 * fill the memory with copies that wait.
 */
import { assert, StatusError, type StatusRecord } from '../../base/errors.js';
import type { DeviceRange } from '../buffer.js';
import { ByteKernel, PIECE_BYTES } from './byte-kernel.js';
import { guarded } from './gpu-guard.js';
import { USAGE } from './gpu-usage.js';
import { submittedDone } from './outstanding.js';
import type { WebgpuMemory } from './webgpu-memory.js';

/** Larger writes take Dawn many times as long a byte. */
const WRITE_BYTES = 4 * 1024 * 1024;
/** Uploads from here on are waited for. */
const LARGE_BYTES = 1024 * 1024;

const isWordy = (...values: readonly number[]): boolean => values.every((value) => value % 4 === 0);

export class Transfers {
  readonly #gpu: GPUDevice;
  readonly #memory: WebgpuMemory;
  readonly #kernel: ByteKernel;
  readonly #onFailed: (status: StatusRecord) => void;

  constructor(gpu: GPUDevice, memory: WebgpuMemory, onFailed: (status: StatusRecord) => void) {
    this.#gpu = gpu;
    this.#onFailed = onFailed;
    this.#memory = memory;
    this.#kernel = new ByteKernel(gpu);
  }

  /** Runs the kernel once, because it is compiled when it first runs. */
  async warm(): Promise<void> {
    const failure = this.#run('the first transfer', (encoder, scratch) => {
      const buffer = this.#scratch(4, scratch);
      this.#kernel.encode(encoder(), { buffer, offset: 0, length: 1 }, 1, scratch);
    });
    const [status] = await Promise.all([failure, submittedDone(this.#gpu)]);
    if (status) throw StatusError.from(status);
  }

  /** Null when it is in the queue; else what to wait for. */
  upload(target: DeviceRange, bytes: Uint8Array): Promise<StatusRecord | null> | null {
    assert(bytes.length === target.length, 'an upload of the target length');
    const failure = this.#run('an upload', (encoder, scratch) => {
      const buffer = this.#memory.buffer(target);
      for (let at = 0; at < bytes.length; at += WRITE_BYTES) {
        const piece = bytesOf(bytes.subarray(at, at + WRITE_BYTES));
        const offset = target.offset + at;
        if (isWordy(offset, piece.length)) this.#gpu.queue.writeBuffer(buffer, offset, piece);
        else {
          const source = { buffer: this.#staged(piece, scratch), offset: 0 };
          const to = { buffer, offset, length: piece.length };
          this.#kernel.encode(encoder(), to, source, scratch);
        }
      }
    });
    if (bytes.length < LARGE_BYTES) return null;
    return Promise.all([failure, submittedDone(this.#gpu)]).then(([status]) => status);
  }

  copy(source: DeviceRange, target: DeviceRange): void {
    assert(source.length === target.length, 'a copy between equal lengths');
    void this.#run('a copy', (encoder, scratch) => {
      const [from, to] = [this.#memory.buffer(source), this.#memory.buffer(target)];
      for (let at = 0; at < source.length; at += PIECE_BYTES) {
        const length = Math.min(PIECE_BYTES, source.length - at);
        const [read, written] = [source.offset + at, target.offset + at];
        const isAligned = isWordy(read, written, length);
        if (isAligned && from !== to) {
          encoder().copyBufferToBuffer(from, read, to, written, length);
          continue;
        }
        // No buffer may be copied to itself, so by way of another.
        const start = Math.floor(read / 4) * 4;
        const size = Math.ceil((read + length) / 4) * 4 - start;
        const between = this.#scratch(size, scratch);
        encoder().copyBufferToBuffer(from, start, between, 0, size);
        if (isAligned) encoder().copyBufferToBuffer(between, 0, to, written, size);
        else {
          const value = { buffer: between, offset: read - start };
          this.#kernel.encode(encoder(), { buffer: to, offset: written, length }, value, scratch);
        }
      }
    });
  }

  fill(target: DeviceRange, byte: number): void {
    void this.#run('a fill', (encoder, scratch) => {
      const buffer = this.#memory.buffer(target);
      const { offset, length } = target;
      if (byte === 0 && isWordy(offset, length)) {
        encoder().clearBuffer(buffer, offset, length);
        return;
      }
      for (let at = 0; at < length; at += PIECE_BYTES) {
        const piece = { buffer, offset: offset + at, length: Math.min(PIECE_BYTES, length - at) };
        this.#kernel.encode(encoder(), piece, byte, scratch);
      }
    });
  }

  /** Encodes and submits; the encoder is made when first asked for. */
  #run(
    label: string,
    encode: (encoder: () => GPUCommandEncoder, scratch: GPUBuffer[]) => void,
  ): Promise<StatusRecord | null> {
    const scratch: GPUBuffer[] = [];
    let open: GPUCommandEncoder | null = null;
    const failure = guarded(this.#gpu, label, () => {
      encode(() => (open ??= this.#gpu.createCommandEncoder()), scratch);
      if (open) this.#gpu.queue.submit([open.finish()]);
    });
    // Dawn keeps them until the work that uses them is over.
    for (const buffer of scratch) buffer.destroy();
    return failure.then((status) => {
      if (status) this.#onFailed(status);
      return status;
    });
  }

  #scratch(size: number, scratch: GPUBuffer[]): GPUBuffer {
    const usage = USAGE.storage | USAGE.copySource | USAGE.copyTarget;
    const buffer = this.#gpu.createBuffer({ size, usage });
    scratch.push(buffer);
    return buffer;
  }

  #staged(bytes: Uint8Array<ArrayBuffer>, scratch: GPUBuffer[]): GPUBuffer {
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    const buffer = this.#scratch(padded.length, scratch);
    this.#gpu.queue.writeBuffer(buffer, 0, padded);
    return buffer;
  }
}

/** Dawn ends the process when it is given shared memory. */
function bytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.buffer instanceof ArrayBuffer) return bytes as Uint8Array<ArrayBuffer>;
  return bytes.slice() as Uint8Array<ArrayBuffer>;
}
