/**
 * How the tokenizers that GGUF metadata name cut text, as a package lists them: the names are
 * those that files have (`tokenizer.ggml.model`, `tokenizer.ggml.pre`); the server knows none.
 */
import { z } from 'zod';
import { StatusError } from '../base/errors.js';

const words = z.strictObject({
  /** One after the other; what a pattern finds, and what lies between, are words. */
  patterns: z.array(z.string().min(1)).min(1).max(16),
  /** Whole words that are entries are taken as they are. */
  ignore_merges: z.boolean().default(false),
  /** Whether a text begins with the first token where the file does not say. */
  begins: z.boolean().default(false),
});

const table = z.strictObject({
  /**
   * By the file's name: `bytes`, byte pairs by rank over bytes that are shown as characters;
   * `scores`, pairs by the score of what they make, with blanks as U+2581 and bytes as `<0xHH>`.
   */
  models: z.record(z.string(), z.enum(['bytes', 'scores'])),
  /** By the file's name of the step that cuts words; '' where it has none. */
  words: z.record(z.string(), z.union([words, z.string()])),
});

export type TokenizerTable = z.infer<typeof table>;
export type WordRule = z.infer<typeof words>;

export function readTokenizerTable(bytes: Uint8Array, name: string): TokenizerTable {
  let why: string;
  try {
    const result = table.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    why = `${issue?.path.join('.')}: ${issue?.message}`;
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  throw new StatusError('invalidArgument', `${name} is no table of tokenizers: ${why}`, {
    where: name,
  });
}

/** The rule of a name; a rule that is a text is another name of that rule. */
export function wordRule({ words: known }: TokenizerTable, name: string): WordRule {
  const rule = known[name];
  const own = typeof rule === 'string' ? known[rule] : rule;
  if (own !== undefined && typeof own === 'object') return own;
  const names = Object.keys(known).filter((each) => each !== '');
  throw new StatusError(
    'invalidArgument',
    `tokenizer.ggml.pre is '${name}', which cuts words in a way that is not known here; known: ${names.join(', ')}`,
  );
}
