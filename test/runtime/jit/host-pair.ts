/**
 * One host program under both executors, each on a heap of its own: what a call gives, or which
 * error with which position, the fuel it left, and the bytes it returned.
 */
import * as assert from 'uvu/assert';
import { compileHost } from '../../../runtime/jit/compile-host.js';
import { wasmExecutor } from '../../../runtime/jit/host-executor.js';
import type { HostFunction, HostProgram, Type } from '../../../runtime/loom/typed.js';
import type {
  Executor,
  ExecutorFactory,
  ExecutorHost,
  RawValue,
} from '../../../runtime/vm/executor.js';
import { FormatBuilder } from '../../../runtime/vm/format-builder.js';
import { HandleTable } from '../../../runtime/vm/handle-table.js';
import { Heap } from '../../../runtime/vm/heap.js';
import { bufferBytes } from '../../../runtime/vm/heap-buffers.js';
import { heapOperations } from '../../../runtime/vm/heap-operations.js';
import { readString } from '../../../runtime/vm/heap-strings.js';
import { interpretHost } from '../../../runtime/vm/interpreter/host-interpreter.js';
import { ProgramError } from '../../../runtime/vm/program-error.js';
import { hostProgram } from '../../generators/typed-builder.js';

export interface PairOptions {
  readonly fuel?: number;
  readonly arenaBytes?: number;
  readonly capabilities?: readonly ((args: readonly RawValue[]) => readonly RawValue[])[];
}

export interface Outcome {
  /** Scalars as they are; strings and buffers by content. */
  readonly results?: readonly unknown[];
  readonly error?: {
    readonly code: string;
    readonly reason: string;
    readonly frames: readonly unknown[];
  };
  readonly fuel: number;
}

interface Side {
  readonly heap: Heap;
  readonly format: FormatBuilder;
  readonly executor: Executor;
}

export class HostPair {
  readonly #program: HostProgram;
  readonly #interpreted: Side;
  readonly #emitted: Side;
  readonly #options: PairOptions;

  constructor(program: HostProgram, options: PairOptions = {}) {
    this.#program = program;
    this.#options = options;
    const { bytes, metadata } = compileHost(program);
    const module = new WebAssembly.Module(bytes);
    this.#interpreted = makeSide(program, interpretHost, options);
    this.#emitted = makeSide(
      program,
      wasmExecutor({ module, metadata: structuredClone(metadata) }),
      options,
    );
  }

  interpreted(func: number, args: readonly RawValue[] = []): Outcome {
    return this.#run(this.#interpreted, func, args);
  }

  emitted(func: number, args: readonly RawValue[] = []): Outcome {
    return this.#run(this.#emitted, func, args);
  }

  #run({ heap, format, executor }: Side, func: number, args: readonly RawValue[]): Outcome {
    heap.beginCall(this.#options.fuel);
    format.reset();
    const types = this.#program.functions[func]!.results;
    try {
      const results = executor.call(func, args);
      return {
        results: results.map((value, i) => content(heap, types[i]!, value)),
        fuel: heap.fuel,
      };
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const { code, reason, frames } = error;
      return { error: { code, reason, frames }, fuel: heap.fuel };
    }
  }
}

function makeSide(program: HostProgram, factory: ExecutorFactory, options: PairOptions): Side {
  const heap = new Heap(options.arenaBytes === undefined ? {} : { arenaBytes: options.arenaBytes });
  const format = new FormatBuilder(heap);
  const sealedTypes = new Map();
  const handles = new HandleTable();
  const host: ExecutorHost = {
    heap,
    operations: (types) => heapOperations({ heap, types, sealedTypes, handles, format }),
    capabilities: program.imports.map((declared, index) => ({
      declared,
      run: (args) => options.capabilities![index]!(args),
    })),
  };
  return { heap, format, executor: factory(program, host) };
}

function content(heap: Heap, type: Type, value: RawValue): unknown {
  if (type.kind === 'string') return readString(heap, value as number);
  if (type.kind === 'buffer') return [...bufferBytes(heap, value as number)];
  if (typeof value === 'number' && Number.isNaN(value)) return 'nan';
  return Object.is(value, -0) ? '-0' : value;
}

/**
 * Calls function 0 with each list of arguments under both executors and gives the outcomes; throws
 * where they differ.
 */
export function agree(
  functions: readonly HostFunction[],
  calls: readonly (readonly RawValue[])[],
  options: PairOptions & { imports?: Parameters<typeof hostProgram>[1] } = {},
): Outcome[] {
  const pair = new HostPair(hostProgram(functions, options.imports ?? {}), options);
  return calls.map((args) => {
    const emitted = pair.emitted(0, args);
    assert.equal(emitted, pair.interpreted(0, args), `arguments ${args.map(String).join(', ')}`);
    return emitted;
  });
}
