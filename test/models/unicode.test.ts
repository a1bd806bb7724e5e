/**
 * The Unicode library against the running Node: every code point's kind and lower case, and whole
 * texts, whose final sigmas depend on what is around them. UPDATE_GOLDEN=1 makes the tables anew.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { hostCalls } from './motif-host.js';
import { motifs } from './motif-values.js';
import { kindOf, unicodeTables } from './unicode-tables.js';
import type { Kind } from './unicode-tables.js';

const tables = join(repositoryRoot, 'models/motifs/unicode-tables.loom');
if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(tables, unicodeTables());

const program = `library sample
use motif.unicode { unicode, described, code_point, lower_case }
func.def export descriptions(first: i64, count: i64) -> buffer {
  let u = unicode()
  let all = list<i64>()
  for code in first..first + count { all.push(described(u, code)) }
  return all.bytes()
}
func.def export lower(text: buffer) -> buffer {
  let codes = list<i64>()
  var at = 0
  while at < text.len {
    let (code, size) = code_point(text, at)
    codes.push(code)
    at += size
  }
  return lower_case(unicode(), codes).bytes()
}`;
const { call } = hostCalls(program, motifs('unicode', 'unicode-tables'), 2 ** 30);

const words = (bytes: unknown): BigInt64Array =>
  new BigInt64Array((bytes as Uint8Array).slice().buffer);

const tablesVersion = /, Unicode (\S+)\.\n/.exec(readFileSync(tables, 'utf8'))![1]!;
const isSameUnicode = tablesVersion === process.versions.unicode;

test('the tables are those of the Unicode version that they name', () => {
  // Under another version the test below says how far they agree.
  if (isSameUnicode) assert.is(readFileSync(tables, 'utf8'), unicodeTables());
});

const kinds: readonly Kind[] = ['o', 'b', 'l', 'c', 'i'];

test('every code point has its kind and its lower case', () => {
  const size = 0x22000;
  for (let first = 0; first <= 0x10ffff; first += size) {
    words(call('descriptions', BigInt(first), BigInt(size))).forEach((description, at) => {
      const code = first + at;
      const kind = kindOf(code);
      // A later version of Unicode gives kinds to code points that had none.
      if (!isSameUnicode && (kind === 'o' || kinds[Number(description >> 24n)] === 'o')) return;
      assert.is(kinds[Number(description >> 24n)], kind, `U+${code.toString(16)}`);
      if (kind === 'o' || code === 0x130) return;
      const lower = String.fromCodePoint(code).toLowerCase().codePointAt(0);
      assert.is(Number(description & 0xffffffn), lower, `U+${code.toString(16)}`);
    });
  }
});

const lower = (text: string): string =>
  String.fromCodePoint(...Array.from(words(call('lower', new TextEncoder().encode(text))), Number));

test('texts are lower-cased like those of the language itself', () => {
  const marks = ['\u0301', '\u02b0', '\u00b7', "'", '\u0345', '.'];
  const telling = fc.constantFrom('Σ', 'Σ', 'σ', 'A', 'b', 'İ', 'ı', '漢', ' ', '1', ...marks);
  const unit = fc.oneof(
    { weight: 6, arbitrary: telling },
    fc.string({ unit: 'grapheme', size: '-1' }),
  );
  const texts = fc.array(unit, { maxLength: 24 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      // What is neither letter nor mark nor blank has no case here, and some of it is ignorable.
      const kept = text.replace(/[^\p{L}\p{M}\s]/gu, '');
      assert.is(lower(kept), kept.toLowerCase());
    }),
    { numRuns: 300 },
  );
  for (const text of ['ΟΔΟΣ ΟΔΟΣ', 'ΑΣ\u0301Β ΑΣ\u0301', 'Σ ΣΣ ΑΣ', 'IİıI', '\u{10400}Σ', 'ǅSS']) {
    assert.is(lower(text), text.toLowerCase());
  }
});

test.run();
