/**
 * A digest of what the contents of a row depend on besides its ids: programs, options and
 * configuration, the tokenizer, and the weights as their headers describe them. Weights themselves
 * are not read for it: files that differ in values alone have the same digest.
 */
import { createHash } from 'node:crypto';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import type { Bindings, PackageSource } from './artefacts.js';
import type { ModelDocument } from './model-document.js';

export interface PackageParts {
  readonly document: Pick<ModelDocument, 'profile' | 'definition'>;
  readonly sources: readonly PackageSource[];
  readonly bindings: Bindings;
  readonly tokenizer: Uint8Array | null;
  readonly indexes: readonly CheckpointIndex[];
}

export function packageIdentity(parts: PackageParts): string {
  const { document, sources, bindings, tokenizer, indexes } = parts;
  const { profile, definition } = document;
  const hash = createHash('sha256');
  const add = (name: string, bytes: Uint8Array): void => {
    hash.update(`${name.length} ${name} ${bytes.length}:`).update(bytes);
  };
  const addJson = (name: string, value: unknown): void => {
    add(name, new TextEncoder().encode(JSON.stringify(value)));
  };
  addJson('document', { profile, ...definition });
  addJson('bindings', bindings);
  const byName = [...sources].sort((left, right) => (left.file < right.file ? -1 : 1));
  for (const { file, bytes } of byName) add(file, bytes);
  if (tokenizer !== null) add('tokenizer', tokenizer);
  for (const { shards, tensors } of indexes) {
    addJson('weights', [shards.map(({ bytes }) => bytes), [...tensors.values()]]);
  }
  return hash.digest('hex');
}
