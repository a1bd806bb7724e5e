/**
 * What models/language-id makes of a text before any arithmetic, against the library's functions:
 * the shares of n-grams are equal, bit for bit, for any text.
 */
import fc from '../properties.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import { closeSources } from '../../runtime/packages/package-checkpoints.js';
import { ReferenceModel } from '../runtime/packages/reference-model.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { languageSentences } from './language-sentences.js';

/** Not exported by the library, so it is opened as a file. */
const library = (name: string): Promise<unknown> =>
  import(pathToFileURL(join(repositoryRoot, 'node_modules/lande/standalone', name)).href);

const { getNgrams, getNormalized } = (await library('utils.js')) as {
  getNormalized(text: string): string;
  getNgrams(text: string, length: number): Record<string, { readonly frequency: number }>;
};
const { default: listed } = (await library('t50-ngrams.js')) as {
  readonly default: Readonly<Record<string, readonly string[]>>;
};

const cacheDir = mkdtempSync(join(tmpdir(), 'loom-features-'));
test.after(() => rmSync(cacheDir, { recursive: true, force: true }));
const base = join(repositoryRoot, 'models/language-id');
const value = JSON.parse(readFileSync(join(base, 'model.json'), 'utf8')) as object;
const document = checkModelDocument(value, 'model.json');
const files = openPackageFiles({ base, document, packageRoots: [], cacheDir });
const model = new ReferenceModel(document, files);
closeSources(model.plan.parameters.sources);

function shares(text: string): Float32Array {
  const question = { kind: 'choice', text, context: '', labels: ['eng'] } as const;
  const [prepared] = model.prepareAll({ profile: 'decisions', questions: [question] });
  return new Float32Array(prepared!.bytes.slice(8, 8 + 620 * 4).buffer);
}

function expected(text: string): Float32Array {
  const normal = getNormalized(text);
  const rows = Object.values(listed).map((ngrams, at) => {
    const found = getNgrams(normal, at + 1);
    return ngrams.map((ngram) => found[ngram]?.frequency ?? 0);
  });
  return new Float32Array(rows.flat());
}

test('sentences have the shares that the library finds', () => {
  for (const text of [...languageSentences().values()].flat()) {
    assert.equal(shares(text), expected(text), text);
  }
});

test('any text has', () => {
  const ngram = fc.constantFrom(...Object.values(listed).flat());
  const telling = fc.constantFrom(
    '-',
    '--',
    '\t',
    '\n',
    '  ',
    '.',
    "'",
    'Σ',
    'İ',
    '\u0301',
    '\u{10400}',
  );
  const part = fc.oneof(
    ngram,
    ngram.map((some) => some.toUpperCase()),
    telling,
    fc.string({ unit: 'grapheme' }),
  );
  const texts = fc.array(part, { minLength: 1, maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      texts.filter((text) => text.length > 0),
      (text) => assert.equal(shares(text), expected(text)),
    ),
    { numRuns: 500 },
  );
});

test.run();
