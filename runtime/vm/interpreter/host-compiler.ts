/**
 * Host functions as closures. Objects are addresses in the heap, exactly as for emitted code, and
 * every operation on them is one of `heapOperations`; this file is about order of evaluation, fuel,
 * calls and positions of errors.
 */
import { StatusError } from '../../base/errors.js';
import type { Block, Expr, HostFunction, HostProgram, Site, Stmt, Type } from '../../loom/typed.js';
import type { BoundCapability, RawValue } from '../executor.js';
import { faults } from '../faults.js';
import type { Heap } from '../heap.js';
import type { HeapOperations } from '../heap-operations.js';
import type { LiteralTable } from '../literal-table.js';
import { CALL_DEPTH, CALL_DEPTH_MAX } from '../memory-map.js';
import { positionOf, ProgramError, raised, withFrame } from '../program-error.js';
import { valueSize } from '../value-layout.js';
import { readString } from '../heap-strings.js';
import * as objects from './host-objects.js';
import { NEXT, RETURN, type Eval, type Exec, type Frame } from './frame.js';
import { TreeCompiler } from './tree-compiler.js';

/** A compiled function; `run` is set once its body has been compiled. */
export interface HostCode {
  readonly declared: HostFunction;
  run: (args: readonly RawValue[]) => readonly RawValue[];
}

export interface HostScope {
  readonly program: HostProgram;
  readonly heap: Heap;
  readonly operations: HeapOperations;
  readonly capabilities: readonly BoundCapability[];
  readonly literals: LiteralTable;
  readonly functions: readonly HostCode[];
  /** Number of a type for operations that take one. */
  typeNumber(type: Type): number;
}

type ExprOf<Op extends Expr['op']> = Expr & { readonly op: Op };
type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };

export class HostCompiler extends TreeCompiler<Frame> {
  readonly world = 'host';
  readonly #scope: HostScope;
  readonly #func: HostFunction;

  readonly #objects: objects.ObjectScope;

