/**
 * Limits of one program file, shared by the parser and the bytecode reader. They bound memory and
 * recursion on hostile input: every tree within them can be walked by a plain recursive function.
 */

import type { DiagnosticSink } from '../diagnostics.js';

export const syntaxLimits = {
  /** Bytes of one text file (UTF-8). */
  textBytes: 1024 * 1024,
  /** Bytes of one bytecode file; dense text takes up to four times its size as nodes. */
  bytecodeBytes: 4 * 1024 * 1024,
  /**
   * Bytes of the text that a bytecode file may print to, so that few bytes cannot mean gigabytes.
   */
  printedBytes: 8 * 1024 * 1024,
  /** Levels of blocks in blocks, and levels of one expression or type. */
  nesting: 64,
  /** Parameters of a declaration, and its results: code generators have limits of their own. */
  parameters: 255,
  /** Bytes of a name, dots included. */
  nameBytes: 128,
  /** Characters of one number. */
  numberChars: 128,
  /** Largest integer literal: 2^63, so that the smallest i64 can be written. */
  intMax: 2n ** 63n,
  u32Max: 2n ** 32n - 1n,
} as const;

/** Says that a file is too long; true if it was. */
export function reportTooLong(
  sink: DiagnosticSink,
  file: string,
  size: { readonly bytes: number; readonly max: number },
): boolean {
  if (size.bytes <= size.max) return false;
  sink.report({
    file,
    at: 4097,
    message: `the file has ${size.bytes} bytes; the limit is ${size.max}`,
    hint: 'split it into several libraries',
  });
  return true;
}
