/**
 * String literals: double quotes, one line, escapes `\n \t \r \\ \" \u{hex}`. `quote` is the
 * inverse and is what the printer uses: the shortest escape, everything printable as it is.
 */

import type { TokenWriter } from './tokens.js';

const quoteUnit = 34;
const backslash = 92;
const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
};

/** At the opening quote. Pieces between escapes are cut out whole. */
export function lexString(lexer: TokenWriter): void {
  const { text } = lexer;
  const start = lexer.pos;
  let value = '"';
  let from = start + 1;
  let end = from;
  for (;;) {
    const unit = text.charCodeAt(end);
    if (unit === quoteUnit) break;
    if (Number.isNaN(unit) || unit === 10) {
      lexer.report(start, end, 'the string is not closed on its line', 'write a newline as \\n');
      break;
    }
    if (unit !== backslash) {
      end += 1;
      continue;
    }
    const escape = readEscape(lexer, end);
    value += text.slice(from, end) + escape.value;
    end = escape.end;
    from = end;
  }
  value += text.slice(from, end);
  lexer.pos = text.charCodeAt(end) === quoteUnit ? end + 1 : end;
  lexer.push('string', value, start);
}

/** The escape at a backslash; a bad one is reported and means nothing. */
function readEscape(lexer: TokenWriter, start: number): { value: string; end: number } {
  const { text } = lexer;
  const letter = text[start + 1] ?? '';
  const plain = simple[letter];
  if (plain !== undefined) return { value: plain, end: start + 2 };
  if (letter === 'u') {
    const match = /^\{([0-9a-fA-F]{1,6})\}/.exec(text.slice(start + 2, start + 10));
    const point = match === null ? -1 : parseInt(match[1]!, 16);
    if (point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)) {
      return { value: String.fromCodePoint(point), end: start + 2 + match![0].length };
    }
  }
  const end = letter === '' || letter === '\n' ? start + 1 : start + 2;
  const hint = 'escapes are \\n \\t \\r \\\\ \\" and \\u{1f600}';
  lexer.report(start, end, 'this escape is not known', hint);
  return { value: '', end };
}

/** A string as a literal. */
export function quote(value: string): string {
  return `"${value.replace(/["\\\u0000-\u001f\u007f]/g, escapeOf)}"`;
}

function escapeOf(char: string): string {
  for (const [letter, value] of Object.entries(simple)) if (value === char) return `\\${letter}`;
  return `\\u{${char.charCodeAt(0).toString(16)}}`;
}
