/**
 * Compiles the forms that host functions and kernels share into closures: one closure a node, made
 * once a function. A world (host, device) extends it with its own forms, with what happens when a
 * block is entered or a loop goes round, and with what an error needs to tell its position.
 */
import { assert } from '../../base/errors.js';
import type { Block, Expr, Site, Stmt } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { binary, comparison, inversion, negation, type World } from '../numbers/arithmetic.js';
import { conversion } from '../numbers/convert.js';
import { intrinsicOf, shapeOf } from '../numbers/intrinsic.js';
import {
  BREAK,
  CONTINUE,
  FIRST_LABEL,
  NEXT,
  RETURN,
  type Eval,
  type Exec,
  type Frame,
} from './frame.js';

type Vector = readonly number[];
type ExprOf<Op extends Expr['op']> = Expr & { readonly op: Op };
type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };

export abstract class TreeCompiler<F extends Frame> {
  abstract readonly world: World;

  /** Forms that only this world has. */
  protected abstract worldExpression(expr: Expr): Eval<RawValue, F>;
  protected abstract worldStatement(stmt: Stmt): Exec<F>;
  /** A text constant becomes what strings are in this world. */
  protected abstract text(value: string): RawValue;
  /** Gives errors that `run` throws the position of `site`. */
  protected abstract located<T>(site: Site, run: (frame: F) => T): (frame: F) => T;
  /** Called on entry of a block of this cost; null where entering is free. */
  protected abstract entry(block: Block, site: Site): ((frame: F) => void) | null;
  /** Called before each round of a loop; null where the blocks already pay. */
  protected abstract round(site: Site): ((frame: F) => void) | null;
  /** The value as it is stored into a local or an element (arrays are copied). */
  protected stored(expr: Expr): Eval<RawValue, F> {
    return this.expression(expr);
  }

  number(expr: Expr): Eval<number, F> {
    return this.expression(expr) as Eval<number, F>;
  }

  vector(expr: Expr): Eval<Vector, F> {
    return this.expression(expr) as Eval<Vector, F>;
  }

  expression(expr: Expr): Eval<RawValue, F> {
    switch (expr.op) {
      case 'const':
        return this.#constant(expr);
      case 'local': {
        const { local } = expr;
        return (frame) => frame.locals[local]!;
      }
      case 'arithmetic':
        return this.#arithmetic(expr);
      case 'compare':
        return this.#compare(expr);
      case 'negate':
      case 'invert':
      case 'not':
        return this.#unary(expr);
      case 'and':
      case 'or':
        return this.#logical(expr);
      case 'convert':
        return this.#convert(expr);
      case 'vector': {
        const items = expr.items.map((item) => this.number(item));
        return (frame) => items.map((item) => item(frame));
      }
      case 'splat': {
        const value = this.number(expr.value);
        const { lanes } = shapeOf(expr.type);
        return (frame) => new Array<number>(lanes).fill(value(frame));
      }
      case 'extract': {
        const value = this.vector(expr.value);
        const { index } = expr;
        return (frame) => value(frame)[index]!;
      }
      case 'component': {
        const value = this.vector(expr.value);
        const index = this.number(expr.index);
        return (frame) => {
          const lanes = value(frame);
          return lanes[index(frame)] ?? 0;
        };
      }
      case 'intrinsic':
        return this.intrinsic(expr);
      case 'block': {
        const body = this.block(expr.body, expr.site);
        const value = this.expression(expr.value);
        return (frame) => {
          const end = body(frame);
          assert(end === NEXT, 'the statements of an inlined function to end at its value');
          return value(frame);
        };
      }
      default:
        return this.worldExpression(expr);
    }
  }

  protected intrinsic(expr: ExprOf<'intrinsic'>): Eval<RawValue, F> {
    const run = intrinsicOf(
      expr.name,
      expr.args.map((arg) => arg.type),
    );
    const args = expr.args.map((arg) => this.expression(arg));
    const [a, b, c] = args as [Eval<RawValue, F>, Eval<RawValue, F>, Eval<RawValue, F>];
    if (args.length === 1) return (frame) => run(a(frame));
    if (args.length === 2) return (frame) => run(a(frame), b(frame));
    // Only the sum and product of i64 can raise in an intrinsic.
    const mayRaise = expr.name === 'mad' && this.#isI64(expr);
    return this.#raising(mayRaise, expr.site, (frame) => run(a(frame), b(frame), c(frame)));
  }

