/**
 * Texts that the formatter has found as it writes them, by digest, kept from one run to the next:
 * it takes half a minute for all files, and few of them change. What is kept counts for one version
 * of the formatter and one set of options; where the file is missing or damaged, nothing is kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from 'prettier';
import { root } from './sources.js';

export class FormattedTexts {
  readonly #file: string;
  readonly #rules: string;
  readonly #kept: ReadonlySet<string>;
  readonly #seen = new Set<string>();

  constructor(file: string) {
    this.#file = file;
    this.#rules = version + readFileSync(join(root, '.prettierrc.json'), 'utf8');
    this.#kept = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  }

  has(text: string): boolean {
    const digest = this.#digest(text);
    if (!this.#kept.has(digest)) return false;
    this.#seen.add(digest);
    return true;
  }

  add(text: string): void {
    this.#seen.add(this.#digest(text));
  }

  /** Digests of texts that are gone are dropped. */
  keep(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, [...this.#seen].join('\n'));
  }

  #digest(text: string): string {
    return createHash('sha256').update(this.#rules).update(text).digest('hex');
  }
}
