/**
 * A WebAssembly module under construction. Imports come first in every index space, so all imports
 * must be declared before the first function. Function indices are handed out by `declare`; the
 * body follows when it is ready, so functions may call each other in any order.
 */
import { assert } from '../../base/errors.js';
import type { Site } from '../../loom/typed.js';
import { ByteWriter } from './byte-writer.js';
import {
  FunctionBody,
  valueTypeCodes,
  type FunctionType,
  type ValueType,
} from './function-body.js';
import { OP } from './opcodes.js';

export interface MemoryLimits {
  /** In pages of 64 KiB. */
  readonly initial: number;
  /** null: any. A shared memory needs one. */
  readonly maximum: number | null;
  readonly shared: boolean;
}

/** Two parallel lists sorted by offset: the byte offset in the module, and the position there. */
export interface SourceMap {
  readonly offsets: readonly number[];
  readonly sites: readonly Site[];
}

type Import =
  | { readonly kind: 'func'; readonly module: string; readonly name: string; readonly type: number }
  | {
      readonly kind: 'memory';
      readonly module: string;
      readonly name: string;
      readonly limits: MemoryLimits;
    }
  | {
      readonly kind: 'global';
      readonly module: string;
      readonly name: string;
      readonly type: ValueType;
    };

const SECTION = { custom: 0, type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 };

export class ModuleBuilder {
  readonly #types: FunctionType[] = [];
  readonly #typeIndex = new Map<string, number>();
  readonly #imports: Import[] = [];
  readonly #functions: { name: string; type: number; body: FunctionBody | null }[] = [];
  readonly #globals: { type: ValueType }[] = [];
  readonly #exports: { name: string; kind: number; index: number }[] = [];
  #importedFunctions = 0;
  #importedGlobals = 0;
  readonly #importNames: string[] = [];

  #type(type: FunctionType): number {
    const key = `${type.params.join()}>${type.results.join()}`;
    const known = this.#typeIndex.get(key);
    if (known !== undefined) return known;
    this.#types.push(type);
    this.#typeIndex.set(key, this.#types.length - 1);
    return this.#types.length - 1;
  }

  importFunction(module: string, name: string, type: FunctionType): number {
    assert(this.#functions.length === 0, 'function imports before functions');
    this.#imports.push({ kind: 'func', module, name, type: this.#type(type) });
    this.#importNames.push(name);
    return this.#importedFunctions++;
  }

  importMemory(module: string, name: string, limits: MemoryLimits): void {
    this.#imports.push({ kind: 'memory', module, name, limits });
  }

  /** A mutable global shared with the embedder. */
  importGlobal(module: string, name: string, type: ValueType): number {
    assert(this.#globals.length === 0, 'global imports before globals');
    this.#imports.push({ kind: 'global', module, name, type });
    return this.#importedGlobals++;
  }

  /** A mutable global of the instance, zero at first. i32 only. */
  global(): number {
    this.#globals.push({ type: 'i32' });
    return this.#importedGlobals + this.#globals.length - 1;
  }

  declare(name: string, type: FunctionType): number {
    this.#functions.push({ name, type: this.#type(type), body: null });
    return this.#importedFunctions + this.#functions.length - 1;
  }

  define(index: number, body: FunctionBody): void {
    const entry = this.#functions[index - this.#importedFunctions];
    assert(entry && entry.body === null, 'a declared function without a body');
    entry.body = body;
  }

  exportFunction(name: string, index: number): void {
    this.#exports.push({ name, kind: 0, index });
  }

  finish(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly sourceMap: SourceMap } {
    const out = new ByteWriter();
    out.raw([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    this.#section(out, SECTION.type, this.#types, (w, type) => {
      w.byte(0x60);
      for (const list of [type.params, type.results]) {
        w.u32(list.length);
        for (const value of list) w.byte(valueTypeCodes[value]);
      }
    });
    this.#section(out, SECTION.import, this.#imports, writeImport);
    this.#section(out, SECTION.function, this.#functions, (w, entry) => w.u32(entry.type));
    this.#section(out, SECTION.global, this.#globals, (w, global) => {
      w.raw([valueTypeCodes[global.type], 1, OP.i32Const, 0, OP.end]);
    });
    this.#section(out, SECTION.export, this.#exports, (w, entry) => {
      w.name(entry.name);
      w.byte(entry.kind);
      w.u32(entry.index);
    });
    const sourceMap = this.#codeSection(out);
    this.#nameSection(out);
    return { bytes: out.finish() as Uint8Array<ArrayBuffer>, sourceMap };
  }

  #section<T>(
    out: ByteWriter,
    id: number,
    list: readonly T[],
    write: (w: ByteWriter, item: T) => void,
  ): void {
    if (list.length === 0) return;
    const body = new ByteWriter();
    body.u32(list.length);
    for (const item of list) write(body, item);
    out.byte(id);
    out.u32(body.length);
    out.raw(body.finish());
  }

  /** Writes the code section and collects where each marked instruction lies in the module. */
  #codeSection(out: ByteWriter): SourceMap {
    const body = new ByteWriter();
    const offsets: number[] = [];
    const sites: Site[] = [];
    body.u32(this.#functions.length);
    for (const entry of this.#functions) {
      assert(entry.body !== null, `a body for the function ${entry.name}`);
      const { bytes, codeOffset } = entry.body.finish();
      body.u32(bytes.length);
      for (const mark of entry.body.marks) {
        offsets.push(body.length + codeOffset + mark.offset);
        sites.push(mark.site);
      }
      body.raw(bytes);
    }
    out.byte(SECTION.code);
    out.u32(body.length);
    const start = out.length;
    out.raw(body.finish());
    return { offsets: offsets.map((offset) => offset + start), sites };
  }

  /** Function names, for stack traces and disassemblers. */
  #nameSection(out: ByteWriter): void {
    const names = new ByteWriter();
    const all = [...this.#importNames, ...this.#functions.map((entry) => entry.name)];
    names.u32(all.length);
    all.forEach((name, index) => {
      names.u32(index);
      names.name(name);
    });
    const body = new ByteWriter();
    body.name('name');
    body.byte(1);
    body.u32(names.length);
    body.raw(names.finish());
    out.byte(SECTION.custom);
    out.u32(body.length);
    out.raw(body.finish());
  }
}

function writeImport(w: ByteWriter, item: Import): void {
  w.name(item.module);
  w.name(item.name);
  if (item.kind === 'func') {
    w.byte(0);
    w.u32(item.type);
  } else if (item.kind === 'memory') {
    const { initial, maximum, shared } = item.limits;
    w.raw([2, shared ? 3 : maximum === null ? 0 : 1]);
    w.u32(initial);
    if (maximum !== null) w.u32(maximum);
  } else {
    w.raw([3, valueTypeCodes[item.type], 1]);
  }
}
