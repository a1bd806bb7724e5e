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
import { checkWritable, elementAddress } from '../heap-buffers.js';
import { arrayElement } from '../heap-lists.js';
import type { HeapOperations } from '../heap-operations.js';
import type { LiteralTable } from '../literal-table.js';
import { CALL_DEPTH, CALL_DEPTH_MAX } from '../memory-map.js';
import { positionOf, ProgramError, raised, withFrame } from '../program-error.js';
import { readString } from '../heap-strings.js';
import { recordLayout, valueSize } from '../value-layout.js';
import { scalarAccess, valueAccess } from '../value-access.js';
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

  constructor(scope: HostScope, func: HostFunction) {
    super();
    this.#scope = scope;
    this.#func = func;
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
    return this.located(expr.site, (frame) => copy(value(frame), type));
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
        return this.#recordNew(expr);
      case 'record.field':
        return this.#recordField(expr);
      case 'array.new':
        return this.#arrayNew(expr);
      case 'list.get':
        return this.#listGet(expr);
      case 'array.get':
        return this.#arrayGet(expr);
      case 'buffer.get':
        return this.#bufferGet(expr);
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
    const run = this.#scope.operations[expr.name];
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
    if (name === 'array.bytes' && first?.kind === 'array') return first.count * valueSize(first.elem);
    return null;
  }

  #format(expr: ExprOf<'format'>): Eval {
    const { operations: ops } = this.#scope;
    const pieces = expr.pieces.map((piece) => (piece === '' ? null : this.#scope.literals.address(piece)));
    const args = expr.args.map((arg) => {
      const value = this.expression(arg);
      const name = arg.type.kind === 'scalar' ? arg.type.name : 'string';
      const add = ops[`format.${name}`];
      return (frame: Frame): void => add(value(frame));
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

  #recordNew(expr: ExprOf<'record.new'>): Eval {
    const { heap } = this.#scope;
    const type = expr.type as Type & { readonly kind: 'record' };
    const { size, offsets } = recordLayout(type.record);
    const fields = expr.fields.map((field) => this.stored(field));
    const accesses = expr.fields.map((field) => valueAccess(field.type));
    return this.located(expr.site, (frame) => {
      // Fields first: they may allocate, and raise.
      const values = fields.map((field) => field(frame));
      const at = heap.alloc(size);
      values.forEach((value, i) => accesses[i]!.store(heap, at + offsets[i]!, value));
      return at;
    });
  }

  #recordField(expr: ExprOf<'record.field'>): Eval {
    const { heap } = this.#scope;
    const type = expr.value.type as Type & { readonly kind: 'record' };
    const offset = recordLayout(type.record).offsets[expr.index]!;
    const record = this.number(expr.value);
    const access = valueAccess(expr.type);
    return (frame) => access.load(heap, record(frame) + offset);
  }

  #arrayNew(expr: ExprOf<'array.new'>): Eval {
    const { heap } = this.#scope;
    const { elem } = expr.type as Type & { readonly kind: 'array' };
    const size = valueSize(elem);
    const access = valueAccess(elem);
    const items = expr.items.map((item) => this.stored(item));
    return this.located(expr.site, (frame) => {
      const values = items.map((item) => item(frame));
      const at = heap.alloc(size * values.length);
      values.forEach((value, i) => access.store(heap, at + i * size, value));
      return at;
    });
  }

  #listGet(expr: ExprOf<'list.get'>): Eval {
    const { heap, operations } = this.#scope;
    const list = this.number(expr.list);
    const index = this.expression(expr.index) as Eval<bigint>;
    const access = valueAccess(expr.type);
    const size = valueSize(expr.type);
    const at = operations['list.at'];
    return this.located(expr.site, (frame) => access.load(heap, at(list(frame), index(frame), size)));
  }

  #arrayGet(expr: ExprOf<'array.get'>): Eval {
    const { heap } = this.#scope;
    const { count } = expr.array.type as Type & { readonly kind: 'array' };
    const array = this.number(expr.array);
    const index = this.expression(expr.index) as Eval<bigint>;
    const access = valueAccess(expr.type);
    const place = { count, size: valueSize(expr.type) };
    return this.located(expr.site, (frame) =>
      access.load(heap, arrayElement(array(frame), index(frame), place)),
    );
  }

  #bufferGet(expr: ExprOf<'buffer.get'>): Eval {
    const { heap } = this.#scope;
    const { elem, offset } = expr;
    const buffer = this.number(expr.buffer);
    const index = this.expression(expr.index) as Eval<bigint>;
    const access = scalarAccess(elem);
    return this.located(expr.site, (frame) =>
      access.load(heap, elementAddress(heap, { buffer: buffer(frame), elem, offset, index: index(frame) })),
    );
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
        return this.#bufferSet(stmt);
      case 'list.push':
      case 'list.set':
        return this.#listStore(stmt);
      case 'array.set':
        return this.#arraySet(stmt);
      default:
        throw new Error(`expected no '${stmt.op}' in a host function. This is a bug.`);
    }
  }

  #callStatement({ call, results }: StmtOf<'call'>): Exec {
    const run =
      call.op === 'call' ? this.#call(call)
      : call.op === 'capability' ? this.#capability(call)
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

  #bufferSet(stmt: StmtOf<'buffer.set'> | StmtOf<'buffer.narrow'>): Exec {
    const { heap } = this.#scope;
    const { elem, offset } = stmt;
    const buffer = this.number(stmt.buffer);
    const index = this.expression(stmt.index) as Eval<bigint>;
    const value = this.expression(stmt.value);
    const access = scalarAccess(elem);
    const narrow = stmt.op === 'buffer.narrow' ? narrowing(stmt.elem) : (given: RawValue) => given;
    return this.located(stmt.site, (frame) => {
      const place = { buffer: buffer(frame), elem, offset, index: index(frame) };
      const stored = narrow(value(frame));
      const at = elementAddress(heap, place);
      checkWritable(heap, place.buffer);
      access.store(heap, at, stored);
      return NEXT;
    });
  }

  #listStore(stmt: StmtOf<'list.push'> | StmtOf<'list.set'>): Exec {
    const { heap, operations } = this.#scope;
    const { elem } = stmt.list.type as Type & { readonly kind: 'list' };
    const size = valueSize(elem);
    const access = valueAccess(elem);
    const list = this.number(stmt.list);
    const value = this.stored(stmt.value);
    if (stmt.op === 'list.push') {
      const push = operations['list.push'];
      return this.located(stmt.site, (frame) => {
        const target = list(frame);
        const stored = value(frame);
        access.store(heap, push(target, size), stored);
        return NEXT;
      });
    }
    const index = this.expression(stmt.index) as Eval<bigint>;
    const place = operations['list.set'];
    return this.located(stmt.site, (frame) => {
      const target = list(frame);
      const at = index(frame);
      const stored = value(frame);
      access.store(heap, place(target, at, size), stored);
      return NEXT;
    });
  }

  #arraySet(stmt: StmtOf<'array.set'>): Exec {
    const { heap } = this.#scope;
    const { elem, count } = stmt.array.type as Type & { readonly kind: 'array' };
    const access = valueAccess(elem);
    const place = { count, size: valueSize(elem) };
    const array = this.number(stmt.array);
    const index = this.expression(stmt.index) as Eval<bigint>;
    const value = this.stored(stmt.value);
    return this.located(stmt.site, (frame) => {
      const target = array(frame);
      const i = index(frame);
      const stored = value(frame);
      access.store(heap, arrayElement(target, i, place), stored);
      return NEXT;
    });
  }
}

const narrowRanges = {
  u8: [0n, 255n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
} as const;

/** i64 → the value that is stored; raises when it does not fit. */
function narrowing(elem: 'i32' | 'u32' | 'u8'): (value: RawValue) => RawValue {
  const [low, high] = narrowRanges[elem];
  return (value) => {
    const wide = value as bigint;
    if (wide < low || wide > high) throw faults.narrow(wide, elem);
    return elem === 'u8' ? wide : Number(wide);
  };
}

function zeroOf(type: Type): RawValue {
  if (type.kind === 'scalar' && type.name === 'i64') return 0n;
  if (type.kind === 'vector' || type.kind === 'bytes') return new Array<number>(type.lanes).fill(0);
  return 0;
}
