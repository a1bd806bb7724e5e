/**
 * Text of one shader function body in the making: lines with indentation, fresh names, and markers
 * that tell which Loom position the lines below come from. `loomPosition` reads the markers back,
 * so a message of the shader compiler about a line becomes one about the program.
 */
import type { Site } from '../../loom/typed.js';
import { positionOf } from '../../vm/program-error.js';

const MARKER = '// at ';

export class WgslWriter {
  readonly #files: readonly string[];
  readonly lines: string[] = [];
  #depth = 1;
  #names = 0;
  #site = '';

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  line(text: string): void {
    this.lines.push(`${'  '.repeat(this.#depth)}${text}`);
  }

  open(head: string): void {
    this.line(head === '' ? '{' : `${head} {`);
    this.#depth++;
  }

  close(): void {
    this.#depth--;
    this.line('}');
  }

  else(): void {
    this.#depth--;
    this.line('} else {');
    this.#depth++;
  }

  /** Lines from here on come from `site`. */
  at(site: Site): void {
    const position = positionOf(this.#files, site);
    if (position === this.#site) return;
    this.#site = position;
    this.line(MARKER + position);
  }

  /** A name that nothing else in the function has. */
  fresh(stem = 't'): string {
    return `${stem}${this.#names++}`;
  }

  /** Gives a value a name. */
  let(value: string): string {
    const name = this.fresh();
    this.line(`let ${name} = ${value};`);
    return name;
  }

  /** What `emit` writes, taken out again. */
  capture<T>(emit: () => T): { readonly result: T; readonly lines: readonly string[] } {
    const from = this.lines.length;
    const result = emit();
    return { result, lines: this.lines.splice(from) };
  }

  /** Lines that were captured at this depth, one level deeper. */
  nested(lines: readonly string[]): void {
    for (const line of lines) this.lines.push(`  ${line}`);
  }

  /** A place to which `insert` may come back, at the present depth. */
  mark(): { insert(text: string): void } {
    const at = this.lines.length;
    const indent = '  '.repeat(this.#depth);
    return { insert: (text) => void this.lines.splice(at, 0, `${indent}${text}`) };
  }
}

/**
 * The Loom position that a line of a source (counted from 1) comes from, or null above the first
 * marker: what lies there belongs to the kernel as a whole.
 */
export function loomPosition(source: string, line: number): string | null {
  const lines = source.split('\n');
  for (let at = Math.min(line, lines.length) - 1; at >= 0; at--) {
    const text = lines[at]!.trimStart();
    if (text.startsWith(MARKER)) return text.slice(MARKER.length);
  }
  return null;
}
