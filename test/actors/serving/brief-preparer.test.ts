/**
 * Which calls a generation prepares itself, and that all others are left as they were: to the
 * preparation thread, which has all the fuel and tells every error.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PreparedFinite, PrepareMembers } from '../../../actors/protocol.js';
import { BriefPreparer } from '../../../actors/serving/brief-preparer.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { ReferenceModel } from '../../runtime/packages/reference-model.js';
import { faultyTexts } from './faulty-package.js';

function model(): PreparedFinite {
  const files = Object.entries(faultyTexts).map(
    ([name, text]) => [name, new TextEncoder().encode(text)] as const,
  );
  const definition = {
    prepare: 'prepare.loom',
    control: 'control.loom',
    sources: ['kernel.loom'],
  };
  const document = { loom: 1, profile: 'embeddings', id: 'faulty', definition };
  const reference = new ReferenceModel(
    checkModelDocument(document, 'model.json'),
    new MemoryFiles(new Map(files)),
  );
  return { ...reference.model, place: { base: '/', packageRoots: [] }, tokenizer: null };
}

const prepared = model();
const call = (...texts: string[]): PrepareMembers => ({
  body: {
    profile: 'embeddings',
    inputs: texts.map((text) => ({ kind: 'text', text })),
    dimensions: 0,
  },
});
const ENDLESS = 'P';
const NO_UNITS = '0';

test('a small call is prepared: the bytes, units and tag that the program gives', () => {
  const members = new BriefPreparer(prepared).prepare(call('ab', 'aé'));
  assert.equal(members, [
    { bytes: Uint8Array.of(97, 98), units: 1, tag: 0n, values: null },
    { bytes: Uint8Array.of(97, 0xc3, 0xa9), units: 1, tag: 0n, values: null },
  ]);
});

test('long texts, many inputs, tokenizers and large states are left alone', () => {
  const brief = new BriefPreparer(prepared);
  assert.is(brief.prepare(call('a'.repeat(1025))), null);
  assert.is(brief.prepare(call('a', 'b', 'c', 'd', 'e')), null);
  assert.is.not(brief.prepare(call('a'.repeat(1024), 'b', 'c', 'd')), null);
  const tokenizer = new TextEncoder().encode('{}');
  assert.is(new BriefPreparer({ ...prepared, tokenizer }).prepare(call('a')), null);
  const state = { ...prepared.state, image: new Uint8Array(2 ** 21) };
  assert.is(new BriefPreparer({ ...prepared, state }).prepare(call('a')), null);
});

test('what is refused is left alone and says nothing of the next call', () => {
  const brief = new BriefPreparer(prepared);
  assert.is(brief.prepare(call('ab', NO_UNITS)), null);
  assert.is.not(brief.prepare(call('ab')), null);
});

test('a call that runs out of fuel is left alone, and a while nothing else is tried', () => {
  const brief = new BriefPreparer(prepared);
  assert.is(brief.prepare(call(ENDLESS)), null);
  let untried = 0;
  while (brief.prepare(call('ab')) === null) untried += 1;
  assert.is(untried, 64);
  assert.is.not(brief.prepare(call('ab')), null);
});

test.run();