  constructor(scope: HostScope, func: HostFunction) {
    super();
    this.#scope = scope;
    this.#func = func;
    this.#objects = {
      heap: scope.heap,
      operations: scope.operations,
      expression: (expr) => this.expression(expr),
      number: (expr) => this.number(expr),
      stored: (expr) => this.stored(expr),
      located: (site, run) => this.located(site, run),
    };
  }

  compile(): HostCode['run'] {
    const { locals, results, site } = this.#func;
    const body = this.block(this.#func.body, site);
    const blank = locals.map(({ type }) => zeroOf(type));
    return (args) => {
      const frame: Frame = { locals: blank.slice(), results: [] };
      for (let i = 0; i < args.length; i++) frame.locals[i] = args[i]!;
      const end = body(frame);
      if (end !== RETURN && results.length > 0) {
        throw new StatusError('internal', `${this.#func.name} ended without its results`);
      }
      return frame.results;
    };
  }

  protected text(value: string): RawValue {
    return this.#scope.literals.address(value);
  }

  protected located<T>(site: Site, run: (frame: Frame) => T): (frame: Frame) => T {
    const { files } = this.#scope.program;
    const func = this.#func.name;
    return (frame) => {
      try {
        return run(frame);
      } catch (error) {
        // A ProgramError was located where it arose; only calls add to it.
        if (error instanceof ProgramError) throw error;
        throw withFrame(error, { func, position: positionOf(files, site) });
      }
    };
  }

  protected entry(block: Block, site: Site): ((frame: Frame) => void) | null {
    const { heap } = this.#scope;
    const { cost } = block;
    return cost === 0 ? null : this.located(site, () => heap.charge(cost));
  }

  protected round(): null {
    return null;
  }

  /** Arrays are values: what is stored is a copy, unless nothing else can name it. */
  protected override stored(expr: Expr): Eval {
    const value = this.number(expr);
    if (expr.type.kind !== 'array' || expr.op === 'array.new') return value;
    const copy = this.#scope.operations['array.copy'];
    const type = this.#scope.typeNumber(expr.type);
    return this.located(expr.site, (frame) => copy(value(frame), type) as number);
  }

  protected worldExpression(expr: Expr): Eval {
    switch (expr.op) {
      case 'call': {
        const call = this.#call(expr);
        return (frame) => call(frame)[0]!;
      }
      case 'capability': {
        const call = this.#capability(expr);
        return (frame) => call(frame)[0]!;
      }
      case 'heap':
        return this.#heapOperation(expr);
      case 'format':
        return this.#format(expr);
      case 'record.new':
        return objects.recordNew(this.#objects, expr);
      case 'record.field':
        return objects.recordField(this.#objects, expr);
      case 'array.new':
        return objects.arrayNew(this.#objects, expr);
      case 'list.get':
        return objects.listGet(this.#objects, expr);
      case 'array.get':
        return objects.arrayGet(this.#objects, expr);
      case 'buffer.get':
        return objects.bufferGet(this.#objects, expr);
      default:
        throw new Error(`expected no '${expr.op}' in a host function. This is a bug.`);
    }
  }

  #call(expr: ExprOf<'call'>): Eval<never> & ((frame: Frame) => readonly RawValue[]) {
    const { heap, program, functions } = this.#scope;
    const callee = functions[expr.func]!;
    const args = expr.args.map((arg) => this.expression(arg));
    const frameOf = { func: this.#func.name, position: positionOf(program.files, expr.site) };
    const run = (frame: Frame): readonly RawValue[] => {
      const values = args.map((arg) => arg(frame));
      const depth = heap.u32(CALL_DEPTH) + 1;
      if (depth > CALL_DEPTH_MAX) throw withFrame(faults.depth(), frameOf);
      heap.setU32(CALL_DEPTH, depth);
      let results: readonly RawValue[];
      try {
        results = callee.run(values);
      } catch (error) {
        throw withFrame(error, frameOf);
      }
      heap.setU32(CALL_DEPTH, depth - 1);
      return results;
    };
    return run as never;
  }

  #capability(expr: ExprOf<'capability'>): (frame: Frame) => readonly RawValue[] {
    const bound = this.#scope.capabilities[expr.index]!;
    const args = expr.args.map((arg) => this.expression(arg));
    return this.located(expr.site, (frame) => bound.run(args.map((arg) => arg(frame))));
  }

  #heapOperation(expr: ExprOf<'heap'>): Eval {
    // Operations without a result stand as statements only: nobody reads theirs.
    const run = this.#scope.operations[expr.name] as (...args: RawValue[]) => RawValue;
    const args = expr.args.map((arg) => this.expression(arg));
    const extra = this.#typeArgument(expr);
    if (extra !== null) args.push(() => extra);
    const [a, b, c] = args as [Eval, Eval, Eval];
    switch (args.length) {
      case 1:
        return this.located(expr.site, (frame) => run(a(frame)));
      case 2:
        return this.located(expr.site, (frame) => run(a(frame), b(frame)));
      case 3:
        return this.located(expr.site, (frame) => run(a(frame), b(frame), c(frame)));
      default:
        return this.located(expr.site, (frame) => run(...args.map((arg) => arg(frame))));
    }
  }

  /** The type number or size that some operations take last. */
  #typeArgument({ name, args, type }: ExprOf<'heap'>): number | null {
    const first = args[0]?.type;
    if (name === 'seal' || name === 'open') {
      return this.#scope.typeNumber(name === 'seal' ? first! : type);
    }
    if (name === 'list.bytes' && first?.kind === 'list') return valueSize(first.elem);
    if (name === 'array.bytes' && first?.kind === 'array')
      return first.count * valueSize(first.elem);
    return null;
  }

  #format(expr: ExprOf<'format'>): Eval {
    const { operations: ops } = this.#scope;
    const pieces = expr.pieces.map((piece) =>
      piece === '' ? null : this.#scope.literals.address(piece),
    );
    const args = expr.args.map((arg) => {
      const value = this.expression(arg);
      const name = arg.type.kind === 'scalar' ? arg.type.name : 'string';
      const add = ops[`format.${name}`];
      return (frame: Frame): void => void add(value(frame));
    });
    return this.located(expr.site, (frame) => {
      ops['format.begin']();
      pieces.forEach((piece, i) => {
        if (piece !== null) ops['format.string'](piece);
        args[i]?.(frame);
      });
      return ops['format.end']() as number;
    });
  }

  // --- statements

  protected worldStatement(stmt: Stmt): Exec {
    switch (stmt.op) {
      case 'call':
        return this.#callStatement(stmt);
      case 'raise': {
        const { kind } = stmt;
        const message = this.number(stmt.message);
        return this.located(stmt.site, (frame): number => {
          throw raised(kind, readString(this.#scope.heap, message(frame)));
        });
      }
      case 'buffer.set':
      case 'buffer.narrow':
        return objects.bufferSet(this.#objects, stmt);
      case 'list.push':
      case 'list.set':
        return objects.listStore(this.#objects, stmt);
      case 'array.set':
        return objects.arraySet(this.#objects, stmt);
      default:
        throw new Error(`expected no '${stmt.op}' in a host function. This is a bug.`);
    }
  }

  #callStatement({ call, results }: StmtOf<'call'>): Exec {
    const run =
      call.op === 'call'
        ? this.#call(call)
        : call.op === 'capability'
          ? this.#capability(call)
          : this.#voidValue(call);
    return (frame) => {
      const values = run(frame) as readonly RawValue[];
      for (let i = 0; i < results.length; i++) frame.locals[results[i]!] = values[i]!;
      return NEXT;
    };
  }

  /** Heap operations without a result stand as calls, too. */
  #voidValue(expr: Expr): (frame: Frame) => readonly RawValue[] {
    const value = this.expression(expr);
    return (frame) => [value(frame)];
  }
}

function zeroOf(type: Type): RawValue {
  if (type.kind === 'scalar' && type.name === 'i64') return 0n;
  if (type.kind === 'vector' || type.kind === 'bytes') return new Array<number>(type.lanes).fill(0);
  return 0;
}
