/**
 * models/language-id through the whole server against the library that its weights are from: the
 * same first language and the same probabilities, whoever shares the cohort; and what it refuses.
 */
import lande from 'lande';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../runtime/packages/check-package.js';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import type { DecisionsBody, Question } from '../../runtime/profiles/decisions.js';
import { packageFolder, rejection, runServer } from '../actors/running-server.js';
import type { TestServer } from '../actors/running-server.js';
import { languageSentences } from './language-sentences.js';

const cacheDir = mkdtempSync(join(tmpdir(), 'loom-language-'));
let server: TestServer;
test.before(async () => {
  server = await runServer(['language-id'], { cacheDir });
});
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  rmSync(cacheDir, { recursive: true, force: true });
});

/** How far a probability may be from the library's. */
const BOUND = 1e-5;

const labels = lande('')
  .map(([language]) => language as string)
  .sort();
const about = (context: string, asked = labels): Question => {
  return { kind: 'choice', text: 'which language?', context, labels: asked };
};

async function ask(...questions: readonly Question[]): Promise<readonly Float32Array[]> {
  const { rows } = await server.serving.infer(
    { requestId: 'r', model: 'language-id', body: { profile: 'decisions', questions } },
    { signal: new AbortController().signal, deadlineMs: server.now() + 30_000 },
  );
  return rows;
}

async function askEach(questions: readonly Question[]): Promise<readonly Float32Array[]> {
  return (await Promise.all(questions.map((question) => ask(question)))).map(([row]) => row!);
}

function assertLikeLibrary(row: Float32Array, text: string): void {
  const expected = lande(text);
  const best = row.indexOf(Math.max(...row));
  const shown = JSON.stringify(text.slice(0, 60));
  assert.is(labels[best], expected[0]![0], shown);
  for (const [language, probability] of expected) {
    const distance = Math.abs(row[labels.indexOf(language)]! - probability);
    assert.ok(distance <= BOUND, `${shown}: ${language} is ${distance} off`);
  }
}

const languages = languageSentences();
const sentences = [...languages.values()].flat();
const odd = [
  ' ',
  '?!',
  '123',
  '\u{1f600}\u{1f44d}\u{1f3fd}',
  'I \u{2764}\u{fe0f} Paris \u{1f1eb}\u{1f1f7} beaucoup',
  'well-known -- mother-in-law',
  'tab\tand\nnew line',
  'one\ttab',
  'don\u2019t \u201cquote\u201d me',
  '\u{20000}\u{20001} \u6f22\u5b57 \u{10400}\u{10401}',
  'The word здравствуйте means hello, こんにちは too',
  'ΣΑΣ ΟΔΟΣ İSTANBUL ΑΣ\u0301',
  'e\u0301le\u0300ve \u00e9l\u00e8ve',
  '\u00a0\ufeff no break \u3000 space',
  '<p>markup &amp; things</p>',
  'a',
];

test('sentences of 48 languages are told as the library tells them', async () => {
  assert.ok(sentences.length >= 500 && languages.size >= 20);
  for (const language of languages.keys()) assert.ok(labels.includes(language), language);
  const rows = await askEach(sentences.map((text) => about(text)));
  rows.forEach((row, at) => assertLikeLibrary(row, sentences[at]!));
});

test('so are odd texts, pieces of sentences and long texts', async () => {
  const long = [...languages.values()].map((some) => some.join(' '));
  const pieces = long.flatMap((text, at) => [text.slice(0, 3 + at), text.slice(at, 2 * at + 9)]);
  // A cut may leave half a character, which no request can have.
  const whole = pieces.map((text) => text.replace(/\p{Surrogate}/gu, ''));
  const texts = [...odd, ...long, ...whole, long.join('\n')];
  const rows = await askEach(texts.map((text) => about(text)));
  rows.forEach((row, at) => assertLikeLibrary(row, texts[at]!));
});

test('a distribution has the same bits alone, in cohorts and several to a request', async () => {
  // Decimals tell f32 values apart; rows may share a buffer.
  const bits = (rows: readonly Float32Array[]) => rows.map((row) => [...row].join());
  const questions = sentences
    .filter((_, at) => at % 7 === 0)
    .map((text, at) => about(text, labels.slice(at % 7, (at % 7) + 1 + ((at * 5) % 40))));
  const alone: Float32Array[] = [];
  for (const question of questions) alone.push((await ask(question))[0]!);
  assert.equal(bits(await askEach(questions)), bits(alone));
  assert.equal(bits(await ask(...questions)), bits(alone));
});

test('only the languages asked for share the probability, in the order asked', async () => {
  const asked = ['spa', 'por', 'eng', 'cat'];
  for (const text of ['una casa', 'o menino', 'ja ho sé', 'not so']) {
    const [row] = await ask(about(text, asked));
    const all = new Map<string, number>(lande(text));
    const total = asked.reduce((sum, label) => sum + all.get(label)!, 0);
    assert.ok(total > 0.01, text);
    asked.forEach((label, at) =>
      assert.ok(Math.abs(row![at]! - all.get(label)! / total) <= BOUND / total),
    );
  }
  const [sure] = await ask(about('Good morning', ['vie']));
  assert.equal([...sure!], [1]);
});

test('a question without a context is itself the text', async () => {
  const text = 'bonjour tout le monde';
  const rows = await ask({ ...about(''), text }, { ...about(text), text: 'and this?' });
  assert.equal(rows[0], rows[1]);
  assertLikeLibrary(rows[0]!, text);
});

test('unknown labels and other kinds are refused', async () => {
  const refused = async (question: Question, expected: RegExp) => {
    const { code, message } = await rejection(ask(question));
    assert.is(code, 'invalidArgument');
    assert.match(message, expected);
  };
  await refused(
    about('x', ['eng', 'xyz', 'English']),
    /no language of this model: "xyz" "English"; .* eng .* vie/,
  );
  await refused(about('x', ['é'.repeat(500), 'eng']), /\(one of 1000 bytes\)/);
  const many = Array.from({ length: 1024 }, (_, at) => `l${at}`);
  await refused(about('x', many), /"l7" and 1016 more; /);
  const asked = { text: 'is it?', context: 'x' };
  await refused({ kind: 'yes_no', ...asked }, /"choice" only/);
  await refused({ kind: 'score', ...asked, min: 1, max: 5 }, /"choice" only/);
});

test('a long text is answered up to the limit, and refused beyond it', async () => {
  const long = (unit: string, bytes: number) =>
    unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
  for (const unit of [
    'Ein Satz, der lang wird. ',
    'Ὀδυσσεὺς ',
    'ΑΣ\u0301',
    '漢字',
    '\u{10400}',
    'İ',
  ]) {
    const text = long(unit, 131_072);
    const [row] = await ask(about(text));
    assertLikeLibrary(row!, text);
  }
  const { code, message } = await rejection(ask(about(long('wort ', 1 << 20))));
  assert.is(code, 'invalidArgument');
  assert.match(message, /has 1048575 bytes; at most 131072 are possible \(option text_bytes/);
});

test('every check of the package passes', async () => {
  const base = packageFolder('language-id');
  const value = JSON.parse(readFileSync(join(base, 'model.json'), 'utf8')) as object;
  const document = checkModelDocument(value, 'model.json');
  const items = await checkPackage({
    document,
    files: openPackageFiles({ base, document, packageRoots: [], cacheDir }),
    infer: (body) => ask(...(body as DecisionsBody).questions),
    pause: async () => undefined,
  });
  assert.equal(
    items.filter((item) => item.outcome !== 'passed'),
    [],
  );
  assert.ok(items.length >= 15);
});

test.run();
