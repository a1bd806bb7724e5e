/** The model of a tokenizer.json. Special tokens stand for no text, whatever letters they have. */
import { BytePairs } from './byte-pairs.js';
import type { PieceModel } from './piece-model.js';
import type { TokenizerFile } from './tokenizer-file.js';
import { Unigram } from './unigram.js';
import { WordLevel } from './word-level.js';
import { WordPiece } from './word-piece.js';

export function makeModel({ model, added_tokens }: TokenizerFile): PieceModel {
  const special = added_tokens.filter((token) => token.special);
  const control = new Set(special.map(({ content }) => content));
  switch (model.type) {
    case 'Unigram':
      return new Unigram({
        rows: model.vocab,
        unknown: model.unk_id,
        byteFallback: model.byte_fallback,
        control,
      });
    case 'WordPiece':
      return new WordPiece({
        vocabulary: new Map(Object.entries(model.vocab)),
        prefix: model.continuing_subword_prefix,
        unknown: model.unk_token,
        charactersMax: model.max_input_chars_per_word,
        control,
      });
    case 'BPE':
      return new BytePairs({
        vocabulary: new Map(Object.entries(model.vocab)),
        merges: model.merges,
        unknown: model.unk_token,
        fuseUnknown: model.fuse_unk,
        byteFallback: model.byte_fallback,
        ignoreMerges: model.ignore_merges,
        prefix: model.continuing_subword_prefix ?? '',
        suffix: model.end_of_word_suffix ?? '',
        control,
      });
    case 'WordLevel':
      return new WordLevel(new Map(Object.entries(model.vocab)), model.unk_token);
  }
}

/** Every id's token; added tokens win. */
export function tokensById({ model, added_tokens }: TokenizerFile): ReadonlyMap<number, string> {
  const tokens = new Map<number, string>();
  if (model.type === 'Unigram') model.vocab.forEach(([piece], id) => tokens.set(id, piece));
  else for (const [piece, id] of Object.entries(model.vocab)) tokens.set(id, piece);
  for (const { id, content } of added_tokens) tokens.set(id, content);
  return tokens;
}
