/**
 * The words of the language. Only `reservedWords` can never be names; all other keywords mean
 * something at one place of the grammar and are ordinary names elsewhere (`part`, `out`, `grid`).
 * Read by the lexer, the parser, the printer and the bytecode reader.
 */

export const reservedWords: ReadonlySet<string> = new Set([
  'let',
  'var',
  'if',
  'else',
  'for',
  'in',
  'while',
  'break',
  'continue',
  'return',
  'true',
  'false',
  'func',
  'export',
]);

/** Words that begin a statement and can begin nothing else: recovery trusts them. */
export const statementWords: ReadonlySet<string> = new Set([
  'let',
  'var',
  'if',
  'for',
  'while',
  'break',
  'continue',
  'return',
]);

/** Keywords by place only. Listed for the editor grammar and its test. */
export const contextualWords = [
  'library',
  'use',
  'import',
  'workgroup',
  'grid',
  'indirect',
  'step',
  'unroll',
  'parallel',
  'once',
  'shared',
  'private',
  'workspace',
  'zero',
  'invocation',
  'dispatch',
  'part',
  'out',
  'inout',
  'acc',
  'root',
  'param',
] as const;

/** What stands before `.def` or `.decl`. */
export const declarationHeads: ReadonlySet<string> = new Set([
  'config.decl',
  'func.decl',
  'const.def',
  'record.def',
  'layout.def',
  'bank.def',
  'func.def',
  'kernel.def',
  'command.def',
  'check.def',
  'template.def',
]);

/**
 * Built-in type names. As a template argument such a bare name is a type; any other bare name is a
 * name, and the elaborator decides what it denotes.
 */
export const builtinTypes: ReadonlySet<string> = new Set([
  ...['bool', 'i32', 'u32', 'i64', 'f32', 'f64', 'f16', 'bf16', 'i8', 'u8'],
  ...['f32x2', 'f32x4', 'i32x2', 'i32x4', 'u32x2', 'u32x4', 'i8x4', 'i8x16', 'u8x4'],
  ...['f16x2', 'f16x4', 'bf16x2', 'bf16x4'],
  ...['string', 'buffer', 'ref', 'symbol', 'list', 'cell', 'view', 'work', 'tensor'],
  ...['hal.buffer', 'hal.fence'],
]);

export const paramModes: ReadonlySet<string> = new Set(['in', 'out', 'inout', 'acc']);

const identifierForm = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether a string may stand as one name in text. */
export function isIdentifier(text: string): boolean {
  return text.length <= 128 && identifierForm.test(text) && !reservedWords.has(text);
}

/** Whether a string may stand as a dotted name in text. */
export function isPath(text: string): boolean {
  return text.length <= 128 && text.split('.').every(isIdentifier);
}
