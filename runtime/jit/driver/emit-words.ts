/**
 * Words of roots, and the scalars and grid extents computed from them. Every distinct word is read
 * once, when `run` starts, into a global: later dispatches may overwrite the root, but a scalar
 * means the word as it was uploaded.
 */
import type { CommandProgram, Dispatch, WordExpr } from '../../loom/typed.js';
import { ARGS } from '../local-abi.js';
import { deviceFaults, emitArithmetic } from '../numeric/arithmetic.js';
import { emitPick } from '../numeric/intrinsic.js';
import type { Shape } from '../numeric/shape.js';
import type { FunctionBody } from '../wasm/function-body.js';
import type { DriverModule } from './driver-module.js';

type Operation = Extract<WordExpr, { readonly left: WordExpr }>;

export class Words {
  /** Global by root and byte offset, as raw bits. */
  readonly #globals = new Map<string, { root: number; offset: number; global: number }>();

  readonly module: DriverModule;

  constructor(module: DriverModule, program: CommandProgram) {
    this.module = module;
    for (const step of program.steps) if (step.op === 'dispatch') this.#collect(step);
  }

  #collect(dispatch: Dispatch): void {
    for (const arg of dispatch.args) if ('word' in arg) this.#collectFrom(arg.word);
    if (dispatch.grid.kind === 'direct')
      dispatch.grid.extents.forEach((extent) => this.#collectFrom(extent));
  }

  #collectFrom(word: WordExpr): void {
    if (word.op === 'const') return;
    if (word.op === 'word') {
      const key = `${word.root}:${word.offset}`;
      if (this.#globals.has(key)) return;
      const { root, offset } = word;
      this.#globals.set(key, { root, offset, global: this.module.builder.global() });
      return;
    }
    this.#collectFrom(word.left);
    this.#collectFrom(word.right);
  }

  get used(): boolean {
    return this.#globals.size > 0;
  }

  /** Reads them all. A word beyond its root is 0. */
  emitReads(code: FunctionBody): void {
    const { args } = this.module.globals;
    for (const { root, offset, global } of this.#globals.values()) {
      code.getGlobal(args);
      code.access('i32.load', ARGS.roots + root * 8 + 4);
      code.i32(offset + 4);
      code.op('i32.ge_u');
      code.if('i32');
      code.getGlobal(args);
      code.access('i32.load', ARGS.roots + root * 8);
      code.access('i32.load', offset);
      code.else();
      code.i32(0);
      code.end();
      code.setGlobal(global);
    }
  }

  /** Leaves the value: f32 as f32, all else as i32. */
  emit(code: FunctionBody, word: WordExpr): void {
    if (word.op === 'const') {
      if (word.type === 'f32') code.f32(word.value);
      else code.i32(word.value);
    } else if (word.op === 'word') {
      code.getGlobal(this.#globals.get(`${word.root}:${word.offset}`)!.global);
      if (word.type === 'f32') code.op('f32.reinterpret_i32');
    } else {
      this.#emitOperation(code, word);
    }
  }

  #emitOperation(code: FunctionBody, word: Operation): void {
    const shape: Shape = { elem: word.type, lanes: 1 };
    if (word.op === 'ceil_div') return this.#emitCeilDiv(code, word, shape);
    this.emit(code, word.left);
    this.emit(code, word.right);
    if (word.op === 'min' || word.op === 'max') emitPick(code, word.op, shape);
    else emitArithmetic(code, word.op, shape, deviceFaults);
  }

  /** ceil(a / b): the quotient, plus 1 if a remainder is left and the quotient is not negative. */
  #emitCeilDiv(code: FunctionBody, word: Operation, shape: Shape): void {
    const left = code.temp('i32');
    const right = code.temp('i32');
    this.emit(code, word.left);
    code.set(left);
    this.emit(code, word.right);
    code.set(right);
    code.get(left);
    code.get(right);
    emitArithmetic(code, '/', shape, deviceFaults);
    code.get(left);
    code.get(right);
    emitArithmetic(code, '%', shape, deviceFaults);
    code.i32(0);
    code.op('i32.ne');
    if (shape.elem === 'i32') {
      code.get(left);
      code.get(right);
      code.op('i32.xor');
      code.i32(0);
      code.ops('i32.ge_s', 'i32.and');
    }
    code.op('i32.add');
    code.release('i32', left);
    code.release('i32', right);
  }
}
