/**
 * Makes typed expressions over a set of variables, for host functions and kernels alike. They may
 * raise on hosts (overflow, division by zero); they terminate, and their value does not depend on
 * the payload or sign of a NaN.
 */
import type { ArithmeticOp, Expr, Intrinsic, Type } from '../../runtime/loom/typed.js';
import type { Choices } from './choices.js';
import * as b from './typed-builder.js';

const { t } = b;

/** Further leaves of a world: buffer reads, view reads, shared reads, by type name. */
export type Leaves = (type: Type, depth: number) => Expr | null;

export interface ExpressionWorld {
  readonly choices: Choices;
  readonly variables: readonly b.Variable[];
  readonly isHost: boolean;
  readonly leaf: Leaves;
}

const floats = [
  0,
  1,
  -1,
  0.5,
  -0,
  3.25,
  1e-40,
  -2.5,
  16777217,
  1e20,
  -3e9,
  3.4e38,
  Infinity,
  NaN,
  -Infinity,
];
const integers = [0, 1, 2, -1, 3, 7, 31, 32, 33, 255, -128, 65535, 2 ** 31 - 1, -(2 ** 31)];
const intOperators: readonly ArithmeticOp[] = ['+', '-', '*', '&', '|', '^', '<<', '>>', '/', '%'];
const floatOperators: readonly ArithmeticOp[] = ['+', '-', '*', '/'];
const vectorOperators: readonly ArithmeticOp[] = ['+', '-', '*'];
const rounding: readonly Intrinsic[] = ['abs', 'floor', 'ceil', 'trunc', 'round', 'sqrt'];

export class ExpressionMaker {
  readonly #world: ExpressionWorld;

  constructor(world: ExpressionWorld) {
    this.#world = world;
  }

  make(type: Type, depth: number): Expr {
    const { choices } = this.#world;
    if (depth <= 0 || choices.isDry) return this.#leaf(type, 0);
    if (type.kind === 'vector') return this.#vector(type, depth - 1);
    if (type === t.bool) return this.#bool(depth - 1);
    if (type === t.f32 || type === t.f64) return this.#float(type, depth - 1);
    return this.#integer(type, depth - 1);
  }

