import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import {
  checkModelDocument,
  modelDocumentJsonSchema,
  parseModelDocument,
} from '../../../runtime/packages/model-document.js';
import { repositoryRoot } from './repository-root.js';

const least = {
  loom: 1,
  id: 'first-output',
  profile: 'embeddings',
  definition: { prepare: 'prepare.loom', control: 'control.loom' },
};

function refusal(document: unknown): readonly string[] {
  try {
    checkModelDocument(document, 'model.json');
  } catch (error) {
    assert.instance(error, StatusError);
    const { code, details } = (error as StatusError).status;
    assert.is(code, 'invalidArgument');
    return details!;
  }
  throw new Error('the document was accepted');
}

test('the least document gets every default', () => {
  const document = checkModelDocument(least, 'model.json');
  assert.equal(document.definition.sources, []);
  assert.equal(document.definition.options, {});
  assert.equal(document.accepts, []);
  assert.equal(document.assets, {});
  assert.equal(document.deployment, {
    device: 'auto',
    capacity: {},
    memory: {},
    specialization_cache: 8,
    pin: false,
    warmup: false,
    parameter_files: 'buffered',
  });
});

test('every mistake is told by the path of its field', () => {
  const cases: [change: object, expected: string][] = [
    [
      { definition: { control: 'c.loom' } },
      'definition.prepare: expected a string, but it is missing',
    ],
    [
      { definition: { ...least.definition, prepare: 7 } },
      'definition.prepare: expected a string, got a number',
    ],
    [
      { definition: { ...least.definition, prepare: '' } },
      'definition.prepare: expected a string that is not empty',
    ],
    [
      { definition: { ...least.definition, sources: ['a', 4] } },
      'definition.sources[1]: expected a string, got a number',
    ],
    [
      { definition: { ...least.definition, sources: 'a' } },
      'definition.sources: expected an array, got a string',
    ],
    [{ definition: { ...least.definition, kernel: 'k' } }, 'definition.kernel: unknown field'],
    [{ definition: null }, 'definition: expected an object, got null'],
    [{ loom: 2 }, 'loom: expected 1, got 2'],
    [
      { profile: 'words' },
      'profile: expected one of "embeddings", "decisions", "image", "text", "sequence", "speech", "recognition", "activity", got "words"',
    ],
    [
      { id: 'a/b' },
      'id: expected 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or a digit',
    ],
    [{ accepts: ['size'] }, 'accepts[0]: expected "dimensions", got "size"'],
    [{ assets: { tokeniser: 't.json' } }, 'assets.tokeniser: unknown field'],
    [
      { deployment: { device: 'gpu' } },
      'deployment.device: expected auto, local, webgpu or webgpu:NAME',
    ],
    [{ deployment: { pin: 'yes' } }, 'deployment.pin: expected true or false, got a string'],
    [
      { deployment: { specialization_cache: 0 } },
      'deployment.specialization_cache: expected at least 1',
    ],
    [
      { deployment: { specialization_cache: 1.5 } },
      'deployment.specialization_cache: expected an integer, got a number',
    ],
    [
      { deployment: { capacity: { batch_units: -1 } } },
      'deployment.capacity.batch_units: expected at least 1',
    ],
    [{ extra: true }, 'extra: unknown field'],
  ];
  for (const [change, expected] of cases) {
    assert.equal(refusal({ ...least, ...change }), [`model.json: ${expected}`]);
  }
});

test('all mistakes of a document come together', () => {
  const details = refusal({ ...least, id: 3, extra: 1, other: 2 });
  assert.equal(details.length, 3);
  assert.ok(details.some((line) => line.includes('id: expected a string')));
  assert.ok(details.some((line) => line.includes('extra: unknown field')));
  assert.ok(details.some((line) => line.includes('other: unknown field')));
});

test('what is no object at all is refused', () => {
  assert.equal(refusal([]), ['model.json: the document: expected an object, got an array']);
  assert.equal(refusal(null), ['model.json: the document: expected an object, got null']);
});

test('text that is not JSON is refused with its place', () => {
  const bytes = new TextEncoder().encode('{"loom": 1,}');
  assert.throws(() => parseModelDocument(bytes, 'model.json'), /model\.json: not JSON/);
  assert.throws(
    () => parseModelDocument(new Uint8Array([0x22, 0xff, 0x22]), 'model.json'),
    /not JSON: the file is not UTF-8/,
  );
});

test('the schema file for editors is the one that the code has', () => {
  const file = join(repositoryRoot, 'models/model.schema.json');
  const expected = `${JSON.stringify(modelDocumentJsonSchema(), null, 2)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, expected);
  else assert.is(readFileSync(file, 'utf8'), expected);
});

test.run();
