import fc from '../../../properties.js';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  defaultCacheDir,
  importFiles,
} from '../../../../runtime/parameters/import/import-cache.js';
import type { FileImport } from '../../../../runtime/parameters/import/import-section.js';

const from = 'npm:@some-one/tiny@1.2.3';
const scratch = mkdtempSync(join(tmpdir(), 'loom-import-'));
test.after(() => rmSync(scratch, { recursive: true, force: true }));

/** A document's folder with the npm package beside it, and a cache folder. */
function world(files: Readonly<Record<string, string | Uint8Array>>): {
  readonly base: string;
  readonly cacheDir: string;
  readonly home: string;
} {
  const root = mkdtempSync(join(scratch, 'w'));
  const home = join(root, 'node_modules/@some-one/tiny');
  mkdirSync(join(home, 'data'), { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ version: '1.2.3' }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content);
  const base = join(root, 'models/mine');
  mkdirSync(base, { recursive: true });
  return { base, cacheDir: join(root, 'cache'), home };
}

const floats = (...values: number[]): Uint8Array =>
  new Uint8Array(Float32Array.from(values).buffer);

/** The header and the payload of a safetensors file, by the format's definition. */
function readTensors(path: string): Record<string, { shape: number[]; values: number[] }> {
  const bytes = readFileSync(path);
  const size = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + size).toString()) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const rows = Object.entries(header).filter(([name]) => name !== '__metadata__');
  return Object.fromEntries(
    rows.map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [begin, end],
        },
      ]) => {
        const payload = bytes.subarray(8 + size + begin, 8 + size + end);
        const values = Array.from({ length: payload.length / 4 }, (_, at) =>
          dtype === 'I32' ? payload.readInt32LE(at * 4) : payload.readFloatLE(at * 4),
        );
        return [name, { shape, values }];
      },
    ),
  );
}

const manifest = (paths: string[], weights: object[]): string =>
  JSON.stringify({ modelTopology: {}, weightsManifest: [{ paths, weights }] });
const weight = (name: string, shape: number[], dtype = 'float32'): object => ({
  name,
  shape,
  dtype,
});

/** What unfinished imports left behind. */
function partials(cacheDir: string): readonly string[] {
  const home = join(cacheDir, 'imports');
  return statSync(home, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(home);
}

function convert(place: ReturnType<typeof world>, spec: FileImport): string {
  return importFiles({ from, files: { out: spec } }, place).get('out')!;
}

test('weights keep their values however shards cut them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.float({ noNaN: true }), { maxLength: 9 }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.array(fc.nat(200), { maxLength: 5 }),
      (tensors, cuts) => {
        const bytes = Buffer.concat(tensors.map((values) => floats(...values)));
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
          (left, right) => left - right,
        );
        const names = ends.map((_, at) => `data/shard${at}`);
        const shards = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        const weights = tensors.map((values, at) => weight(`w${at}`, [values.length]));
        const place = world({
          'data/model.json': manifest(
            names.map((name) => name.slice(5)),
            weights,
          ),
          ...Object.fromEntries(names.map((name, at) => [name, shards[at]!])),
        });
        const found = readTensors(convert(place, { format: 'tfjs', model: 'data/model.json' }));
        tensors.forEach((values, at) => assert.equal(found[`w${at}`]!.values, values));
      },
    ),
    { numRuns: 40 },
  );
});

test('chosen weights are renamed and reshaped; integers stay integers', () => {
  const place = world({
    'model.json': manifest(['s'], [weight('a', [1, 2]), weight('n', [], 'int32')]),
    s: Buffer.concat([floats(1.5, -2), new Uint8Array(Int32Array.of(7).buffer)]),
  });
  const tensors = { x: { from: 'a', shape: [2] }, count: 'n' };
  assert.equal(readTensors(convert(place, { format: 'tfjs', model: 'model.json', tensors })), {
    x: { shape: [2], values: [1.5, -2] },
    count: { shape: [], values: [7] },
  });
});