  /** A variable of the type, without NaN: safe to look at the bits of. */
  #numberOf(type: Type): Expr {
    const variable = this.#variable(type) ?? b.constant(type, 1);
    return b.intrinsic('select', type, [
      b.intrinsic('is_nan', t.bool, [variable]),
      b.constant(type, 0),
      variable,
    ]);
  }

  #variable(type: Type): Expr | null {
    const fitting = this.#world.variables.filter((variable) => variable.type === type);
    return fitting.length === 0 ? null : this.#world.choices.of(fitting).get;
  }

  #leaf(type: Type, depth: number): Expr {
    const { choices, leaf } = this.#world;
    const kind = choices.below(4);
    if (kind === 0 || kind === 1) {
      const variable = this.#variable(type);
      if (variable) return variable;
    }
    if (kind === 3) {
      const other = leaf(type, depth);
      if (other) return other;
    }
    return this.#constant(type);
  }

  #constant(type: Type): Expr {
    const { choices } = this.#world;
    if (type.kind === 'vector') {
      const pick = (): number =>
        type.elem === 'f32' ? Math.fround(choices.of(floats)) : choices.of(integers) >>> 0;
      const lanes = Array.from({ length: type.lanes }, pick);
      return b.constant(type, type.elem === 'i32' ? lanes.map((lane) => lane | 0) : lanes);
    }
    if (type === t.bool) return b.bool(choices.below(2) === 1);
    if (type === t.f32) return b.f32(choices.of(floats));
    if (type === t.f64) return b.f64(choices.of([...floats, 1.1, 1e300]));
    if (type === t.i64) return b.i64(choices.of([...integers, 2 ** 40]));
    return type === t.i32 ? b.i32(choices.of(integers)) : b.u32(choices.of(integers));
  }

  #bool(depth: number): Expr {
    const { choices } = this.#world;
    switch (choices.below(5)) {
      case 0:
      case 1: {
        const type = choices.of(this.#numbers());
        const operator = choices.of(['==', '!=', '<', '<=', '>', '>='] as const);
        return b.compare(operator, this.make(type, depth), this.make(type, depth));
      }
      case 2:
        return b.logical(
          choices.of(['and', 'or'] as const),
          this.make(t.bool, depth),
          this.make(t.bool, depth),
        );
      case 3:
        return b.unary('not', this.make(t.bool, depth));
      default:
        return b.intrinsic('is_nan', t.bool, [this.make(t.f32, depth)]);
    }
  }

  #numbers(): readonly Type[] {
    return this.#world.isHost ? [t.i64, t.i32, t.u32, t.f32, t.f64] : [t.i32, t.u32, t.f32];
  }

  #float(type: Type, depth: number): Expr {
    const { choices } = this.#world;
    switch (choices.below(type === t.f32 ? 9 : 6)) {
      case 0:
      case 1:
        return b.arithmetic(
          choices.of(floatOperators),
          this.make(type, depth),
          this.make(type, depth),
        );
      case 2:
        return this.#common(type, depth);
      case 3:
        return b.intrinsic(choices.of(rounding), type, [this.make(type, depth)]);
      case 4:
        return this.#multiplyAdd(type, depth);
      case 5:
        return this.#leaf(type, depth);
      case 6:
        return b.intrinsic(choices.of(['sum', 'max_lane', 'min_lane'] as const), t.f32, [
          this.make(t.f32x4, depth),
        ]);
      case 7:
        return b.intrinsic('dot', t.f32, [this.make(t.f32x4, depth), this.make(t.f32x4, depth)]);
      default:
        return this.#lane(t.f32x4, depth);
    }
  }

  #integer(type: Type, depth: number): Expr {
    const { choices } = this.#world;
    switch (choices.below(10)) {
      case 0:
      case 1:
      case 2:
        return this.#bounded(
          type,
          b.arithmetic(choices.of(intOperators), this.make(type, depth), this.make(type, depth)),
        );
      case 3:
        return this.#common(type, depth);
      case 4:
        return b.unary(choices.of(['negate', 'invert'] as const), this.make(type, depth));
      case 5:
        return b.intrinsic('abs', type, [this.make(type, depth)]);
      case 6:
        return type === t.u32 ? this.#bits(depth) : this.#common(type, depth);
      case 7:
        return type === t.i32 ? this.#lane(t.i32x4, depth) : this.#common(type, depth);
      case 8:
        return this.#bounded(type, this.#multiplyAdd(type, depth));
      default:
        return this.#leaf(type, depth);
    }
  }

  #multiplyAdd(type: Type, depth: number): Expr {
    const make = (): Expr => this.make(type, depth);
    return b.intrinsic('mad', type, [make(), make(), make()]);
  }

  /** Keeps i64 small most of the time, so that not every program ends in an overflow. */
  #bounded(type: Type, value: Expr): Expr {
    if (type !== t.i64 || this.#world.choices.below(4) === 3) return value;
    return b.arithmetic('&', value, b.i64(0xffff));
  }

  #bits(depth: number): Expr {
    const { choices } = this.#world;
    switch (choices.below(4)) {
      case 0:
        return b.intrinsic('mul_hi', t.u32, [this.make(t.u32, depth), this.make(t.u32, depth)]);
      case 1:
        return b.intrinsic('bits', t.u32, [this.#numberOf(t.f32)]);
      default:
        return b.intrinsic(choices.of(['clz', 'popcount'] as const), t.u32, [
          this.make(t.u32, depth),
        ]);
    }
  }

  /** min, max, select and conversions: what every number type has. */
  #common(type: Type, depth: number): Expr {
    const { choices } = this.#world;
    switch (choices.below(3)) {
      case 0:
        return b.intrinsic(choices.of(['min', 'max'] as const), type, [
          this.make(type, depth),
          this.make(type, depth),
        ]);
      case 1:
        return b.intrinsic('select', type, [
          this.make(t.bool, depth),
          this.make(type, depth),
          this.make(type, depth),
        ]);
      default:
        return b.convert(
          type,
          this.make(
            choices.of([t.bool, ...this.#numbers()].filter((from) => from !== type)),
            depth,
          ),
        );
    }
  }

  #lane(vector: Type, depth: number): Expr {
    const { choices } = this.#world;
    const value = this.make(vector, depth);
    if (choices.below(2) === 0) return b.extract(value, choices.below(4));
    return b.component(value, this.make(t.i32, depth));
  }

  #vector(type: Type & { readonly kind: 'vector' }, depth: number): Expr {
    const { choices } = this.#world;
    const elem = type.elem === 'f32' ? t.f32 : type.elem === 'i32' ? t.i32 : t.u32;
    switch (choices.below(8)) {
      case 0:
        return b.splat(type, this.make(elem, depth));
      case 1:
      case 2:
        return b.arithmetic(
          choices.of(vectorOperators),
          this.make(type, depth),
          this.make(type, depth),
        );
      case 3:
        return b.vector(
          type,
          Array.from({ length: type.lanes }, () => this.make(elem, depth)),
        );
      case 4:
        return b.intrinsic(choices.of(['min', 'max'] as const), type, [
          this.make(type, depth),
          this.make(type, depth),
        ]);
      case 5:
        return b.intrinsic('select', type, [
          this.make(t.bool, depth),
          this.make(type, depth),
          this.make(type, depth),
        ]);
      case 6:
        return this.#converted(type, depth);
      default:
        return this.#leaf(type, depth);
    }
  }

  #converted(type: Type & { readonly kind: 'vector' }, depth: number): Expr {
    const { choices } = this.#world;
    if (type.elem !== 'f32') return b.convert(type, this.make(t.f32x4, depth));
    if (choices.below(2) === 0)
      return b.convert(type, this.make(choices.of([t.i32x4, t.u32x4]), depth));
    return b.intrinsic(choices.of(rounding), type, [this.make(type, depth)]);
  }
}
