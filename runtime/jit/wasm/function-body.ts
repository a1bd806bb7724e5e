/**
 * One function under construction: locals, instructions, structured control. Labels are depths, so
 * a branch names the construct it leaves and the body counts the distance. `mark` notes that the
 * code from here on belongs to a program position; the module turns marks into its source map.
 */
import { assert } from '../../base/errors.js';
import type { Site } from '../../loom/typed.js';
import { ByteWriter } from './byte-writer.js';
import { accessAlign, OP, opcodes } from './opcodes.js';

export type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';
export const valueTypeCodes: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** The depth of a `block`, `loop` or `if`: branch targets. */
export type Label = number;

/** Byte offset inside the code, and the program position of the instruction there. */
export interface Mark {
  readonly offset: number;
  readonly site: Site;
}

export class FunctionBody {
  readonly marks: Mark[] = [];
  readonly #code = new ByteWriter();
  readonly #locals: ValueType[] = [];
  readonly #free = new Map<ValueType, number[]>();
  #depth = 0;
  #constructs = 0;

  readonly type: FunctionType;

  constructor(type: FunctionType) {
    this.type = type;
  }

  /** A new local, zero at the start of the function. */
  local(type: ValueType): number {
    this.#locals.push(type);
    return this.type.params.length + this.#locals.length - 1;
  }

  /** A local for a short while; its content is undefined until set. Give it back with `release`. */
  temp(type: ValueType): number {
    return this.#free.get(type)?.pop() ?? this.local(type);
  }

  release(type: ValueType, local: number): void {
    const free = this.#free.get(type);
    if (free) free.push(local);
    else this.#free.set(type, [local]);
  }

  /** Blocks, loops and branches so far. */
  get constructs(): number {
    return this.#constructs;
  }

  /** Locals beside the parameters. */
  get locals(): number {
    return this.#locals.length;
  }

  get codeBytes(): number {
    return this.#code.length;
  }

  mark(site: Site): void {
    this.marks.push({ offset: this.#code.length, site });
  }

  #opcode(code: number): void {
    if (code > 0xffff) {
      this.#code.byte(0xfd);
      this.#code.u32(code & 0xffff);
    } else if (code > 0xff) {
      this.#code.byte(code >> 8);
      this.#code.u32(code & 0xff);
    } else {
      this.#code.byte(code);
    }
  }

  #named(name: string): void {
    const code = opcodes.get(name);
    assert(code !== undefined, `an instruction in the table, got ${name}`);
    this.#opcode(code);
  }

  /** An instruction without immediates. */
  op(name: string): void {
    this.#named(name);
    if (name === 'memory.copy') this.#code.raw([0, 0]);
    else if (name === 'memory.fill' || name === 'memory.size') this.#code.byte(0);
  }

  ops(...names: readonly string[]): void {
    for (const name of names) this.op(name);
  }

  /** A load, store or atomic: the address (and value) are on the stack. */
  access(name: string, offset = 0, lane?: number): void {
    this.#named(name);
    this.#code.u32(accessAlign(name));
    this.#code.u32(offset);
    if (lane !== undefined) this.#code.byte(lane);
  }

  /** extract_lane, replace_lane. */
  lane(name: string, index: number): void {
    this.#named(name);
    this.#code.byte(index);
  }

  shuffle(bytes: readonly number[]): void {
    this.#named('i8x16.shuffle');
    this.#code.raw(bytes);
  }

  i32(value: number): void {
    this.#code.byte(OP.i32Const);
    this.#code.s32(value);
  }

  i64(value: bigint): void {
    this.#code.byte(OP.i64Const);
    this.#code.s64(value);
  }

  f32(value: number): void {
    this.#code.byte(OP.f32Const);
    this.#code.f32(value);
  }

  f64(value: number): void {
    this.#code.byte(OP.f64Const);
    this.#code.f64(value);
  }

  v128(bytes: Uint8Array): void {
    this.#opcode(OP.v128Const);
    this.#code.raw(bytes);
  }

  i32x4(...values: readonly number[]): void {
    const words = values.length === 1 ? Array<number>(4).fill(values[0]!) : values;
    this.v128(new Uint8Array(Uint32Array.from(words).buffer));
  }

  get(local: number): void {
    this.#code.byte(OP.localGet);
    this.#code.u32(local);
  }

  set(local: number): void {
    this.#code.byte(OP.localSet);
    this.#code.u32(local);
  }

  tee(local: number): void {
    this.#code.byte(OP.localTee);
    this.#code.u32(local);
  }

  getGlobal(index: number): void {
    this.#code.byte(OP.globalGet);
    this.#code.u32(index);
  }

  setGlobal(index: number): void {
    this.#code.byte(OP.globalSet);
    this.#code.u32(index);
  }

  call(index: number): void {
    this.#code.byte(OP.call);
    this.#code.u32(index);
  }

  #open(code: number, result: ValueType | null): Label {
    this.#code.byte(code);
    this.#code.byte(result === null ? 0x40 : valueTypeCodes[result]);
    this.#constructs += 1;
    return ++this.#depth;
  }

  block(result: ValueType | null = null): Label {
    return this.#open(OP.block, result);
  }

  loop(): Label {
    return this.#open(OP.loop, null);
  }

  if(result: ValueType | null = null): Label {
    return this.#open(OP.if, result);
  }

  else(): void {
    this.#code.byte(OP.else);
  }

  end(): void {
    this.#code.byte(OP.end);
    this.#depth--;
  }

  br(label: Label): void {
    this.#code.byte(OP.br);
    this.#code.u32(this.#depth - label);
  }

  brIf(label: Label): void {
    this.#code.byte(OP.brIf);
    this.#code.u32(this.#depth - label);
  }

  /** The encoded body: locals, code, end. `codeOffset`: where the code starts in it. */
  finish(): { readonly bytes: Uint8Array; readonly codeOffset: number } {
    assert(this.#depth === 0, 'every block of a function closed');
    const writer = new ByteWriter();
    const groups: [number, ValueType][] = [];
    for (const type of this.#locals) {
      const last = groups.at(-1);
      if (last?.[1] === type) last[0]++;
      else groups.push([1, type]);
    }
    writer.u32(groups.length);
    for (const [count, type] of groups) {
      writer.u32(count);
      writer.byte(valueTypeCodes[type]);
    }
    const codeOffset = writer.length;
    writer.raw(this.#code.finish());
    writer.byte(OP.end);
    return { bytes: writer.finish(), codeOffset };
  }
}
