/**
 * Cuts a normalized stretch of text into words, lazily: a step after the first sees one word at a
 * time, and the byte-level step finds its words one by one, so that whoever stops early has paid
 * for little more than what was taken. All other steps are the library's and cut what they get at
 * once.
 */
import { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';
import type { TokenizerFile } from './tokenizer-file.js';

/** `index` counts the sections of the text; some steps treat its start differently. */
export type CutWords = (text: string, index: number) => Iterable<string>;

type Step = NonNullable<TokenizerFile['pre_tokenizer']>;

/** Throws what the library throws about a step that it does not know. */
export function wordCutter(step: Step | null): CutWords {
  if (step === null) return (text) => [text];
  if (step.type === 'ByteLevel') return byteLevel(step);
  const { pretokenizers } = step;
  if (step.type !== 'Sequence' || !Array.isArray(pretokenizers)) return libraryStep(step);
  return (pretokenizers as Step[]).map(wordCutter).reduce(chain, (text) => [text]);
}

function chain(first: CutWords, second: CutWords): CutWords {
  return function* (text, index) {
    let at = index;
    for (const word of first(text, index)) {
      yield* second(word, at);
      // What is not the start of the section is no start of the text either.
      at = index + 1;
    }
  };
}

function libraryStep(step: Step): CutWords {
  const parts = { normalizer: null, post_processor: null, decoder: null, added_tokens: [] };
  const { pre_tokenizer: cutter } = new JsonTokenizer(
    { ...parts, pre_tokenizer: step, model: emptyModel },
    {},
  );
  return (text, index) => cutter?.pre_tokenize(text, { section_index: index }) ?? [text];
}

/** For library objects of which only other parts are used. */
export const emptyModel = {
  type: 'WordPiece',
  vocab: {},
  unk_token: '',
  continuing_subword_prefix: '',
};

const pattern = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const encoder = new TextEncoder();

/** Words of the published pattern, each byte as a character that can be seen. */
function byteLevel({ add_prefix_space: addSpace, use_regex: useRegex }: Step): CutWords {
  return function* (text) {
    const whole = addSpace === true && !text.startsWith(' ') ? ` ${text}` : text;
    if (useRegex === false) return yield visible(whole);
    for (const [word] of whole.matchAll(pattern)) yield visible(word);
  };
}

/** By byte, the code of the character that stands for it in byte-level vocabularies. */
export const visibleBytes = Array.from({ length: 256 }, (_, byte) => byte);
const isVisible = (byte: number): boolean =>
  (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
visibleBytes
  .filter((byte) => !isVisible(byte))
  .forEach((byte, order) => (visibleBytes[byte] = 0x100 + order));

const visibleRun = 4096;

function visible(word: string): string {
  const codes = Array.from(encoder.encode(word), (byte) => visibleBytes[byte]!);
  let text = '';
  for (let at = 0; at < codes.length; at += visibleRun) {
    text += String.fromCharCode(...codes.slice(at, at + visibleRun));
  }
  return text;
}
