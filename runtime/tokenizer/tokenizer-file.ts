/**
 * The form of a tokenizer.json, checked as far as it is used: added tokens, and one of four models
 * with its vocabulary. Normalizer, pre-tokenizer, post-processor and decoder are the library's
 * business; only the word pattern that it reads too narrowly is written out for it.
 */
import { z } from 'zod';
import { StatusError } from '../base/errors.js';
import { lfsPointer } from '../base/lfs-pointer.js';

const id = z.int().min(0).max(0x7fff_ffff);
const vocabulary = z.record(z.string(), id);
const step = z.looseObject({ type: z.string() }).nullish().default(null);

const unigram = z.object({
  vocab: z.array(z.tuple([z.string(), z.number()])).min(1),
  unk_id: id.nullish().default(null),
  byte_fallback: z.boolean().default(false),
});
const wordPiece = z.object({
  vocab: vocabulary,
  unk_token: z.string().default('[UNK]'),
  continuing_subword_prefix: z.string().default('##'),
  max_input_chars_per_word: z.int().min(1).default(100),
});
const pair = z.tuple([z.string(), z.string()]);
const bytePairs = z.object({
  vocab: vocabulary,
  merges: z.array(z.union([pair, z.string().transform(cutMerge).pipe(pair)])),
  unk_token: z.string().nullish().default(null),
  fuse_unk: z.boolean().default(false),
  byte_fallback: z.boolean().default(false),
  ignore_merges: z.boolean().default(false),
  continuing_subword_prefix: z.string().nullish().default(null),
  end_of_word_suffix: z.string().nullish().default(null),
});
const wordLevel = z.object({ vocab: vocabulary, unk_token: z.string().nullish().default(null) });

const model = z.discriminatedUnion('type', [
  unigram.extend({ type: z.literal('Unigram') }),
  wordPiece.extend({ type: z.literal('WordPiece') }),
  bytePairs.extend({ type: z.literal('BPE') }),
  wordLevel.extend({ type: z.literal('WordLevel') }),
]);

const addedToken = z.object({
  id,
  content: z.string(),
  special: z.boolean().default(false),
  single_word: z.boolean().default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  normalized: z.boolean().optional(),
});

const tokenizerFile = z.object({
  added_tokens: z.array(addedToken).default([]),
  normalizer: step,
  pre_tokenizer: step.transform(widenWords),
  post_processor: step,
  decoder: step,
  model: z.preprocess(nameModel, model),
});

export type TokenizerFile = z.infer<typeof tokenizerFile>;
export type ModelFile = TokenizerFile['model'];

export function readTokenizerFile(bytes: Uint8Array, name: string): TokenizerFile {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'the file is not UTF-8';
    const what = lfsPointer(bytes) ?? `not JSON (${reason})`;
    throw new StatusError('invalidArgument', `${name} is ${what}`, { where: name });
  }
  const result = tokenizerFile.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unusable(name, `${issue?.path.join('.')}: ${issue?.message}`);
}

export function unusable(name: string, why: string): StatusError {
  return new StatusError('invalidArgument', `${name} is no usable tokenizer.json: ${why}`, {
    where: name,
  });
}

function cutMerge(merge: string): string[] {
  const at = merge.indexOf(' ', 1);
  return [merge.slice(0, at), merge.slice(at + 1)];
}

/** Older files leave the type out; what else the model has tells it. */
function nameModel(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('vocab' in value)) return value;
  if ('type' in value && value.type !== null) return value;
  const isWordPiece = 'continuing_subword_prefix' in value && 'unk_token' in value;
  const known = 'merges' in value ? 'BPE' : isWordPiece ? 'WordPiece' : 'WordLevel';
  return { ...value, type: Array.isArray(value.vocab) ? 'Unigram' : known };
}

type Step = z.infer<typeof step>;

/** `\w` and `\W` as the original means them, in all scripts; the library has them in ASCII. */
const words = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200C\\u200D]';
const pattern = `${words}+|[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200C\\u200D\\s]+`;

function widenWords(value: Step): Step {
  if (value === null) return null;
  if (value.type === 'Whitespace') {
    return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true };
  }
  const { pretokenizers } = value;
  if (value.type !== 'Sequence' || !Array.isArray(pretokenizers)) return value;
  return { ...value, pretokenizers: (pretokenizers as Step[]).map(widenWords) };
}
