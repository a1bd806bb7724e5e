/** One call as written, with the checks of its arguments that all built-ins share. */
import type { At, Expr as SyntaxExpr, TemplateArg } from '../tree.js';
import type { Expr, Type } from '../typed.js';
import { coerce, constantCount, expression } from './coercion.js';
import type { Frame, World } from './frame.js';
import { deviceIndex, wideIndex } from './host-index.js';
import { Poisoned } from './problem.js';
import type { Value } from './value.js';

export class Call {
  readonly frame: Frame;
  readonly name: string;
  readonly at: At;
  readonly typeArgs: readonly TemplateArg[];
  readonly args: readonly SyntaxExpr[];
  /** Whether it stands as a statement: only there may it have effects and no value. */
  readonly isStatement: boolean;
  readonly #values: (Value | undefined)[] = [];

  constructor(
    frame: Frame,
    parts: {
      name: string;
      at: At;
      typeArgs: readonly TemplateArg[];
      args: readonly SyntaxExpr[];
      isStatement: boolean;
    },
  ) {
    this.frame = frame;
    this.name = parts.name;
    this.at = parts.at;
    this.typeArgs = parts.typeArgs;
    this.args = parts.args;
    this.isStatement = parts.isStatement;
  }

  get site(): number {
    return this.frame.site(this.at);
  }

  /** Argument `index`, evaluated once. */
  value(index: number): Value {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const value = this.frame.eval(this.args[index] as SyntaxExpr);
    if (value.kind === 'poison') throw new Poisoned();
    this.#values[index] = value;
    return value;
  }

  values(): Value[] {
    return this.args.map((_, index) => this.value(index));
  }

  argAt(index: number): At {
    return this.args[index]?.at ?? this.at;
  }

  counts(...allowed: readonly number[]): void {
    if (allowed.includes(this.args.length)) return;
    const wanted = allowed.join(' or ');
    const plural = allowed.length === 1 && allowed[0] === 1 ? 'argument' : 'arguments';
    throw this.frame.problem(
      this.at,
      `'${this.name}' takes ${wanted} ${plural}, got ${this.args.length}`,
    );
  }

  typeCounts(count: number): void {
    if (this.typeArgs.length === count) return;
    const got = this.typeArgs.length;
    throw this.frame.problem(
      this.at,
      `'${this.name}' takes ${count} template arguments, got ${got}`,
    );
  }

  arg(index: number, type: Type): Expr {
    return coerce(this.frame, this.value(index), type, {
      at: this.argAt(index),
      what: `argument ${index + 1} of '${this.name}'`,
    });
  }

  any(index: number): Expr {
    return expression(this.frame, this.value(index), this.argAt(index));
  }

  wide(index: number): Expr {
    return wideIndex(
      this.frame,
      this.value(index),
      this.argAt(index),
      `argument ${index + 1} of '${this.name}'`,
    );
  }

  index(index: number): Expr {
    return deviceIndex(
      this.frame,
      this.value(index),
      this.argAt(index),
      `argument ${index + 1} of '${this.name}'`,
    );
  }

  /** A template argument that is a constant integer. */
  typeCount(index: number, bounds: { what: string; min: number; max: number }): number {
    const arg = this.typeArgs[index] as TemplateArg;
    if (arg.kind === 'namedType' || arg.kind === 'arrayType' || arg.kind === 'funcType') {
      throw this.frame.problem(arg.at, `${bounds.what} must be a constant integer`);
    }
    return constantCount(this.frame, this.frame.eval(arg), arg.at, bounds);
  }

  constant(index: number, bounds: { what: string; min: number; max: number }): number {
    return constantCount(this.frame, this.value(index), this.argAt(index), bounds);
  }

  only(world: World, why: string): void {
    if (this.frame.world === world) return;
    throw this.frame.problem(this.at, `'${this.name}' ${why}`);
  }

  statement(): void {
    if (this.isStatement) return;
    throw this.frame.problem(this.at, `'${this.name}' gives no value; it is a statement`);
  }
}

export type Builtin = (call: Call) => Value;

export const NOTHING: Value = { kind: 'tuple', items: [] };