test('rows of a data module: numbers and both packed forms', () => {
  const scaled = `12.5|${Buffer.from([127, 0, 255]).toString('base64')}`;
  const planes = Buffer.from(floats(3.25, -1e-9));
  const order = [0, 4, 1, 5, 2, 6, 3, 7].map((at) => planes[at]!);
  const exact = `4${Buffer.from(order).toString('base64')}`;
  const data = {
    layers: [
      { w: [scaled, scaled] },
      { w: exact },
      {
        w: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
  };
  const place = world({ 'w.js': `export default ${JSON.stringify(data)};\n` });
  const at = (index: number): (string | number)[] => ['layers', index, 'w'];
  const tensors = {
    scaled: { at: at(0), shape: [2, 3] },
    exact: { at: at(1), shape: [2] },
    plain: { at: at(2), shape: [2, 2] },
  };
  const found = readTensors(convert(place, { format: 'rows', data: 'w.js', tensors }));
  const row = [0, -127 / 2.5, 128 / 2.5].map(Math.fround);
  assert.equal(found['scaled']!.values, [...row, ...row]);
  assert.equal(found['exact']!.values, [3.25, Math.fround(-1e-9)]);
  assert.equal(found['plain']!.values, [1, 2, 3, 4]);
});

test('a data file becomes JSON, and code in it is never run', () => {
  const place = world({
    'a.js': 'module.exports = {"a": [1, "ü"]}',
    'b.js': 'export default f();',
  });
  const path = convert(place, { format: 'json', data: 'a.js' });
  assert.equal(JSON.parse(readFileSync(path, 'utf8')), { a: [1, 'ü'] });
  assert.throws(() => convert(place, { format: 'json', data: 'b.js' }), /only export of a module/);
});

test('every fault of the inputs names the file, what was expected and what was found', () => {
  const good = { 'model.json': manifest(['s'], [weight('a', [2])]), s: floats(1, 2) };
  const tfjs = { format: 'tfjs', model: 'model.json' } as const;
  const cases: [Record<string, string | Uint8Array>, FileImport, RegExp][] = [
    [{ ...good, s: floats(1) }, tfjs, /model\.json: expected shards of 8 bytes.*found 4/],
    [{ ...good, s: floats(1, 2, 3) }, tfjs, /expected shards of 8 bytes.*found 12/],
    [{ 'model.json': good['model.json'] }, tfjs, /tiny@1\.2\.3\/s: expected a file, found none/],
    [{ 'model.json': '{' }, tfjs, /model\.json: expected JSON/],
    [{ 'model.json': '{}' }, tfjs, /expected an array 'weightsManifest'/],
    [{ 'model.json': manifest(['../x'], []) }, tfjs, /\.\.\/x: expected a (file|path)/],
    [{ 'model.json': manifest(['../../../../x'], []) }, tfjs, /inside the folder/],
    [{ ...good, 'model.json': manifest(['s'], [weight('a', [-1])]) }, tfjs, /a shape of 'a'/],
    [
      { ...good, 'model.json': manifest(['s'], [weight('a', [2], 'string')]) },
      tfjs,
      /plain float32/,
    ],
    [
      { ...good, 'model.json': manifest(['s'], [{ ...weight('a', [2]), quantization: {} }]) },
      tfjs,
      /found quantised/,
    ],
    [good, { ...tfjs, tensors: { x: 'b' } }, /expected a weight 'b', found 1 others/],
    [good, { ...tfjs, tensors: { x: { from: 'a', shape: [3] } } }, /'x' as \[3\], found \[2\]/],
    [
      { d: '{"a": [1]}' },
      { format: 'rows', data: 'd', tensors: { x: { at: ['b'], shape: [1] } } },
      /numbers or packed rows at b for 'x', found undefined/,
    ],
    [
      { d: '{"a": [1]}' },
      { format: 'rows', data: 'd', tensors: { x: { at: ['a'], shape: [2] } } },
      /2 numbers of 'x', found 1/,
    ],
    [{ p: '[["a", "b"]]' }, { format: 'unigram', pieces: 'p', reserved: 1 }, /in row 0/],
    [{ p: '[]' }, { format: 'unigram', pieces: 'p', reserved: 1 }, /at least 1, found 0/],
  ];
  for (const [files, spec, expected] of cases) {
    const place = world(files);
    assert.throws(() => convert(place, spec), expected);
    assert.equal(partials(place.cacheDir), []);
  }
});

test('links out of the dependency are refused', () => {
  const place = world({});
  writeFileSync(join(place.base, 'secret.json'), '[1]');
  symlinkSync(join(place.base, 'secret.json'), join(place.home, 'link.json'));
  assert.throws(() => convert(place, { format: 'json', data: 'link.json' }), /a link out of it/);
});

test('only the exact version will do, and the message says how to get it', () => {
  const place = world({ d: '1' });
  const section = {
    from: 'npm:@some-one/tiny@1.2.4',
    files: { d: { format: 'json', data: 'd' } },
  } as const;
  assert.throws(() => importFiles(section, place), /version 1\.2\.3 is: npm install --save-exact/);
  assert.throws(
    () => importFiles({ ...section, from: 'npm:nobody-has-this@1.0.0' }, place),
    /it is not/,
  );
  assert.throws(() => importFiles({ ...section, from: 'npm:a@^1' }, place), /exact version/);
});

test('files are made once, anew when an input changed, and again when damaged', () => {
  const place = world({ d: '[1]' });
  const spec = { format: 'json', data: 'd' } as const;
  const path = convert(place, spec);
  const made = statSync(path).ino;
  assert.is(convert(place, spec), path);
  assert.is(statSync(path).ino, made);
  truncateSync(path, 1);
  assert.is(convert(place, spec), path);
  assert.is(readFileSync(path, 'utf8'), '[1]\n');
  writeFileSync(join(place.home, 'd'), '[2]');
  const other = convert(place, spec);
  assert.is.not(other, path);
  assert.is(readFileSync(other, 'utf8'), '[2]\n');
  assert.is(readdirSync(join(place.cacheDir, 'imports')).length, 2);
});

test('processes that start at once all find the same complete files', async () => {
  const place = world({ s: new Uint8Array(1_200_000) });
  writeFileSync(join(place.home, 'model.json'), manifest(['s'], [weight('a', [300_000])]));
  const module = new URL('../../../../runtime/parameters/import/import-cache.js', import.meta.url);
  const code = `import(${JSON.stringify(module.href)}).then(({ importFiles }) => {
    const files = { out: { format: 'tfjs', model: 'model.json' } };
    const path = importFiles({ from: '${from}', files }, ${JSON.stringify(place)}).get('out');
    console.log(path, require('node:fs').statSync(path).size);
  });`;
  const start = (): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ['-e', code]);
  const outputs = await Promise.all([start(), start(), start(), start()]);
  assert.is(new Set(outputs.map(({ stdout }) => stdout)).size, 1);
  assert.is(readdirSync(join(place.cacheDir, 'imports')).length, 1);
});

test('the dependency is never written to, and a cache that cannot be written names its knob', () => {
  const place = world({ d: '[1]' });
  const before = readdirSync(place.home);
  convert(place, { format: 'json', data: 'd' });
  assert.equal(readdirSync(place.home), before);
  const blocked = { ...place, cacheDir: join(place.home, 'd') };
  assert.throws(() => convert(blocked, { format: 'json', data: 'd' }), /--cache-dir/);
});

test('the cache lies where the user keeps caches', () => {
  assert.is(defaultCacheDir({ XDG_CACHE_HOME: '/some/where' }), '/some/where/loom-serve');
  assert.match(defaultCacheDir({ XDG_CACHE_HOME: 'relative' }), /\.cache[/\\]loom-serve$/);
  assert.match(defaultCacheDir({}), /\.cache[/\\]loom-serve$/);
});

test.run();
