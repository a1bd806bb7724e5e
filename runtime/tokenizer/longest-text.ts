/**
 * How much text one id can stand for: whoever knows how many ids are possible knows by it which
 * texts are too long, without cutting them. Told only of files whose steps drop no text and whose
 * models spell what they do not know byte by byte.
 */
import type { TokenizerFile } from './tokenizer-file.js';
import { visibleBytes } from './word-cutter.js';

type Step = NonNullable<TokenizerFile['pre_tokenizer']>;

/** Bytes of UTF-8, never too few; Infinity where an id may stand for any text. */
export function longestText(file: TokenizerFile): number {
  const { added_tokens: added, model, normalizer, pre_tokenizer: cutter } = file;
  const keepsBlanks = added.every(({ lstrip, rstrip }) => !lstrip && !rstrip);
  const keepsText = stepsOf(normalizer).every(lengthens) && stepsOf(cutter).every(keeps);
  const names = Array.isArray(model.vocab)
    ? model.vocab.map(([token]) => token)
    : Object.keys(model.vocab);
  if (!keepsBlanks || !keepsText || !spellsBytes(file, new Set(names))) return Infinity;
  // A byte that is spelled has a name at least as long as itself.
  return [...names, ...added.map(({ content }) => content)].reduce(
    (most, name) => Math.max(most, Buffer.byteLength(name)),
    1,
  );
}

function stepsOf(step: Step | null): readonly Step[] {
  if (step === null) return [];
  const inner = step.pretokenizers ?? step.normalizers;
  return step.type === 'Sequence' && Array.isArray(inner)
    ? (inner as Step[]).flatMap(stepsOf)
    : [step];
}

function lengthens({ type, pattern, content }: Step): boolean {
  if (type === 'Prepend') return true;
  const from = (pattern as { String?: unknown } | undefined)?.String;
  if (type !== 'Replace' || typeof from !== 'string' || typeof content !== 'string') return false;
  return Buffer.byteLength(content) >= Buffer.byteLength(from);
}

function keeps({ type, behavior, invert }: Step): boolean {
  if (type === 'Split') return behavior === 'Isolated' && invert !== true;
  return type === 'ByteLevel' || type === 'Metaspace' || type === 'Digits';
}

function spellsBytes(
  { model, pre_tokenizer: cutter }: TokenizerFile,
  names: ReadonlySet<string>,
): boolean {
  if (model.type !== 'BPE' && model.type !== 'Unigram') return false;
  const isByteLevel = stepsOf(cutter).at(-1)?.type === 'ByteLevel';
  if (isByteLevel) return visibleBytes.every((code) => names.has(String.fromCharCode(code)));
  return (
    model.byte_fallback &&
    visibleBytes.every((_, byte) => {
      return names.has(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
    })
  );
}
