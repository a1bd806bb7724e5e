/**
 * One host program under construction: functions by instance, imports and symbols, each once.
 * Bodies are elaborated from a queue, so functions may call each other and themselves.
 */
import type { CapabilityImport, HostFunction, Symbol } from '../typed.js';
import type { Place } from '../diagnostics.js';
import type { FunctionRef } from './value.js';

export interface PendingFunction {
  readonly index: number;
  readonly ref: FunctionRef;
  /** The template instances it belongs to: itself, if it is one, and those that asked for it. */
  readonly instances: readonly Place[];
}

export class HostBuilder {
  /** Whether functions see what checks may call (`launch`, `expect`, …). */
  readonly checks: boolean;
  readonly functions: (HostFunction | null)[] = [];
  readonly imports: CapabilityImport[] = [];
  readonly symbols: Symbol[] = [];
  readonly queue: PendingFunction[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #importByKey = new Map<string, number>();
  readonly #symbolByKey = new Map<string, number>();

  constructor(checks = false) {
    this.checks = checks;
  }

  /** The index of an instance; asks for its body when it is new. */
  request(ref: FunctionRef, instances: readonly Place[]): number {
    const key = `${ref.declaration.id} ${ref.key}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const index = this.functions.push(null) - 1;
    this.#byKey.set(key, index);
    this.queue.push({ index, ref, instances });
    return index;
  }

  /** A function that has no declaration of its own (a check). */
  reserve(): number {
    return this.functions.push(null) - 1;
  }

  import(entry: CapabilityImport, key: string): number {
    const known = this.#importByKey.get(key);
    if (known !== undefined) return known;
    const index = this.imports.push(entry) - 1;
    this.#importByKey.set(key, index);
    return index;
  }

  symbol(symbol: Symbol): number {
    const key = `${symbol.name}<${symbol.args.join(', ')}>`;
    const known = this.#symbolByKey.get(key);
    if (known !== undefined) return known;
    const index = this.symbols.push(symbol) - 1;
    this.#symbolByKey.set(key, index);
    return index;
  }
}
