/**
 * Binding strength of binary operators, weakest first. Unlike in C, `&`, `^` and `|` bind tighter
 * than comparisons, so `flags & 1 != 0` means what it reads as. Comparisons do not chain; all other
 * operators group to the left.
 */

import type { BinaryOp } from '../tree.js';

export const precedence: Readonly<Record<BinaryOp, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '|': 4,
  '^': 5,
  '&': 6,
  '<<': 7,
  '>>': 7,
  '+': 8,
  '-': 8,
  '*': 9,
  '/': 9,
  '%': 9,
};

export const comparisonPrecedence = precedence['<'];

/** Binds tighter than any binary operator. */
export const unaryPrecedence = 10;

export const precedenceOf: ReadonlyMap<string, number> = new Map(Object.entries(precedence));

export const assignOps: ReadonlySet<string> = new Set(['=', '+=', '-=', '*=']);
