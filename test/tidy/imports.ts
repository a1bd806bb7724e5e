/** Reads what a TypeScript file imports, and where a relative import leads. */
import { posix } from 'node:path';
import { codeText } from './code-text.js';
import { lineAt } from './sources.js';
import type { SourceFile } from './sources.js';

export interface Import {
  /** As written. */
  readonly target: string;
  readonly line: number;
  /** `dynamic` is `import()` or a `new URL(…, import.meta.url)`, with which threads are started. */
  readonly kind: 'value' | 'type' | 'dynamic';
}

const forms = [
  /\b(?:import|export)\s+(?<type>type\s)?[^;'"()]*?\bfrom\s*(?<quote>['"])/g,
  /\bimport\s*(?<quote>['"])/g,
  /\b(?<dynamic>import)\s*\(\s*(?<quote>['"`])/g,
  /\bnew\s+(?<dynamic>URL)\s*\(\s*(?<quote>['"`])/g,
];

export function importsOf({ text }: SourceFile): Import[] {
  const { code } = codeText(text);
  const found = forms.flatMap((form) =>
    [...code.matchAll(form)].map((match) => {
      const from = match.index + match[0].length;
      const groups = match.groups ?? {};
      const kind: Import['kind'] =
        groups.dynamic !== undefined ? 'dynamic' : groups.type !== undefined ? 'type' : 'value';
      const target = text.slice(from, text.indexOf(groups.quote ?? '', from));
      return { target, line: lineAt(text, match.index), kind };
    }),
  );
  return found
    .filter(
      ({ kind, target }) => kind !== 'dynamic' || target.endsWith('.js') || !target.startsWith('.'),
    )
    .sort((left, right) => left.line - right.line);
}

/** The file in the repository that a relative import means, null for packages. */
export function resolveImport(from: string, target: string): string | null {
  if (!target.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(from), target)).replace(/\.js$/, '.ts');
}
