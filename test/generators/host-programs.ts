/**
 * Arbitrary host programs: integers, floats, vectors, loops with break and continue, labels, a
 * buffer, a list, an array, a record and a call. They end in a value or in an error of the program;
 * both executors must agree on either, and on the fuel spent.
 */
import fc from '../properties.js';
import type { Block, BufferElem, Expr, HostProgram, Stmt, Type } from '../../runtime/loom/typed.js';
import type { RawValue } from '../../runtime/vm/executor.js';
import { Choices, choicesArbitrary } from './choices.js';
import { ExpressionMaker } from './expressions.js';
import * as b from './typed-builder.js';

const { t } = b;
const pair = t.record('test.Pair', { i: t.i64, v: t.f32x4, f: t.f32, u: t.u32 });
const numbers = t.array(t.i32, 4);
const bufferBytes = 64;

export interface HostCase {
  readonly program: HostProgram;
  /** Function 0 is to be called with each of these. */
  readonly calls: readonly (readonly RawValue[])[];
}

export const hostCase: fc.Arbitrary<HostCase> = fc
  .tuple(
    choicesArbitrary(1000),
    fc.bigInt(-1000n, 1000n),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  )
  .map(([values, small, large]) => ({
    program: makeProgram(new Choices(values)),
    calls: [
      [small, 3, 1.5],
      [large, 2 ** 32 - 1, -0.25],
    ],
  }));

function makeProgram(choices: Choices): HostProgram {
  const helper = helperFunction();
  return b.hostProgram([new HostMaker(choices).make(), helper]);
}

/** Function 1: (i64, f32) -> (i64, f32). */
function helperFunction(): ReturnType<b.FunctionBuilder['build']> {
  const f = new b.FunctionBuilder('helper');
  const n = f.param('n', t.i64);
  const x = f.param('x', t.f32);
  const half = b.arithmetic('/', n.get, b.i64(2));
  return f.build([t.i64, t.f32], b.block(b.ret(half, b.mul(x.get, b.convert(t.f32, n.get)))));
}

