/** A hostile set of program files: one mutated among sound ones, or a program made to hurt. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostileProgram } from '../../generators/hostile-programs.js';
import { mutatedFile } from '../../generators/mutation.js';
import type { Random } from '../../generators/random.js';
import { kernelSources } from '../jit/kernel-sources.js';
import { repositoryRoot } from '../packages/repository-root.js';

export interface HostileCase {
  readonly kind: 'mutated' | 'made';
  readonly files: Readonly<Record<string, Uint8Array>>;
}

const read = (name: string) => [name, readFileSync(join(repositoryRoot, name), 'utf8')] as const;
const roles = ['prepare', 'control', 'config', 'kernel', 'oracle'];

/** Files that link with each other. */
const sets: readonly (readonly (readonly [name: string, text: string])[])[] = [
  [
    ...roles.map((role) => read(`models/embedding/${role}.loom`)),
    ...['index', 'linear', 'norm'].map((name) => read(`models/motifs/${name}.loom`)),
  ],
  roles.map((role) => read(`models/first-output/${role}.loom`)),
  Object.entries(kernelSources),
];

export function hostileCase(random: Random): HostileCase {
  const encoder = new TextEncoder();
  if (random.chance(2)) {
    return { kind: 'made', files: { 'hostile.loom': encoder.encode(hostileProgram(random)) } };
  }
  const set = random.of(sets);
  const chosen = random.below(set.length);
  const files = set.map(([name, text], index) => [
    name,
    index === chosen ? mutatedFile(random, text) : encoder.encode(text),
  ]);
  return { kind: 'mutated', files: Object.fromEntries(files) };
}
