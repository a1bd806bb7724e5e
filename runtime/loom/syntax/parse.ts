/**
 * Text to syntax tree. Always returns a tree, of whatever could be read, and all diagnostics; a
 * tree with diagnostics is fit for showing, not for running. Never throws on any input: brackets
 * balance in the token stream, nesting is bounded, and every scan moves forward.
 */

import { DiagnosticSink } from '../diagnostics.js';
import type { Diagnostic } from '../diagnostics.js';
import { packAt } from '../tree.js';
import type { Module } from '../tree.js';
import { Cursor } from './cursor.js';
import { Lexer } from './lexer.js';
import { reportTooLong, syntaxLimits } from './limits.js';
import { parseModule } from './parse-declarations.js';
import { parseExpression } from './parse-expressions.js';

export interface ParseInput {
  /** Name of the file in diagnostics. */
  readonly file: string;
  readonly text: string;
  /** The bytecode reader checks what it read against its own limit. */
  readonly maxBytes?: number;
}

export interface Parsed {
  readonly module: Module;
  readonly diagnostics: readonly Diagnostic[];
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function parse(input: ParseInput): Parsed {
  const { file, text } = input;
  const sink = new DiagnosticSink();
  const max = input.maxBytes ?? syntaxLimits.textBytes;
  // Units never outnumber bytes, so a long text is refused before it is measured.
  const bytes = text.length > max ? text.length : Buffer.byteLength(text);
  if (reportTooLong(sink, file, { bytes, max }) || reportSurrogate(sink, file, text)) {
    return { module: emptyModule(), diagnostics: sink.list() };
  }
  const tokens = new Lexer(file, text, sink).run();
  const module = parseModule(new Cursor(file, { tokens, sink, expression: parseExpression }));
  return { module, diagnostics: sink.list() };
}

export const emptyModule = (): Module => ({
  kind: 'module',
  at: packAt(1, 1),
  library: '',
  uses: [],
  decls: [],
});

/** Text with half a surrogate pair has no UTF-8 form, so it could not be stored. */
function reportSurrogate(sink: DiagnosticSink, file: string, text: string): boolean {
  const index = text.search(loneSurrogate);
  if (index < 0) return false;
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  const at = packAt(line, index - before.lastIndexOf('\n'));
  sink.report({ file, at, message: 'the text has half a surrogate pair here' });
  return true;
}
