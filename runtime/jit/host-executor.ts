/**
 * Runs a compiled host program on a heap: the WebAssembly side of `vm/executor.ts`. Owns one
 * instance of the module. An error that surfaces from it gets the position of every frame of the
 * program that was open: V8 names them in the stack as `wasm-function[i]:0xOFFSET`, and the source
 * map of the module leads from the offset to the site.
 */
import { StatusError } from '../base/errors.js';
import type { HostProgram, Type } from '../loom/typed.js';
import type {
  BoundCapability,
  Executor,
  ExecutorFactory,
  ExecutorHost,
  RawValue,
} from '../vm/executor.js';
import { positionOf, withFrame, type ProgramFrame } from '../vm/program-error.js';
import type { HostMetadata } from './compile-host.js';
import { siteAt } from './wasm/source-map.js';

export interface HostCode {
  readonly module: WebAssembly.Module;
  readonly metadata: HostMetadata;
}

type WasmValue = number | bigint;
type WasmFunction = (...args: WasmValue[]) => WasmValue | WasmValue[] | undefined;

/** Frames that V8 records: more than the deepest stack of calls with what lies between. */
const STACK_FRAMES = 1024;
const FRAME = /wasm-function\[(\d+)\]:0x([0-9a-f]+)/g;

export function wasmExecutor(code: HostCode): ExecutorFactory {
  return (program, host) => new WasmExecutor(code, program, host);
}

class WasmExecutor implements Executor {
  readonly #program: HostProgram;
  readonly #metadata: HostMetadata;
  readonly #exports: Record<string, unknown>;
  /** Where the last error of a capability surfaced: it may have been made elsewhere. */
  #surfaced: { readonly error: unknown; readonly stack: string } | null = null;

  constructor({ module, metadata }: HostCode, program: HostProgram, host: ExecutorHost) {
    this.#program = program;
    this.#metadata = metadata;
    host.heap.writeLiterals(metadata.literals);
    const capability = Object.fromEntries(
      host.capabilities.map((bound, index) => [String(index), this.#capability(bound)]),
    );
    const instance = new WebAssembly.Instance(module, {
      env: { memory: host.heap.memory },
      heap: host.operations(metadata.types) as Record<string, unknown>,
      capability,
    });
    this.#exports = instance.exports;
  }

  call(func: number, args: readonly RawValue[]): readonly RawValue[] {
    const declared = this.#program.functions[func]!;
    const run = this.#exports[String(func)] as WasmFunction;
    const params = declared.locals.slice(0, declared.params).map((local) => local.type);
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = STACK_FRAMES;
    try {
      const result = run(...params.map((type, index) => toWasm(type, args[index]!)));
      return listOf(result).map((value, index) => fromWasm(declared.results[index]!, value));
    } catch (error) {
      throw this.#located(error, func);
    } finally {
      Error.stackTraceLimit = limit;
      this.#surfaced = null;
    }
  }

  #capability(bound: BoundCapability): WasmFunction {
    const { params, results } = bound.declared;
    return (...args) => {
      let values: readonly RawValue[];
      try {
        values = bound.run(args.map((value, index) => fromWasm(params[index]!, value)));
      } catch (error) {
        this.#surfaced = { error, stack: new Error().stack ?? '' };
        throw error;
      }
      const wasm = values.map((value, index) => toWasm(results[index]!, value));
      return wasm.length > 1 ? wasm : wasm[0];
    };
  }

  #located(error: unknown, func: number): unknown {
    const surfaced = this.#surfaced;
    const known = surfaced && surfaced.error === error ? surfaced.stack : null;
    const stack = known ?? (error instanceof Error ? (error.stack ?? '') : '');
    const frames = this.#frames(stack);
    if (frames.length === 0) frames.push(this.#frame(func, this.#program.functions[func]!.site));
    return frames.reduce((located, frame) => withFrame(located, frame), error);
  }

  #frame(func: number, site: number): ProgramFrame {
    const { files, functions } = this.#program;
    return { func: functions[func]!.name, position: positionOf(files, site) };
  }

  /** Frames of the program in a stack trace, innermost first. */
  #frames(stack: string): ProgramFrame[] {
    const { functionBase, sourceMap } = this.#metadata;
    const frames: ProgramFrame[] = [];
    for (const [, index, offset] of stack.matchAll(FRAME)) {
      const func = Number(index) - functionBase;
      if (func < 0 || func >= this.#program.functions.length) continue;
      frames.push(this.#frame(func, siteAt(sourceMap, parseInt(offset!, 16))));
    }
    return frames;
  }
}

function listOf(result: WasmValue | WasmValue[] | undefined): readonly WasmValue[] {
  if (result === undefined) return [];
  return Array.isArray(result) ? result : [result];
}

function toWasm(type: Type, value: RawValue): WasmValue {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new StatusError(
      'unimplemented',
      `a value of kind ${type.kind} as parameter or result of an entry or capability`,
    );
  }
  return value;
}

/** Unsigned what the program knows as unsigned: u32, addresses, symbols, handles. */
function fromWasm(type: Type, value: WasmValue): RawValue {
  if (typeof value === 'bigint') return value;
  const signed = type.kind === 'scalar' && type.name !== 'u32';
  return signed ? value : value >>> 0;
}