  #isI64(expr: Expr): boolean {
    return expr.type.kind === 'scalar' && expr.type.name === 'i64';
  }

  #constant({ type, value }: ExprOf<'const'>): Eval<RawValue, F> {
    const raw =
      typeof value === 'string'
        ? this.text(value)
        : typeof value === 'boolean'
          ? Number(value)
          : type.kind === 'scalar' && type.name === 'i64'
            ? BigInt(value as bigint)
            : value;
    return () => raw;
  }

  #arithmetic(expr: ExprOf<'arithmetic'>): Eval<RawValue, F> {
    const { elem, lanes } = shapeOf(expr.type);
    const run = binary(expr.operator, elem, this.world);
    const left = this.expression(expr.left);
    const right = this.expression(expr.right);
    const divides = expr.operator === '/' || expr.operator === '%';
    const mayRaise = this.world === 'host' && elem !== 'f32' && (elem === 'i64' || divides);
    if (lanes > 1) {
      return this.#raising(mayRaise, expr.site, (frame) => {
        const a = left(frame) as Vector;
        const b = right(frame) as Vector;
        return a.map((value, lane) => run(value, b[lane]!) as number);
      });
    }
    return this.#raising(mayRaise, expr.site, (frame) => run(left(frame), right(frame)));
  }

  #raising<T>(mayRaise: boolean, site: Site, run: (frame: F) => T): (frame: F) => T {
    return mayRaise ? this.located(site, run) : run;
  }

  #compare({ operator, left, right }: ExprOf<'compare'>): Eval<RawValue, F> {
    const run = comparison(operator);
    const a = this.expression(left);
    const b = this.expression(right);
    return (frame) => run(a(frame), b(frame));
  }

  #unary(expr: ExprOf<'negate' | 'not' | 'invert'>): Eval<RawValue, F> {
    const value = this.expression(expr.value);
    if (expr.op === 'not') return (frame) => (value(frame) ? 0 : 1);
    const { elem, lanes } = shapeOf(expr.type);
    const run = expr.op === 'negate' ? negation(elem) : inversion(elem);
    if (lanes > 1) return (frame) => (value(frame) as Vector).map((lane) => run(lane) as number);
    return this.#raising(elem === 'i64', expr.site, (frame) => run(value(frame)));
  }

  #logical({ op, left, right }: ExprOf<'and' | 'or'>): Eval<RawValue, F> {
    const a = this.expression(left);
    const b = this.expression(right);
    return op === 'and'
      ? (frame) => (a(frame) ? b(frame) : 0)
      : (frame) => (a(frame) ? 1 : b(frame));
  }

  #convert(expr: ExprOf<'convert'>): Eval<RawValue, F> {
    const from = shapeOf(expr.value.type);
    const run = conversion(from.elem, shapeOf(expr.type).elem);
    const value = this.expression(expr.value);
    if (from.lanes > 1)
      return (frame) => (value(frame) as Vector).map((lane) => run(lane) as number);
    return (frame) => run(value(frame));
  }

  // --- statements

  block(block: Block, site: Site): Exec<F> {
    const enter = this.entry(block, site);
    const stmts = block.stmts.map((stmt) => this.statement(stmt));
    const run: Exec<F> = (frame) => {
      for (let i = 0; i < stmts.length; i++) {
        const end = stmts[i]!(frame);
        if (end !== NEXT) return end;
      }
      return NEXT;
    };
    if (!enter) return run;
    return (frame) => {
      enter(frame);
      return run(frame);
    };
  }

  statement(stmt: Stmt): Exec<F> {
    switch (stmt.op) {
      case 'set': {
        const { local } = stmt;
        const value = this.stored(stmt.value);
        return (frame) => {
          frame.locals[local] = value(frame);
          return NEXT;
        };
      }
      case 'if':
        return this.#if(stmt);
      case 'for':
        return this.#for(stmt);
      case 'while':
        return this.#while(stmt);
      case 'break':
        return () => BREAK;
      case 'continue':
        return () => CONTINUE;
      case 'label': {
        const body = this.block(stmt.body, stmt.site);
        const ended = FIRST_LABEL + stmt.label;
        return (frame) => {
          const end = body(frame);
          return end === ended ? NEXT : end;
        };
      }
      case 'leave': {
        const end = FIRST_LABEL + stmt.label;
        return () => end;
      }
      case 'return': {
        const values = stmt.values.map((value) => this.expression(value));
        return (frame) => {
          frame.results = values.map((value) => value(frame));
          return RETURN;
        };
      }
      default:
        return this.worldStatement(stmt);
    }
  }

  #if(stmt: StmtOf<'if'>): Exec<F> {
    const cond = this.number(stmt.cond);
    const then = this.block(stmt.then, stmt.site);
    const otherwise = stmt.otherwise ? this.block(stmt.otherwise, stmt.site) : () => NEXT;
    return (frame) => (cond(frame) ? then(frame) : otherwise(frame));
  }

  #for(stmt: StmtOf<'for'>): Exec<F> {
    const { local } = stmt;
    const from = this.expression(stmt.from);
    const to = this.expression(stmt.to);
    const body = this.#round(stmt.body, stmt.site);
    // Bigints and numbers compare and add alike; the step takes the type of the bounds.
    const step = (this.#isI64(stmt.from) ? BigInt(stmt.step) : stmt.step) as number;
    return (frame) => {
      const end = to as Eval<number, F>;
      const first = from(frame) as number;
      const last = end(frame);
      for (let i = first; i < last; i += step) {
        frame.locals[local] = i;
        const ended = body(frame);
        if (ended === BREAK) break;
        if (ended > CONTINUE) return ended;
      }
      return NEXT;
    };
  }

  #while(stmt: StmtOf<'while'>): Exec<F> {
    const cond = this.number(stmt.cond);
    const body = this.#round(stmt.body, stmt.site);
    return (frame) => {
      while (cond(frame)) {
        const ended = body(frame);
        if (ended === BREAK) break;
        if (ended > CONTINUE) return ended;
      }
      return NEXT;
    };
  }

  #round(block: Block, site: Site): Exec<F> {
    const body = this.block({ ...block, cost: Math.max(1, block.cost) }, site);
    const round = this.round(site);
    if (!round) return body;
    return (frame) => {
      round(frame);
      return body(frame);
    };
  }
}
