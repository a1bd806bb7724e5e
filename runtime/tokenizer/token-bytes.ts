/**
 * The bytes of single tokens. Byte-level vocabularies spell every byte, and byte fallback has
 * tokens of one byte, so these need not be characters; any other token is what the decoder makes of
 * it behind another one.
 */
import type { TokenizerFile } from './tokenizer-file.js';
import { visibleBytes } from './word-cutter.js';

type Step = TokenizerFile['decoder'];

const byteToken = /^<0x([0-9A-F]{2})>$/;
/** Any token that is a word by itself. */
const before = 'a';

export class TokenBytes {
  readonly #textOf: (tokens: string[]) => string;
  readonly #isByteLevel: boolean;
  readonly #hasByteTokens: boolean;
  readonly #added: ReadonlySet<string>;
  readonly #bytes = new Map(visibleBytes.map((code, byte) => [code, byte]));

  constructor({ decoder, added_tokens }: TokenizerFile, textOf: (tokens: string[]) => string) {
    this.#textOf = textOf;
    this.#isByteLevel = hasStep(decoder, 'ByteLevel');
    this.#hasByteTokens = hasStep(decoder, 'ByteFallback');
    this.#added = new Set(added_tokens.map(({ content }) => content));
  }

  of(token: string): Uint8Array {
    if (this.#isByteLevel) return this.#added.has(token) ? utf8(token) : this.#spelled(token);
    const byte = this.#hasByteTokens ? byteToken.exec(token) : null;
    if (byte !== null) return Uint8Array.of(Number.parseInt(byte[1]!, 16));
    const own = this.#textOf([before]);
    const both = this.#textOf([before, token]);
    return both.startsWith(own) ? utf8(both.slice(own.length)) : new Uint8Array(0);
  }

  #spelled(token: string): Uint8Array {
    return Uint8Array.from(token, (character) => this.#bytes.get(character.charCodeAt(0)) ?? 0);
  }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function hasStep(decoder: Step, type: string): boolean {
  if (decoder === null) return false;
  const { decoders } = decoder;
  if (decoder.type !== 'Sequence' || !Array.isArray(decoders)) return decoder.type === type;
  return (decoders as Step[]).some((step) => hasStep(step, type));
}
