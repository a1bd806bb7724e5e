/**
 * All files that may take part in a program, linked by name. A file sees its own declarations, the
 * exports of files of its own library, what it `use`s, and every export by its full name. A name
 * that is bound twice in a file is reported with both places; so is an export that exists twice.
 * Immutable once made; a catalog serves any number of elaborations.
 */
import { DiagnosticSink } from '../diagnostics.js';
import type { Diagnostic } from '../diagnostics.js';
import type { At, Decl, Module } from '../tree.js';
import { Problem } from './problem.js';

export interface CatalogInput {
  readonly file: string;
  readonly module: Module;
  /** Text for diagnostics; null where the file came as bytecode. */
  readonly source: string | null;
}

export interface CatalogFile {
  readonly index: number;
  readonly file: string;
  readonly module: Module;
  readonly own: ReadonlyMap<string, Declaration>;
}

export interface Declaration {
  /** Full name. */
  readonly name: string;
  /** Unique in the catalog, private names of equal spelling included. */
  readonly id: string;
  readonly decl: Decl;
  readonly file: CatalogFile;
}

const suggestionsMax = 32;

interface Bound {
  readonly declaration: Declaration;
  readonly at: At;
}

export class Catalog {
  readonly files: readonly CatalogFile[];
  readonly diagnostics: readonly Diagnostic[];
  readonly #sink = new DiagnosticSink();
  readonly #sources = new Map<string, string | null>();
  readonly #exports = new Map<string, Declaration>();
  #suggested = 0;
  readonly #libraries = new Map<string, Map<string, Declaration>>();
  readonly #scopes = new Map<CatalogFile, Map<string, Bound>>();

