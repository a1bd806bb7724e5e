/**
 * A kernel for what WebGPU's own copies cannot do: bytes at odd offsets, odd lengths, and fills
 * with other than zero. It writes whole words and keeps the bytes beside the range as they are.
 */
import { COMPUTE_STAGE, USAGE } from './gpu-usage.js';

const LANES = 64;
const GROUPS_MAX = 65_535;
/** Bytes of one dispatch, far below the least size of a storage binding. */
export const PIECE_BYTES = 64 * 1024 * 1024;

/** The first byte of the range lies `skip` bytes into word 0 of the target. */
const SOURCE = /* wgsl */ `
struct Job { skip: u32, bytes: u32, source: u32, pattern: u32, copies: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> bytes: array<u32>;
@group(0) @binding(2) var<uniform> job: Job;

fn source_byte(at: u32) -> u32 {
  return (source[at / 4u] >> (8u * (at % 4u))) & 255u;
}

@compute @workgroup_size(${LANES})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let words = (job.skip + job.bytes + 3u) / 4u;
  for (var word = id.x; word < words; word += groups.x * ${LANES}u) {
    var value = 0u;
    var keep = 0u;
    for (var i = 0u; i < 4u; i++) {
      let at = word * 4u + i;
      if (at < job.skip || at >= job.skip + job.bytes) {
        keep |= 255u << (8u * i);
      } else if (job.copies != 0u) {
        value |= source_byte(job.source + at - job.skip) << (8u * i);
      } else {
        value |= job.pattern << (8u * i);
      }
    }
    if (keep == 0u) {
      bytes[word] = value;
    } else {
      bytes[word] = (bytes[word] & keep) | value;
    }
  }
}`;

export interface ByteTarget {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly length: number;
}

/** Bytes of a buffer of the caller's own, from byte `offset` on. */
export interface ByteSource {
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

export class ByteKernel {
  readonly #gpu: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipeline: GPUComputePipeline;
  /** Stands in as the source of fills. */
  readonly #nothing: GPUBuffer;

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
    const types = ['read-only-storage', 'storage', 'uniform'] as const;
    this.#layout = gpu.createBindGroupLayout({
      entries: types.map((type, binding) => {
        return { binding, visibility: COMPUTE_STAGE, buffer: { type } };
      }),
    });
    this.#pipeline = gpu.createComputePipeline({
      layout: gpu.createPipelineLayout({ bindGroupLayouts: [this.#layout] }),
      compute: { module: gpu.createShaderModule({ code: SOURCE }), entryPoint: 'main' },
    });
    this.#nothing = gpu.createBuffer({ size: 4, usage: USAGE.storage });
  }

  /** Writes at most `PIECE_BYTES`; what it made for that goes to `scratch`. */
  encode(
    encoder: GPUCommandEncoder,
    target: ByteTarget,
    value: ByteSource | number,
    scratch: GPUBuffer[],
  ): void {
    const alignment = this.#gpu.limits.minStorageBufferOffsetAlignment;
    const start = Math.floor(target.offset / alignment) * alignment;
    const end = Math.ceil((target.offset + target.length) / 4) * 4;
    const skip = target.offset - start;
    const isFill = typeof value === 'number';
    const job = this.#gpu.createBuffer({ size: 32, usage: USAGE.uniform | USAGE.copyTarget });
    scratch.push(job);
    const [source, pattern] = isFill ? [0, value] : [value.offset, 0];
    const words = Uint32Array.of(skip, target.length, source, pattern, isFill ? 0 : 1);
    this.#gpu.queue.writeBuffer(job, 0, words);
    const group = this.#gpu.createBindGroup({
      layout: this.#layout,
      entries: [
        { binding: 0, resource: { buffer: isFill ? this.#nothing : value.buffer } },
        { binding: 1, resource: { buffer: target.buffer, offset: start, size: end - start } },
        { binding: 2, resource: { buffer: job } },
      ],
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, group);
    const groups = Math.ceil((skip + target.length) / 4 / LANES);
    pass.dispatchWorkgroups(Math.min(GROUPS_MAX, groups));
    pass.end();
  }
}
