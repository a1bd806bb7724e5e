/**
 * A `tokenizer.json`, and the part of a `tokenizer_config.json` that framing chats needs, out of
 * the metadata of a GGUF file. What its names mean is in the package's table; the file brings
 * tokens with their types, merges or scores, and which tokens begin and end a text.
 */
import { StatusError } from '../base/errors.js';
import { scoredMerges } from './scored-merges.js';
import { wordRule } from './tokenizer-table.js';
import type { TokenizerTable } from './tokenizer-table.js';

type Metadata = ReadonlyMap<string, unknown>;

/** `tokenizer.ggml.token_type`. */
const types = { unknown: 2, control: 3, user: 4, byte: 6 } as const;
const SPACE = '\u2581';

export function metadataTokenizer(metadata: Metadata, table: TokenizerTable): object {
  const name = textAt(metadata, 'tokenizer.ggml.model', '');
  const kind = table.models[name];
  if (kind === undefined) {
    throw unusable(
      `tokenizer.ggml.model is '${name}'; known: ${Object.keys(table.models).join(', ')}`,
    );
  }
  const vocabulary = new Vocabulary(metadata);
  if (kind === 'scores') return scoredTokenizer(metadata, vocabulary);
  return byteTokenizer(metadata, vocabulary, table);
}

/** Templates and special tokens; names of further templates are part of their keys. */
export function metadataTokenizerConfig(metadata: Metadata): object {
  const { tokens } = new Vocabulary(metadata);
  const token = (which: string): object => {
    const content = tokens[numberAt(metadata, `tokenizer.ggml.${which}_token_id`, -1)];
    return content === undefined ? {} : { [`${which}_token`]: content };
  };
  const prefix = 'tokenizer.chat_template';
  const templates = [...metadata].flatMap(([key, template]) => {
    if (key !== prefix && !key.startsWith(`${prefix}.`)) return [];
    return [{ name: key === prefix ? 'default' : key.slice(prefix.length + 1), template }];
  });
  return { chat_template: templates, ...token('bos'), ...token('eos') };
}

class Vocabulary {
  readonly tokens: readonly string[];
  readonly #types: readonly unknown[];

  constructor(metadata: Metadata) {
    this.tokens = textsAt(metadata, 'tokenizer.ggml.tokens');
    this.#types = listAt(metadata, 'tokenizer.ggml.token_type') ?? [];
  }

  typeOf(id: number): unknown {
    return this.#types[id];
  }

  /** Whether a token stands for the letters that it has. */
  isText(id: number): boolean {
    const type = this.typeOf(id);
    return type !== types.control && type !== types.unknown && type !== types.byte;
  }

  entries(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.tokens.map((token, id) => [token, id]));
  }

  /** Tokens that are found as a whole: control tokens, and those that users added. */
  added(): readonly object[] {
    return this.tokens.flatMap((content, id) => {
      const type = this.typeOf(id);
      const special = type === types.control || type === types.unknown;
      if (!special && type !== types.user) return [];
      return [{ id, content, special, normalized: false }];
    });
  }
}

function byteTokenizer(metadata: Metadata, vocabulary: Vocabulary, table: TokenizerTable): object {
  const rule = wordRule(table, textAt(metadata, 'tokenizer.ggml.pre', ''));
  const splits = rule.patterns.map((Regex) => {
    return { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false };
  });
  const bytes = { type: 'ByteLevel', add_prefix_space: false, use_regex: false };
  return {
    added_tokens: vocabulary.added(),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [...splits, bytes] },
    post_processor: frame(metadata, vocabulary, rule.begins),
    decoder: { ...bytes, use_regex: true },
    model: {
      type: 'BPE',
      vocab: vocabulary.entries(),
      merges: textsAt(metadata, 'tokenizer.ggml.merges'),
      ignore_merges: rule.ignore_merges,
    },
  };
}

function scoredTokenizer(metadata: Metadata, vocabulary: Vocabulary): object {
  const scores = (listAt(metadata, 'tokenizer.ggml.scores') ?? []).map(Number);
  const hasPrefix = flagAt(metadata, 'tokenizer.ggml.add_space_prefix', true);
  const blanks = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
  const unknown = vocabulary.tokens[numberAt(metadata, 'tokenizer.ggml.unknown_token_id', 0)];
  return {
    added_tokens: vocabulary.added(),
    normalizer: {
      type: 'Sequence',
      normalizers: [...(hasPrefix ? [{ type: 'Prepend', prepend: SPACE }] : []), blanks],
    },
    pre_tokenizer: null,
    post_processor: frame(metadata, vocabulary, true),
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(hasPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      type: 'BPE',
      vocab: vocabulary.entries(),
      merges: scoredMerges(vocabulary.tokens, scores, (id) => vocabulary.isText(id)),
      unk_token: unknown ?? null,
      fuse_unk: true,
      byte_fallback: true,
    },
  };
}

/** What stands around a text that asks for special tokens. */
function frame(metadata: Metadata, { tokens }: Vocabulary, begins: boolean): object | null {
  const parts = [
    { which: 'bos', add: flagAt(metadata, 'tokenizer.ggml.add_bos_token', begins) },
    { which: 'eos', add: flagAt(metadata, 'tokenizer.ggml.add_eos_token', false) },
  ].map(({ which, add }) => {
    const id = numberAt(metadata, `tokenizer.ggml.${which}_token_id`, -1);
    const token = tokens[id];
    return add && token !== undefined ? [{ SpecialToken: { id: token, type_id: 0 } }] : [];
  });
  const [before = [], after = []] = parts;
  if (before.length + after.length === 0) return null;
  const single = [...before, { Sequence: { id: 'A', type_id: 0 } }, ...after];
  const special = [...before, ...after].map(({ SpecialToken: { id } }) => {
    return [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }] as const;
  });
  return {
    type: 'TemplateProcessing',
    single,
    pair: single,
    special_tokens: Object.fromEntries(special),
  };
}

const unusable = (why: string): StatusError =>
  new StatusError('invalidArgument', `the metadata has no usable tokenizer: ${why}`);

function listAt(metadata: Metadata, key: string): readonly unknown[] | undefined {
  const value = metadata.get(key);
  if (value === undefined || Array.isArray(value)) return value as unknown[] | undefined;
  throw unusable(`${key} is no list`);
}

function textsAt(metadata: Metadata, key: string): readonly string[] {
  const list = listAt(metadata, key);
  if (list === undefined) throw unusable(`${key} is not there`);
  if (list.every((value) => typeof value === 'string')) return list;
  throw unusable(`${key} has elements that are no texts`);
}

function textAt(metadata: Metadata, key: string, otherwise: string): string {
  const value = metadata.get(key) ?? otherwise;
  if (typeof value === 'string') return value;
  throw unusable(`${key} is no text`);
}

function numberAt(metadata: Metadata, key: string, otherwise: number): number {
  const value = metadata.get(key) ?? otherwise;
  if (typeof value === 'number') return value;
  throw unusable(`${key} is no number`);
}

function flagAt(metadata: Metadata, key: string, otherwise: boolean): boolean {
  const value = metadata.get(key) ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw unusable(`${key} is neither true nor false`);
}