  constructor(inputs: readonly CatalogInput[]) {
    this.files = inputs.map((input, index) => this.#declare(input, index));
    for (const file of this.files) this.#publish(file);
    for (const file of this.files) this.#scopes.set(file, this.#scope(file));
    this.diagnostics = this.#sink.list();
  }

  readonly source = (file: string): string | null => this.#sources.get(file) ?? null;

  file(name: string): CatalogFile | null {
    return this.files.find((file) => file.file === name) ?? null;
  }

  get exports(): ReadonlyMap<string, Declaration> {
    return this.#exports;
  }

  /** The declaration of a path seen from `file`, and the members that follow it; null if none. */
  lookup(file: CatalogFile, path: string): { declaration: Declaration; rest: string[] } | null {
    const segments = path.split('.');
    const bound = this.#scopes.get(file)?.get(segments[0] as string);
    if (bound !== undefined) return { declaration: bound.declaration, rest: segments.slice(1) };
    for (let count = segments.length; count > 0; count -= 1) {
      const declaration = this.#exports.get(segments.slice(0, count).join('.'));
      if (declaration !== undefined) return { declaration, rest: segments.slice(count) };
    }
    return null;
  }

  /** By full name: an export, or else the only private declaration of that name. */
  find(fullName: string): Declaration | null {
    const exported = this.#exports.get(fullName);
    if (exported !== undefined) return exported;
    const privates = this.files.flatMap((file) =>
      [...file.own.values()].filter((entry) => entry.name === fullName),
    );
    return privates.length === 1 ? (privates[0] as Declaration) : null;
  }

  /** Names that a misspelt one may have meant, nearest first. */
  nearest(file: CatalogFile, name: string): string | null {
    // A hostile text has many unknown names; a few suggestions are enough.
    if (this.#suggested >= suggestionsMax) return null;
    this.#suggested += 1;
    const names = [...(this.#scopes.get(file)?.keys() ?? []), ...this.#exports.keys()];
    return nearestName(name, names);
  }

  #declare(input: CatalogInput, index: number): CatalogFile {
    this.#sources.set(input.file, input.source);
    const own = new Map<string, Declaration>();
    const file: CatalogFile = { index, file: input.file, module: input.module, own };
    const { library } = input.module;
    for (const decl of input.module.decls) {
      const earlier = own.get(decl.name);
      if (earlier !== undefined) {
        this.#twice(file, { name: decl.name, at: decl.at }, earlier);
        continue;
      }
      const name = library === '' ? decl.name : `${library}.${decl.name}`;
      own.set(decl.name, { name, id: `${index}:${decl.name}`, decl, file });
    }
    return file;
  }

  #publish(file: CatalogFile): void {
    const { library } = file.module;
    const members = this.#libraries.get(library) ?? new Map<string, Declaration>();
    this.#libraries.set(library, members);
    for (const declaration of file.own.values()) {
      if (!isVisible(declaration.decl)) continue;
      const earlier = this.#exports.get(declaration.name);
      if (earlier !== undefined) {
        this.#twice(file, { name: declaration.name, at: declaration.decl.at }, earlier);
        continue;
      }
      this.#exports.set(declaration.name, declaration);
      members.set(declaration.decl.name, declaration);
    }
  }

  #scope(file: CatalogFile): Map<string, Bound> {
    const scope = new Map<string, Bound>();
    for (const declaration of file.own.values()) {
      scope.set(declaration.decl.name, { declaration, at: declaration.decl.at });
    }
    if (file.module.library !== '') {
      for (const declaration of this.#libraries.get(file.module.library)?.values() ?? []) {
        if (declaration.file !== file) this.#bind(file, scope, { declaration, at: file.module.at });
      }
    }
    for (const use of file.module.uses) {
      const members = this.#libraries.get(use.path);
      if (use.path === '' || members === undefined || members.size === 0) {
        const known = nearestName(use.path, [...this.#libraries.keys()]);
        const hint = known === null ? undefined : `did you mean '${known}'?`;
        this.#report(
          file,
          new Problem({ file: file.file, at: use.at }, `there is no library '${use.path}'`, {
            ...(hint ? { hint } : {}),
          }),
        );
        continue;
      }
      for (const name of use.names ?? members.keys()) {
        const declaration = members.get(name);
        if (declaration !== undefined) {
          this.#bind(file, scope, { declaration, at: use.at });
          continue;
        }
        const hidden = this.find(`${use.path}.${name}`);
        const message = `library '${use.path}' exports no '${name}'`;
        const related =
          hidden === null ? [] : [placeOf(hidden, 'it is private: `export` is missing here')];
        this.#report(file, new Problem({ file: file.file, at: use.at }, message, { related }));
      }
    }
    return scope;
  }

  #bind(file: CatalogFile, scope: Map<string, Bound>, bound: Bound): void {
    const { name } = bound.declaration.decl;
    const earlier = scope.get(name);
    if (earlier === undefined) scope.set(name, bound);
    else if (earlier.declaration !== bound.declaration) {
      this.#twice(file, { name, at: earlier.at }, bound.declaration);
    }
  }

  #twice(file: CatalogFile, what: { name: string; at: At }, other: Declaration): void {
    const problem = new Problem({ file: file.file, at: what.at }, `'${what.name}' is bound twice`, {
      related: [placeOf(other, `the other '${other.decl.name}' is here`)],
    });
    this.#report(file, problem);
  }

  #report(_file: CatalogFile, problem: Problem): void {
    this.#sink.report(problem.diagnostic([]));
  }
}

/** Configuration is public by nature: it exists to be bound from outside. */
const isVisible = (decl: Decl): boolean => decl.exported || decl.kind === 'config';

export const placeOf = (declaration: Declaration, message: string) => ({
  file: declaration.file.file,
  at: declaration.decl.at,
  message,
});

/** The nearest of `names` within two edits (compared by last segment too), or null. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let distance = 3;
  for (const candidate of names) {
    const last = candidate.slice(candidate.lastIndexOf('.') + 1);
    const edits = Math.min(editDistance(name, candidate), editDistance(name, last));
    if (edits < distance && edits < name.length) [best, distance] = [candidate, edits];
  }
  return best;
}

function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 2) return 3;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    // A row only grows from the one above: no way back below two.
    if (Math.min(...next) > 2) return 3;
    row = next;
  }
  return row[right.length] as number;
}
