/**
 * Hooks of Node's module loader, on a thread of their own: a file that is imported with `?N` brings
 * all that it imports of the build in copies of their own, and in those copies the source mutant of
 * number N is in force. One process can so try many, each as if it had started with it.
 */
import { readFileSync } from 'node:fs';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mutated, type SourceMutant } from './source-mutants.js';

export interface HookData {
  /** URL of the build, with a slash at its end. */
  readonly build: string;
  readonly mutants: readonly SourceMutant[];
}

let data: HookData = { build: '', mutants: [] };

export function initialize(given: HookData): void {
  data = given;
}

function turnOf(url: string | undefined): string | null {
  const at = url?.indexOf('?') ?? -1;
  return at < 0 || !url!.startsWith(data.build) ? null : url!.slice(at + 1);
}

export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const turn = turnOf(context.parentURL);
  const isOurs = found.url.startsWith(data.build) && !found.url.includes('?');
  return turn === null || !isOurs ? found : { ...found, url: `${found.url}?${turn}` };
};

export const load: LoadHook = (url, context, next) => {
  const turn = turnOf(url);
  const mutant = turn === null ? undefined : data.mutants[Number(turn)];
  const plain = url.split('?')[0]!;
  if (mutant === undefined || plain !== data.build + mutant.file) return next(url, context);
  const source = mutated(readFileSync(fileURLToPath(plain), 'utf8'), mutant);
  return { format: 'module', shortCircuit: true, source };
};
