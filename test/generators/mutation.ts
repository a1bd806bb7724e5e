/**
 * Mutations of program files: words of a text exchanged, lines lost or doubled, and bytecode that
 * is cut, flipped, or changed inside with lengths and digest made right again, so that the reader's
 * later checks and everything behind them are met too.
 */
import { encode } from '../../runtime/loom/syntax/bytecode-writer.js';
import { parse } from '../../runtime/loom/syntax/parse.js';
import { sealed, sectionsOf } from '../runtime/loom/syntax/sealed.js';
import type { Random } from './random.js';

const strays = (
  '0 -1 1 2 64 255 65535 65536 2147483647 4294967295u 9223372036854775807 2.5 1e30 "s" @k f32 f32x4 i64 ' +
  'buffer list << && return unroll shared inout while part grid break ( ) { } [ ] < > , .'
).split(' ');

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Text with a few words exchanged, or lines moved. */
export function mutatedText(random: Random, text: string): string {
  if (random.chance(6)) return mutatedLines(random, text);
  const words = text.split(/(\/\/[^\n]*|"[^"\n]*"|\w+)/);
  const places = words.flatMap((word, index) => (/^\w/.test(word) ? [index] : []));
  if (places.length === 0) return text;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const other = random.chance(2) ? random.of(strays) : words[random.of(places)]!;
    words[random.of(places)] = other;
  }
  return words.join('');
}

function mutatedLines(random: Random, text: string): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const count = 1 + random.below(4);
  if (random.chance(3)) lines.splice(at, count);
  else if (random.chance(2)) lines.splice(at, 0, ...lines.slice(at, at + count));
  else lines.splice(random.below(lines.length), 0, ...lines.splice(at, count));
  return lines.join('\n');
}

function flipped(random: Random, bytes: Uint8Array, count: number): Uint8Array {
  const copy = bytes.slice();
  if (copy.length === 0) return copy;
  for (let flip = 0; flip < count; flip += 1) {
    const at = random.below(copy.length);
    copy[at] = random.chance(2) ? copy[at]! ^ (1 << random.below(8)) : random.below(256);
  }
  return copy;
}

/** Bytecode of a text that parses, damaged; the text's own bytes where it does not. */
export function mutatedBytecode(random: Random, text: string): Uint8Array {
  const { module, diagnostics } = parse({ file: 'mutated', text });
  if (diagnostics.length > 0) return bytesOf(text);
  const bytes = encode(module);
  if (random.chance(4)) return bytes.slice(0, random.below(bytes.length));
  if (random.chance(4)) return flipped(random, bytes, 1 + random.below(4));
  const { strings, nodes, positions } = sectionsOf(bytes);
  const some = (section: Uint8Array) =>
    random.chance(2) ? flipped(random, section, 1 + random.below(2)) : section;
  return sealed({ strings: some(strings), nodes: some(nodes), positions: some(positions) });
}

/** One file of a program as it might be uploaded. */
export function mutatedFile(random: Random, text: string): Uint8Array {
  if (random.chance(3)) return mutatedBytecode(random, text);
  const changed = mutatedText(random, text);
  if (random.chance(8)) return mutatedBytecode(random, changed);
  return bytesOf(changed);
}
