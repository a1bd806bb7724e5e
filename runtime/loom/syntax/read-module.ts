/**
 * A file of either spelling to a syntax tree: text or bytecode, told apart by content, never by
 * name. `source` is the text for showing diagnostics, null for bytecode.
 */

import { DiagnosticSink } from '../diagnostics.js';
import type { Diagnostic } from '../diagnostics.js';
import { packAt } from '../tree.js';
import type { Module } from '../tree.js';
import { isBytecode } from './bytecode-format.js';
import { decode } from './bytecode-reader.js';
import { reportTooLong, syntaxLimits } from './limits.js';
import { emptyModule, parse } from './parse.js';

export interface ReadModule {
  readonly module: Module;
  readonly diagnostics: readonly Diagnostic[];
  readonly source: string | null;
}

export function readModule(file: string, bytes: Uint8Array): ReadModule {
  if (isBytecode(bytes)) return { ...decode(file, bytes), source: null };
  const sink = new DiagnosticSink();
  const max = syntaxLimits.textBytes;
  if (!reportTooLong(sink, file, { bytes: bytes.length, max })) {
    const source = decodeText(bytes);
    if (source !== null) return { ...parse({ file, text: source }), source };
    reportNotText(sink, file, bytes);
  }
  return { module: emptyModule(), diagnostics: sink.list(), source: null };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Points at the first byte that is not UTF-8: it is where lenient decoding first substitutes. */
function reportNotText(sink: DiagnosticSink, file: string, bytes: Uint8Array): void {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')));
  const at = packAt(before.split('\n').length, before.length - before.lastIndexOf('\n'));
  const message = 'the file is neither UTF-8 text nor bytecode';
  sink.report({ file, at, message });
}
