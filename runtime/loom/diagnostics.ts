/**
 * Diagnostics of programs: what is wrong, where, and what to do about it. Parser, bytecode reader,
 * linker and elaborator report into one `DiagnosticSink` and go on; whoever needs a working program
 * calls `throwIfAny`. A `LoomError` carries every diagnostic as data and rendered:
 * file:line:column, the source line, a caret under the place, the hint, and the other places that
 * matter.
 */

import { StatusError } from '../base/errors.js';
import { columnOf, lineOf } from './tree.js';
import type { At } from './tree.js';

export interface Place {
  readonly file: string;
  readonly at: At;
  readonly message: string;
}

export interface Diagnostic extends Place {
  /** First column (from 1) after the place on the same line; one column when absent. */
  readonly endColumn?: number;
  readonly hint?: string;
  readonly related?: readonly Place[];
}

/** Text of a file by its name; null or undefined where there is none (bytecode). */
export type SourceLookup = (file: string) => string | null | undefined;

const noSource: SourceLookup = () => null;

/** More diagnostics than this help nobody and cost memory on hostile input. */
const diagnosticsMax = 100;
/** Columns of a source line that are shown around the caret. */
const excerptColumns = 100;

/** Collects diagnostics in the order of discovery; `list` gives them by file and position. */
export class DiagnosticSink {
  readonly #entries: Diagnostic[] = [];
  readonly #places = new Set<string>();
  #dropped = 0;

  report(diagnostic: Diagnostic): void {
    if (this.isFull) {
      this.#dropped += 1;
      return;
    }
    // One place, one message: a second pass over the same code (a template instance) adds nothing.
    const key = `${diagnostic.file}\0${diagnostic.at}\0${diagnostic.message}`;
    if (this.#places.has(key)) return;
    this.#places.add(key);
    this.#entries.push(diagnostic);
  }

  reportAll(diagnostics: Iterable<Diagnostic>): void {
    for (const diagnostic of diagnostics) this.report(diagnostic);
  }

  get count(): number {
    return this.#entries.length;
  }

  /** How many were not kept because there were too many. */
  get dropped(): number {
    return this.#dropped;
  }

  get isFull(): boolean {
    return this.#entries.length >= diagnosticsMax;
  }

  list(): readonly Diagnostic[] {
    return [...this.#entries].sort(byPlace);
  }

  throwIfAny(sources: SourceLookup = noSource): void {
    if (this.#entries.length > 0) throw new LoomError(this.list(), sources);
  }
}

/** Programs that do not parse, link or type: every diagnostic, as data and as text. */
export class LoomError extends StatusError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], sources: SourceLookup = noSource) {
    const first = diagnostics[0];
    const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
    const where = first === undefined ? undefined : placeOf(first);
    super(
      'invalidArgument',
      first === undefined ? 'the program is not valid' : `${where}: ${first.message}${more}`,
      { where, details: diagnostics.map((entry) => renderDiagnostic(entry, sources)) },
    );
    this.name = 'LoomError';
    this.diagnostics = diagnostics;
  }
}

/** `file:line:column`. */
export function placeOf(place: { readonly file: string; readonly at: At }): string {
  return `${place.file}:${lineOf(place.at)}:${columnOf(place.at)}`;
}

/** A diagnostic as lines of text, without a newline at the end. */
export function renderDiagnostic(diagnostic: Diagnostic, sources: SourceLookup = noSource): string {
  const lines = [`${placeOf(diagnostic)}: ${diagnostic.message}`];
  lines.push(...excerpt(diagnostic, diagnostic.endColumn, sources));
  if (diagnostic.hint !== undefined) lines.push(`  hint: ${diagnostic.hint}`);
  for (const place of diagnostic.related ?? []) {
    lines.push(`  ${placeOf(place)}: ${place.message}`);
    lines.push(...excerpt(place, undefined, sources));
  }
  return lines.join('\n');
}

export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: SourceLookup = noSource,
): string {
  return diagnostics.map((entry) => renderDiagnostic(entry, sources)).join('\n\n');
}

/** The source line and a caret line; nothing where the text is not at hand. */
function excerpt(place: Place, endColumn: number | undefined, sources: SourceLookup): string[] {
  const text = sources(place.file);
  if (text === null || text === undefined) return [];
  const line = lineAt(text, lineOf(place.at));
  if (line === null) return [];
  const from = columnOf(place.at) - 1;
  // A long line is shown as a window that starts a little before the caret.
  const start = line.length <= excerptColumns ? 0 : Math.max(0, from - 40);
  const shown = line.slice(start, start + excerptColumns);
  if (from - start > shown.length) return [`  | ${shown}`];
  const width = Math.max(1, Math.min((endColumn ?? from + 2) - 1, start + shown.length) - from);
  // Tabs stay tabs, so that the caret stands under its place whatever the tab width.
  const lead = shown.slice(0, from - start).replace(/[^\t]/g, ' ');
  return [`  | ${shown}`, `  | ${lead}${'^'.repeat(width)}`];
}

function lineAt(text: string, line: number): string | null {
  let start = 0;
  for (let current = 1; current < line; current += 1) {
    const newline = text.indexOf('\n', start);
    if (newline < 0) return null;
    start = newline + 1;
  }
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end).replace(/\r$/, '');
}

function byPlace(left: Diagnostic, right: Diagnostic): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.at - right.at;
}
