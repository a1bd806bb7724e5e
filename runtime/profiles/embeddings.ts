/**
 * The embeddings profile of the finite contract: an input gives one row of f32, as wide as the
 * package makes it.
 *
 *   record 0: the input, of kind text (UTF-8) or tokens (i32, little-endian)
 *   record 1: `dimensions`, of kind number; 0 when the caller did not ask
 */
import { finiteEntries } from './finite.js';
import type { Profile } from './profile.js';
import type { Frame } from './request-packet.js';

export const embeddings: Profile = {
  name: 'embeddings',
  contract: 'finite',
  route: '/v1/embeddings',
  acceptable: ['dimensions'],
  entries: finiteEntries,
};

export type EmbeddingInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] };

/** One request: each input is a member. */
export interface EmbeddingsBody {
  readonly profile: 'embeddings';
  readonly inputs: readonly EmbeddingInput[];
  /** 0 when the caller did not ask. */
  readonly dimensions: number;
}

export function frameInput({ inputs, dimensions }: EmbeddingsBody, index: number): Frame {
  return { records: [inputs[index]!, { kind: 'number', number: dimensions }], values: null };
}
