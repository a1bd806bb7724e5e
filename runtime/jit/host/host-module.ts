/**
 * The module of a host program while it is emitted: its imports (memory, every heap operation, one
 * function a capability), its literals, and the types that heap operations name by number. Function
 * `i` of the program is function `functionBase + i` of the module.
 */
import type { HostFunction, HostProgram, Type } from '../../loom/typed.js';
import { heapSignatures, type HeapFunction } from '../../vm/heap-operations.js';
import { LiteralTable } from '../../vm/literal-table.js';
import { typeText } from '../../vm/type-text.js';
import { valueTypeOf } from '../numeric/shape.js';
import type { FunctionBody, FunctionType } from '../wasm/function-body.js';
import { ModuleBuilder } from '../wasm/module-builder.js';

export class HostModule {
  readonly builder = new ModuleBuilder();
  readonly program: HostProgram;
  readonly literals = new LiteralTable();
  readonly types: Type[] = [];
  readonly functionBase: number;
  readonly #typeNumbers = new Map<string, number>();
  readonly #operations = new Map<HeapFunction, number>();
  readonly #capabilities: readonly number[];

  constructor(program: HostProgram) {
    this.program = program;
    this.builder.importMemory('env', 'memory', { initial: 1, maximum: null, shared: false });
    for (const name of Object.keys(heapSignatures) as HeapFunction[]) {
      this.#operations.set(name, this.builder.importFunction('heap', name, heapSignatures[name]));
    }
    this.#capabilities = program.imports.map((declared, index) =>
      this.builder.importFunction('capability', String(index), {
        params: declared.params.map(valueTypeOf),
        results: declared.results.map(valueTypeOf),
      }),
    );
    this.functionBase = this.#operations.size + this.#capabilities.length;
    for (const func of program.functions) this.builder.declare(func.name, hostFunctionType(func));
  }

  operation(name: HeapFunction): number {
    return this.#operations.get(name)!;
  }

  capability(index: number): number {
    return this.#capabilities[index]!;
  }

  define(func: number, body: FunctionBody): void {
    this.builder.define(this.functionBase + func, body);
  }

  /** The number by which heap operations know a type. */
  typeNumber(type: Type): number {
    const key = typeText(type);
    const known = this.#typeNumbers.get(key);
    if (known !== undefined) return known;
    this.#typeNumbers.set(key, this.types.length);
    return this.types.push(type) - 1;
  }
}

export function hostFunctionType(func: HostFunction): FunctionType {
  return {
    params: func.locals.slice(0, func.params).map((local) => valueTypeOf(local.type)),
    results: func.results.map(valueTypeOf),
  };
}
