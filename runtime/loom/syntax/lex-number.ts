/**
 * Numbers: `12`, `0x1f`, each with an optional `u`, and floats that have a digit on both sides of
 * the point or an exponent (`1.0`, `2.5e-3`, `1e9`). A point that no digit follows is not part of
 * the number, so `0..n` is a range.
 */

import { isDigitCode, isWordCode } from './character-class.js';
import { syntaxLimits } from './limits.js';
import type { TokenWriter } from './tokens.js';

const point = 46;

/** At a digit. What is wrong is reported and stands as 0. */
export function lexNumber(lexer: TokenWriter): void {
  const { text } = lexer;
  const start = lexer.pos;
  const isHex = text.charCodeAt(start) === 48 && (text.charCodeAt(start + 1) | 32) === 120;
  const scan = isHex ? { end: hexEnd(text, start + 2), isFloat: false } : decimal(text, start);
  let { end } = scan;
  if (!scan.isFloat && text.charCodeAt(end) === 117) end += 1;
  let isBad = isHex && hexEnd(text, start + 2) === start + 2;
  if (isWordCode(text.charCodeAt(end))) {
    while (isWordCode(text.charCodeAt(end))) end += 1;
    isBad = true;
  }
  lexer.pos = end;
  if (isBad) {
    const shown = JSON.stringify(text.slice(start, Math.min(end, start + 32)));
    const hint = 'numbers are like 12, 0x1f, 7u, 1.5 or 2e-3; names do not start with a digit';
    lexer.report(start, end, `${shown} is not a number`, hint);
  } else if (end - start > syntaxLimits.numberChars) {
    const limit = syntaxLimits.numberChars;
    lexer.report(start, end, `the number has ${end - start} characters; the limit is ${limit}`);
    isBad = true;
  }
  // A bad number still stands as one, so that the parser does not complain a second time.
  const kind = scan.isFloat ? 'float' : 'int';
  lexer.push(kind, isBad ? '0' : text.slice(start, end), start);
}

function hexEnd(text: string, from: number): number {
  let end = from;
  for (;;) {
    const unit = text.charCodeAt(end);
    const lower = unit | 32;
    if (!isDigitCode(unit) && !(lower >= 97 && lower <= 102 && unit >= 65)) return end;
    end += 1;
  }
}

/** The end of a decimal number, and whether it has a fraction or an exponent. */
function decimal(text: string, start: number): { end: number; isFloat: boolean } {
  let end = digitsEnd(text, start);
  let isFloat = false;
  if (text.charCodeAt(end) === point && isDigitCode(text.charCodeAt(end + 1))) {
    end = digitsEnd(text, end + 1);
    isFloat = true;
  }
  if ((text.charCodeAt(end) | 32) === 101) {
    const sign = text.charCodeAt(end + 1);
    const digits = sign === 43 || sign === 45 ? end + 2 : end + 1;
    if (isDigitCode(text.charCodeAt(digits)))
      return { end: digitsEnd(text, digits), isFloat: true };
  }
  return { end, isFloat };
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isDigitCode(text.charCodeAt(end))) end += 1;
  return end;
}
