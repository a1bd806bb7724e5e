/**
 * One instance of a host program: its heap, its state, its capabilities and an executor. Each call
 * starts with an empty arena, empty handles and full fuel, so a million calls leave memory as one
 * does, and a call that failed leaves nothing behind. Not reentrant but through capabilities.
 */
import { StatusError } from '../base/errors.js';
import type { HostProgram, Type } from '../loom/typed.js';
import { bindCapabilities, bindRaw, type CallContext, type CapabilityTable } from './capability.js';
import type { Executor, ExecutorFactory, ExecutorHost } from './executor.js';
import { FormatBuilder } from './format-builder.js';
import { HandleTable } from './handle-table.js';
import { Heap, type SealedState } from './heap.js';
import type { HeapMemories } from './heap-memories.js';
import { heapOperations } from './heap-operations.js';
import { fromHostValue, toHostValue, type HostValue } from './host-value.js';
import { interpretHost } from './interpreter/host-interpreter.js';
import { ARENA_BYTES, CALL_DEPTH, FUEL_DEFAULT } from './memory-map.js';
import { positionOf, ProgramFault } from './program-error.js';
import { learn, type SealedTypes } from './sealing.js';
import { signatureText } from './type-text.js';

export interface HostLimits {
  /** Units of a call (knob). */
  readonly fuel: number;
  /** Arena of a call in bytes (knob). */
  readonly arenaBytes: number;
}

export interface HostVmOptions {
  readonly program: HostProgram;
  readonly executor: 'interpret' | ExecutorFactory;
  readonly capabilities: CapabilityTable;
  /** What the cold program sealed; given to entries as FROZEN_STATE. */
  readonly state?: SealedState;
  readonly limits?: Partial<HostLimits>;
  readonly memories?: HeapMemories;
}

export interface EntrySignature {
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

export class HostVm {
  readonly program: HostProgram;
  readonly heap: Heap;
  readonly #executor: Executor;
  readonly #context: CallContext;
  readonly #format: FormatBuilder;
  readonly #fuel: number;

  /** Throws when an import is missing or has another signature. */
  static create(options: HostVmOptions): HostVm {
    return new HostVm(options);
  }

  private constructor(options: HostVmOptions) {
    const { program, state } = options;
    const capabilities = bindCapabilities(program.imports, options.capabilities, program.files);
    this.program = program;
    const { limits, memories } = options;
    this.heap = new Heap({ arenaBytes: limits?.arenaBytes ?? ARENA_BYTES, state, memories });
    this.#fuel = limits?.fuel ?? FUEL_DEFAULT;
    this.#format = new FormatBuilder(this.heap);
    const sealedTypes: SealedTypes = new Map();
    for (const type of state?.types ?? []) learn(sealedTypes, type);
    const handles = new HandleTable();
    this.#context = {
      heap: this.heap,
      handles,
      sealedTypes,
      symbols: program.symbols,
      frozenRoot: state?.root ?? null,
      chargeBytes: (byteCount) => this.heap.chargeBytes(byteCount),
      invoke: (name, args) => this.#invoke(name, args),
    };
    const { heap } = this;
    const host: ExecutorHost = {
      heap,
      operations: (types) =>
        heapOperations({ heap, types, sealedTypes, handles, format: this.#format }),
      capabilities: program.imports.map((declared, i) =>
        bindRaw(declared, capabilities[i]!, this.#context),
      ),
    };
    const factory = options.executor === 'interpret' ? interpretHost : options.executor;
    this.#executor = factory(program, host);
  }

  /** Null when there is no such entry. */
  signature(entry: string): EntrySignature | null {
    const index = this.program.entries[entry];
    return index === undefined ? null : signatureOf(this.program, index);
  }

  /** Calls an entry by its short name. */
  call(entry: string, args: readonly HostValue[]): HostValue[] {
    const index = this.program.entries[entry];
    if (index === undefined) throw missingEntry(this.program, entry);
    return this.callFunction(index, args);
  }

  callFunction(index: number, args: readonly HostValue[]): HostValue[] {
    this.heap.beginCall(this.#fuel);
    this.#context.handles.clear();
    this.#format.reset();
    return this.#run(index, args);
  }

  /** Units that the last call spent. */
  get fuelSpent(): number {
    return this.#fuel - Math.max(0, this.heap.fuel);
  }

  /** Bytes of the arena that the last call used. */
  get arenaUsed(): number {
    return this.heap.used;
  }

  #run(index: number, args: readonly HostValue[]): HostValue[] {
    const { params, results } = signatureOf(this.program, index);
    const func = this.program.functions[index]!;
    if (args.length !== params.length) {
      throw new StatusError(
        'internal',
        `${func.name} takes ${params.length} arguments, got ${args.length}`,
      );
    }
    try {
      const raw = args.map((value, i) => fromHostValue(this.#context, params[i]!, value));
      const given = this.#executor.call(index, raw);
      return results.map((type, i) => toHostValue(this.#context, type, given[i]!));
    } catch (error) {
      // Outside any function: arguments or results that do not fit the arena.
      if (error instanceof ProgramFault)
        throw new StatusError(error.code, `${func.name}: ${error.message}`);
      throw error;
    }
  }

  #invoke(name: string, args: readonly HostValue[]): HostValue[] {
    const index = this.program.functions.findIndex((func) => func.name === name);
    if (index < 0) throw new StatusError('internal', `the program has no function '${name}'`);
    const depth = this.heap.u32(CALL_DEPTH);
    try {
      return this.#run(index, args);
    } finally {
      this.heap.setU32(CALL_DEPTH, depth);
    }
  }
}

function signatureOf(program: HostProgram, index: number): EntrySignature {
  const { params, locals, results } = program.functions[index]!;
  return { params: locals.slice(0, params).map(({ type }) => type), results };
}

function missingEntry(program: HostProgram, entry: string): StatusError {
  const names = Object.keys(program.entries).sort().join(', ') || 'none';
  return new StatusError(
    'invalidArgument',
    `${program.files[0] ?? 'the program'} exports no '${entry}' (it exports ${names})`,
  );
}

/** What a contract asks of an entry, in the language's spelling. */
export interface EntryContract {
  readonly name: string;
  readonly params: readonly string[];
  readonly results: readonly string[];
}

/** Throws unless the program has the entry with exactly these types. */
export function checkEntry(program: HostProgram, contract: EntryContract): void {
  const { name } = contract;
  const index = program.entries[name];
  if (index === undefined) throw missingEntry(program, name);
  const found = signatureOf(program, index);
  const expected = `(${contract.params.join(', ')}) -> ${contract.results.length === 1 ? contract.results[0] : `(${contract.results.join(', ')})`}`;
  const actual = signatureText(found.params, found.results);
  if (actual === expected) return;
  const where = positionOf(program.files, program.functions[index]!.site);
  throw new StatusError(
    'invalidArgument',
    `${where}: ${name} is ${actual}; the contract asks for ${expected}`,
    { where },
  );
}
