/**
 * Runs compiled command programs as the device thread would: a shared memory with argument block,
 * zero page, scratch, workspace and roots; one worker on this thread, or several in worker threads.
 */
import { Worker } from 'node:worker_threads';
import {
  ARGS,
  BACK_EDGES_MAX,
  SINK_BYTES,
  SYNC,
  ZERO_PAGE_BYTES,
} from '../../../runtime/jit/local-abi.js';
import type { CompiledCommand } from '../../../runtime/jit/emitter.js';

const PAGE = 65_536;
const WORKERS_MAX = 4;
const zeros = Buffer.alloc(ZERO_PAGE_BYTES);

export interface RunOptions {
  readonly workers?: number;
  readonly part?: number;
  readonly budget?: number;
  /** Poison the submission before it starts. */
  readonly poison?: number;
}

export interface RunResult {
  readonly roots: readonly Uint8Array[];
  readonly poison: number;
  readonly poisonStep: number;
  readonly poisonDetail: number;
}

/** One program with its memory: roots keep their content from run to run. */
export class CommandBench {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly #compiled: CompiledCommand;
  readonly #roots: { address: number; length: number }[] = [];
  readonly #workspace: number;
  readonly #scratch: number;
  readonly #stride: number;
  readonly #args = PAGE;
  readonly #sync = PAGE + 1024;
  readonly #counters = PAGE + 2048;
  readonly #zero: number;
  #instance: WebAssembly.Instance | null = null;

  constructor(compiled: CompiledCommand, roots: readonly Uint8Array[]) {
    this.#compiled = compiled;
    const { reflection } = compiled;
    let at = this.#counters + reflection.dispatches * 4;
    const take = (bytes: number, alignment = 256) => {
      const address = Math.ceil(at / alignment) * alignment;
      at = address + bytes;
      return address;
    };
    this.#zero = take(ZERO_PAGE_BYTES);
    this.#stride = Math.ceil((SINK_BYTES + reflection.scratchBytes) / 256) * 256;
    this.#scratch = take(this.#stride * WORKERS_MAX);
    this.#workspace = take(reflection.workspaceBytes);
    for (const bytes of roots) {
      // A canary of 256 bytes after each root shows stores outside.
      this.#roots.push({ address: take(bytes.length + 256), length: bytes.length });
    }
    const pages = Math.ceil(at / PAGE) + 1;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const content = new Uint8Array(this.memory.buffer);
    // Scratch and workspace start dirty: nothing may rely on zeros there.
    content.fill(0xa5, this.#scratch, at);
    roots.forEach((bytes, index) => content.set(bytes, this.#roots[index]!.address));
    this.module = new WebAssembly.Module(compiled.bytes);
  }

  /** From now on the root lies there, without a canary. */
  rebind(root: number, address: number): void {
    this.#roots[root] = { ...this.#roots[root]!, address };
  }

  bytes(root: number): Uint8Array {
    const { address, length } = this.#roots[root]!;
    return new Uint8Array(this.memory.buffer, address, length);
  }

  floats(root: number): Float32Array {
    const { address, length } = this.#roots[root]!;
    return new Float32Array(this.memory.buffer, address, length >>> 2);
  }

  /** Whether nothing was stored behind a root or into the zero page. */
  canariesIntact(): boolean {
    const content = new Uint8Array(this.memory.buffer);
    const zeroPage = Buffer.from(this.memory.buffer as ArrayBuffer, this.#zero, ZERO_PAGE_BYTES);
    if (!zeroPage.equals(zeros)) return false;
    return this.#roots.every(({ address, length }) =>
      content.subarray(address + length, address + length + 256).every((byte) => byte === 0xa5),
    );
  }

  /** Fills the argument block for one submission. */
  prepare({ part = 0, budget = BACK_EDGES_MAX, poison = 0 }: RunOptions = {}): void {
    const words = new Uint32Array(this.memory.buffer);
    const set = (offset: number, value: number) => (words[(this.#args + offset) >>> 2] = value);
    words.fill(0, this.#sync >>> 2, (this.#sync + 128) >>> 2);
    words.fill(
      0,
      this.#counters >>> 2,
      (this.#counters >>> 2) + this.#compiled.reflection.dispatches,
    );
    words[(this.#sync + SYNC.poison) >>> 2] = poison;
    set(ARGS.sync, this.#sync);
    set(ARGS.counters, this.#counters);
    set(ARGS.zeroPage, this.#zero);
    set(ARGS.scratch, this.#scratch);
    set(ARGS.scratchStride, this.#stride);
    set(ARGS.workspace, this.#workspace);
    set(ARGS.part, part);
    set(ARGS.budget, budget);
    this.#roots.forEach(({ address, length }, index) => {
      set(ARGS.roots + index * 8, address);
      set(ARGS.roots + index * 8 + 4, length);
    });
  }

  /** Runs worker 0 of 1 on this thread. */
  runAlone(options: RunOptions = {}): RunResult {
    this.launch(options);
    return this.#result();
  }

  /** The same without copying results out. */
  launch(options: RunOptions = {}): void {
    this.prepare(options);
    this.#instance ??= new WebAssembly.Instance(this.module, { env: { memory: this.memory } });
    (this.#instance.exports['run'] as (w: number, n: number, a: number) => void)(0, 1, this.#args);
  }

  /** Runs all workers in threads of their own; `absent` workers never call `run`. */
  async run(
    options: RunOptions & { readonly absent?: readonly number[] } = {},
  ): Promise<RunResult> {
    const workers = options.workers ?? 1;
    this.prepare(options);
    const threads = Array.from({ length: workers }, (_, worker) => worker)
      .filter((worker) => !options.absent?.includes(worker))
      .map((worker) => {
        const thread = new Worker(new URL('./command.thread.js', import.meta.url), {
          workerData: {
            module: this.module,
            memory: this.memory,
            worker,
            workers,
            args: this.#args,
          },
        });
        return new Promise<void>((resolve, reject) => {
          thread.once('error', reject);
          thread.once('exit', () => resolve());
        });
      });
    await Promise.all(threads);
    return this.#result();
  }

  /** What the device thread does when a worker died. */
  poison(cause: number): void {
    const words = new Int32Array(this.memory.buffer);
    Atomics.compareExchange(words, (this.#sync + SYNC.poison) >>> 2, 0, cause);
    Atomics.notify(words, (this.#sync + SYNC.done) >>> 2);
  }

  #result(): RunResult {
    const words = new Uint32Array(this.memory.buffer);
    const at = this.#sync >>> 2;
    return {
      roots: this.#roots.map((_, index) => this.bytes(index).slice()),
      poison: words[at + SYNC.poison / 4]!,
      poisonStep: words[at + SYNC.poisonStep / 4]!,
      poisonDetail: words[at + SYNC.poisonDetail / 4]!,
    };
  }
}
