/**
 * Statements as lines: one statement a line, two columns a level, `else if` for an else block that
 * holds only an `if`. Read by `print.ts`; the widths are those of `print-expressions.ts`.
 */

import type { Block, Expr, Stmt } from '../tree.js';
import {
  flatList,
  layout,
  layoutHead,
  layoutList,
  lineWidth,
  printTemplateArgs,
  printType,
} from './print-expressions.js';

/** ` {`, the statements, `}`; the last line is open for ` else`. */
export function printBlock(block: Block, indent: number): string {
  if (block.stmts.length === 0) return '{}';
  const lines = block.stmts.map((stmt) => ' '.repeat(indent + 2) + printStmt(stmt, indent + 2));
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`;
}

/** A statement without the indentation of its first line. */
function printStmt(stmt: Stmt, indent: number): string {
  switch (stmt.kind) {
    case 'let': {
      const names = stmt.names.length === 1 ? stmt.names[0]! : `(${stmt.names.join(', ')})`;
      const type = stmt.type === null ? '' : ` : ${printType(stmt.type)}`;
      return after(`let ${names}${type} = `, stmt.value, indent);
    }
    case 'var': {
      const type = stmt.type === null ? '' : ` : ${printType(stmt.type)}`;
      if (stmt.value === null) return `var ${stmt.name}${type}`;
      return after(`var ${stmt.name}${type} = `, stmt.value, indent);
    }
    case 'assign': {
      const target = layout(stmt.target, { indent, column: indent, tail: 3 });
      return after(`${target} ${stmt.op} `, stmt.value, indent);
    }
    case 'do':
      return after('', stmt.value, indent);
    case 'return':
      return printReturn(stmt.values, indent);
    case 'break':
    case 'continue':
    case 'part':
      return stmt.kind;
    case 'shared':
    case 'private':
      return `${stmt.kind} ${stmt.name} : ${printType(stmt.type)}`;
    case 'workspace': {
      const modifiers = `${stmt.zero ? 'zero ' : ''}${stmt.invocation ? 'invocation ' : ''}`;
      return `workspace ${modifiers}${stmt.name} : ${printType(stmt.type)}`;
    }
    case 'dispatch':
      return printDispatch(stmt, indent);
    default:
      return printCompound(stmt, indent);
  }
}

/** Statements with a block. */
type Compound = Extract<Stmt, { kind: 'if' | 'for' | 'while' | 'parallel' | 'once' }>;

function printCompound(stmt: Compound, indent: number): string {
  switch (stmt.kind) {
    case 'if':
      return printIf(stmt, indent);
    case 'for': {
      const range = printRange(`for ${stmt.name} in `, stmt, indent);
      const step = stmt.step === null ? '' : after(`${range} step `, stmt.step, indent, layoutHead);
      const unroll = stmt.unroll ? ' unroll' : '';
      return `${step === '' ? range : step}${unroll} ${printBlock(stmt.body, indent)}`;
    }
    case 'while': {
      const head = after('while ', stmt.cond, indent, layoutHead);
      return `${head} ${printBlock(stmt.body, indent)}`;
    }
    case 'parallel': {
      const head = printRange(`parallel ${stmt.name} in `, stmt, indent);
      return `${head} ${printBlock(stmt.body, indent)}`;
    }
    case 'once':
      return `once ${printBlock(stmt.body, indent)}`;
  }
}

/** `start` and the value behind it, broken to the width. */
function after(start: string, value: Expr, indent: number, lay = layout): string {
  const column = start.length - start.lastIndexOf('\n') - 1 + (start.includes('\n') ? 0 : indent);
  return start + lay(value, { indent, column, tail: lay === layoutHead ? 2 : 0 });
}

function printRange(start: string, range: { from: Expr; to: Expr }, indent: number): string {
  return after(`${after(start, range.from, indent, layoutHead)}..`, range.to, indent, layoutHead);
}

function printIf(stmt: Extract<Stmt, { kind: 'if' }>, indent: number): string {
  const head = after('if ', stmt.cond, indent, layoutHead);
  const text = `${head} ${printBlock(stmt.then, indent)}`;
  if (stmt.otherwise === null) return text;
  const only = stmt.otherwise.stmts.length === 1 ? stmt.otherwise.stmts[0]! : null;
  const rest = only?.kind === 'if' ? printIf(only, indent) : printBlock(stmt.otherwise, indent);
  return `${text} else ${rest}`;
}

/** One value needs no parentheses; several are a tuple. */
function printReturn(values: readonly Expr[], indent: number): string {
  if (values.length === 0) return 'return';
  if (values.length === 1) return after('return ', values[0]!, indent);
  const line = `return ${flatList(values)}`;
  return indent + line.length <= lineWidth ? line : `return ${layoutList(values, indent)}`;
}

function printDispatch(stmt: Extract<Stmt, { kind: 'dispatch' }>, indent: number): string {
  // The kernel is written without its `@`.
  const { kernel } = stmt;
  const name =
    kernel.kind === 'symbol' ? kernel.name + printTemplateArgs(kernel.args) : '(not a symbol)';
  const grid = ` grid${stmt.indirect ? ' indirect' : ''}`;
  const extents = flatList(stmt.grid);
  const launch = stmt.grid.length === 0 ? '' : grid + extents;
  const line = `dispatch ${name}${flatList(stmt.args)}${launch}`;
  if (indent + line.length <= lineWidth) return line;
  const args = layoutList(stmt.args, indent);
  if (launch === '') return `dispatch ${name}${args}`;
  const isWide = indent + 1 + grid.length + extents.length > lineWidth;
  return `dispatch ${name}${args}${grid}${isWide ? layoutList(stmt.grid, indent) : extents}`;
}