class HostMaker {
  readonly #choices: Choices;
  readonly #f = new b.FunctionBuilder('main');
  readonly #params = [
    this.#f.param('n', t.i64),
    this.#f.param('u', t.u32),
    this.#f.param('x', t.f32),
  ];
  readonly #vars = [
    t.i64,
    t.i64,
    t.i32,
    t.u32,
    t.f32,
    t.f32,
    t.f64,
    t.bool,
    t.f32x4,
    t.i32x4,
    t.u32x4,
  ].map((type, i) => this.#f.local(`v${i}`, type));
  readonly #buffer = this.#f.local('buffer', t.buffer);
  readonly #list = this.#f.local('list', t.list(t.i64));
  readonly #array = this.#f.local('array', numbers);
  readonly #record = this.#f.local('record', pair);
  readonly #temporary = { f32: this.#f.local('tf', t.f32), f64: this.#f.local('td', t.f64) };
  readonly #expressions: ExpressionMaker;
  #labels = 0;

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#expressions = new ExpressionMaker({
      choices,
      variables: [...this.#params, ...this.#vars],
      isHost: true,
      leaf: (type) => this.#read(type),
    });
  }

  make(): ReturnType<b.FunctionBuilder['build']> {
    const results = this.#results();
    const body = b.block(...this.#begin(), ...this.#statements(3, false), b.ret(...results));
    return this.#f.build(
      results.map(({ type }) => type),
      body,
    );
  }

  /** Everything that the program may have computed. */
  #results(): Expr[] {
    const variables = this.#vars.flatMap(({ type, get }) =>
      type.kind === 'vector' ? [0, 3].map((lane) => b.extract(get, lane)) : [get],
    );
    const bytes = b.heap('list.bytes', t.buffer, [this.#list.get]);
    const numbers = b.heap('array.bytes', t.buffer, [this.#array.get]);
    const record = [b.field(this.#record.get, 0), b.extract(b.field(this.#record.get, 1), 2)];
    return [...variables, this.#buffer.get, bytes, numbers, ...record];
  }

  #begin(): Stmt[] {
    const zero = (type: Type): Expr =>
      type.kind === 'vector'
        ? b.constant(type, [1, 2, 3, 4])
        : type === t.bool
          ? b.bool(true)
          : type === t.i64
            ? b.i64(5)
            : b.constant(type, 2);
    return [
      ...this.#vars.map((variable) => b.set(variable, zero(variable.type))),
      b.set(this.#buffer, b.heap('buffer.new', t.buffer, [b.i64(bufferBytes)])),
      b.set(this.#list, b.heap('list.new', t.list(t.i64))),
      b.listPush(this.#list.get, b.i64(11)),
      b.listPush(this.#list.get, b.i64(-12)),
      b.set(this.#array, b.arrayNew(numbers, [1, -2, 3, -4].map(b.i32))),
      b.set(this.#record, this.#newRecord(0)),
    ];
  }

  #newRecord(depth: number): Expr {
    return b.recordNew(pair, [
      this.#make(t.i64, depth),
      this.#make(t.f32x4, depth),
      this.#make(t.f32, depth),
      this.#make(t.u32, depth),
    ]);
  }

  #make(type: Type, depth = 3): Expr {
    return this.#expressions.make(type, depth);
  }

  /** Reads of objects, mostly in range. */
  #read(type: Type): Expr | null {
    const { kind } = type;
    if (kind === 'vector') return type === t.f32x4 ? b.field(this.#record.get, 1) : null;
    if (type === t.u32 && this.#choices.below(2) === 0) return b.field(this.#record.get, 3);
    if (type === t.i32 && this.#choices.below(2) === 0) {
      return b.arrayGet(this.#array.get, b.i64(this.#choices.below(4)));
    }
    if (type === t.i64) {
      switch (this.#choices.below(4)) {
        case 0:
          return b.bufferGet(this.#buffer.get, 'u8', this.#index(1));
        case 1:
          return b.field(this.#record.get, 0);
        case 2:
          return b.listGet(this.#list.get, b.i64(this.#choices.below(2)));
        default:
          return b.heap('list.len', t.i64, [this.#list.get]);
      }
    }
    const elem = kind === 'scalar' && type !== t.bool ? (type.name as BufferElem) : null;
    return elem && b.bufferGet(this.#buffer.get, elem, this.#index(elem === 'f64' ? 8 : 4));
  }

  #index(size: number): Expr {
    const count = bufferBytes / size;
    const outside = this.#choices.below(40) === 39;
    return b.i64(outside ? count : this.#choices.below(count));
  }

  #statements(depth: number, inLoop: boolean): Stmt[] {
    const count = 1 + this.#choices.below(4);
    return Array.from({ length: count }, () => this.#statement(depth, inLoop)).flat();
  }

  #statement(depth: number, inLoop: boolean): Stmt[] {
    if (this.#choices.isDry) return [];
    const simple = depth <= 0 ? 6 : 11;
    switch (this.#choices.below(simple)) {
      case 0:
      case 1:
      case 2: {
        const variable = this.#choices.of(this.#vars);
        return [b.set(variable, this.#make(variable.type))];
      }
      case 3:
        return this.#store();
      case 4:
        return this.#objects();
      case 5:
        return this.#call();
      case 6:
        return [
          b.when(
            this.#make(t.bool),
            this.#block(depth, inLoop),
            this.#choices.below(2) ? this.#block(depth, inLoop) : null,
          ),
        ];
      case 7:
      case 8:
        return [this.#loop(depth)];
      case 9:
        return this.#whileLoop(depth);
      default:
        return [this.#label(depth, inLoop)];
    }
  }

  #block(depth: number, inLoop: boolean): Block {
    const stmts = this.#statements(depth - 1, inLoop);
    if (inLoop && this.#choices.chance(3)) {
      stmts.push(this.#choices.below(2) ? b.breakLoop() : b.continueLoop());
    }
    return b.block(...stmts);
  }

  /** A store into the buffer, the list or the array; floats by way of a local, without NaN. */
  #store(): Stmt[] {
    switch (this.#choices.below(6)) {
      case 0:
        return [b.bufferSet(this.#buffer.get, 'i64', this.#index(8), this.#make(t.i64))];
      case 1:
        return [b.bufferSet(this.#buffer.get, 'u8', this.#index(1), this.#make(t.i64))];
      case 2:
        return [
          b.bufferNarrow(
            this.#buffer.get,
            this.#choices.of(['u32', 'i32', 'u8'] as const),
            this.#index(4),
            this.#make(t.i64),
          ),
        ];
      case 3:
        return this.#floatStore(t.f32);
      case 4:
        return this.#floatStore(t.f64);
      default:
        return [b.arraySet(this.#array.get, b.i64(this.#choices.below(4)), this.#make(t.i32))];
    }
  }

  #floatStore(type: Type): Stmt[] {
    const elem = type === t.f32 ? 'f32' : 'f64';
    const temporary = this.#temporary[elem];
    const isNumber = b.compare('==', temporary.get, temporary.get);
    const value = b.intrinsic('select', type, [isNumber, temporary.get, b.constant(type, 0)]);
    return [
      b.set(temporary, this.#make(type)),
      b.bufferSet(this.#buffer.get, elem, this.#index(elem === 'f32' ? 4 : 8), value),
    ];
  }

  #objects(): Stmt[] {
    switch (this.#choices.below(4)) {
      case 0:
        return [b.listPush(this.#list.get, this.#make(t.i64))];
      case 1:
        return [b.listSet(this.#list.get, b.i64(0), this.#make(t.i64))];
      case 2:
        return [b.set(this.#record, this.#newRecord(2))];
      default:
        return [
          b.set(
            this.#array,
            b.arrayNew(
              numbers,
              [0, 1, 2, 3].map(() => this.#make(t.i32, 1)),
            ),
          ),
        ];
    }
  }

  #call(): Stmt[] {
    const [i] = this.#vars.filter((variable) => variable.type === t.i64);
    const [f] = this.#vars.filter((variable) => variable.type === t.f32);
    return [b.callStmt([i!, f!], b.call(1, t.void, [this.#make(t.i64), this.#make(t.f32)]))];
  }

  #loop(depth: number): Stmt {
    const wide = this.#choices.below(2) === 0;
    const local = this.#f.local('k', wide ? t.i64 : t.i32);
    const bound = wide ? b.i64 : b.i32;
    const from = this.#choices.below(4) - 2;
    const range = {
      from: bound(from),
      to: bound(from + this.#choices.below(5)),
      step: 1 + this.#choices.below(2),
    };
    const target = this.#vars.find((variable) => variable.type === local.type)!;
    const body = this.#block(depth, true);
    return b.loop(local, range, b.block(b.set(target, local.get), ...body.stmts));
  }

  #whileLoop(depth: number): Stmt[] {
    const counter = this.#f.local('c', t.i64);
    const step = b.set(counter, b.add(counter.get, b.i64(1)));
    const body = this.#block(depth, true);
    const cond = b.logical(
      'and',
      b.compare('<', counter.get, b.i64(this.#choices.below(5))),
      this.#make(t.bool),
    );
    return [b.set(counter, b.i64(0)), b.whileLoop(cond, b.block(step, ...body.stmts))];
  }

  #label(depth: number, inLoop: boolean): Stmt {
    const label = this.#labels++;
    const before = this.#statements(depth - 1, inLoop);
    const jump = b.when(this.#make(t.bool), b.block(b.leave(label)));
    return b.label(label, b.block(...before, jump, ...this.#statements(depth - 1, inLoop)));
  }
}
