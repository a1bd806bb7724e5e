/** Preparation of packages with retained rows, of both profiles, and what is refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { compileControl } from '../../../runtime/packages/compile-control.task.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import type { Span } from '../../../runtime/profiles/text.js';
import { refusal } from '../refusal.js';
import { ReferenceText, textPlan } from './reference-text.js';
import {
  smallSequenceControl,
  smallText,
  smallTextControl,
  smallTextPrepare,
} from './small-text.js';
import type { SmallTextFiles } from './small-text.js';

const prepare = (given: SmallTextFiles = {}, change: object = {}) => {
  const { document, files } = smallText(given, change);
  return textPlan(prepareFiles(document, files, localFacts()));
};

const sequence = { profile: 'sequence' };

test('control: the small package is prepared, with its sizes', () => {
  const plan = prepare();
  assert.is(plan.geometry.vocabulary, 64);
  assert.equal(plan.geometry.terminal, [1]);
  assert.is(plan.sourceName, 'small-text');
  assert.equal(
    plan.stages.map(({ tag }) => tag),
    [8n, 1n],
  );
  const { program } = compileControl(plan.compileControl);
  assert.ok(program.entries['publish_epoch'] !== undefined);
});

test('each entry must be there with its signature, optional ones where they are', () => {
  const compile = (control: string, change = {}) =>
    refusal(() => compileControl(prepare({ control }, change).compileControl)).message;
  for (const entry of [
    ...['prompt_ids', 'request_defaults', 'request_options', 'bind_request', 'encode_state'],
    ...['encode_epoch', 'epoch', 'publish_epoch'],
  ]) {
    const message = compile(smallTextControl.replace(`export ${entry}(`, `export other(`));
    assert.match(message, `exports no '${entry}'`);
  }
  assert.match(compile(smallTextControl, sequence), /exports no 'capture_epoch'/);
  for (const entry of ['draft', 'answer_chat']) {
    const wrong = `${smallTextControl}\nfunc.def export ${entry}(state: ref) -> i64 { return 1 }\n`;
    assert.match(compile(wrong), new RegExp(`${entry} is \\(ref\\) -> i64; the contract asks for`));
  }
});

test('a prepare of cohorts is none of rows', () => {
  const finite = smallTextPrepare
    .replace(
      '(i64, i64, i64, i64, buffer, buffer, buffer, string, ref)',
      '(i64, i64, i64, i64, string, string, ref)',
    )
    .replace('storage.bytes(), packets.bytes(), ends.bytes(), ""', '"", ""');
  assert.match(refusal(() => prepare({ prepare: finite })).message, /the contract asks for/);
  assert.match(
    refusal(() => prepare({}, { profile: 'embeddings' })).message,
    /prepare is \(string, ref\)/,
  );
});

test('sizes that cannot be are refused, and so are stages that are too small', () => {
  const changed = (from: string, to: string) =>
    refusal(() => prepare({ prepare: smallTextPrepare.replace(from, to) })).message;
  assert.match(changed('(4, 8, 4, 32,', '(0, 8, 4, 32,'), /rows = 0; 1 to/);
  assert.match(changed('list<i64>(4, 16, 24', 'list<i64>(4, 16, 7'), /7 pages of 4 tokens/);
  assert.match(changed('list<i64>(4, 16, 24', 'list<i64>(4, 16, 300000000'), /pages = 300000000;/);
  assert.match(changed('(4, 8, 4, 32,', '(4, 9, 4, 32,'), /tokens = 9, and stages for 8, 1/);
  assert.match(changed('stage(@forward, 1)', 'stage(@forward, 0)'), /the tag of stage 1 = 0/);
  assert.match(changed('"", seal', '"words", seal'), /names the tokenizer asset 'words'/);
});

test('a text without room for an output is refused, a sequence needs none', () => {
  const silent = smallTextPrepare.replace('(132, 192, 32, 4, 8, 64)', '(132, 192, 32, 0, 0, 64)');
  const message = /^'prepare' .* outputs of an epoch = 0; 1 to/;
  assert.match(refusal(() => prepare({ prepare: silent })).message, message);
  const given = { prepare: silent, control: smallSequenceControl };
  assert.is(prepare(given, sequence).geometry.outputs, 0);
});

test('what cohorts alone know is refused', () => {
  const units = { deployment: { capacity: { batch_units: 4 } } };
  assert.match(
    refusal(() => prepare({}, units)).message,
    /deployment\.capacity\.batch_units is for profiles with cohorts/,
  );
  const forecast = smallTextPrepare
    .replace('use small { forward }', 'use small { forward }\nuse small.control { publish_epoch }')
    .replace('record.def', 'func.decl import("prepare") memory_forecast(root: symbol)\nrecord.def')
    .replace('let large', 'memory_forecast(@publish_epoch)\n  let large');
  assert.match(
    refusal(() => prepare({ prepare: forecast })).message,
    /memory_forecast is for profiles with cohorts/,
  );
});

const span = (rest: Partial<Span>): Span => ({
  ...{ row: 0, state: 0, first: 0, ids: [5], selects: false, drafts: 0, pages: [0] },
  ...{ bound: new Uint8Array(8), counter: 0, history: [], mask: null, seed: 0n },
  ...rest,
});

test('a sequence needs no prompts, and its output is captured in pieces', () => {
  const { document, files } = smallText({ control: smallSequenceControl }, sequence);
  const model = new ReferenceText(document, files);
  const spans = [span({}), span({ row: 1, state: 1, pages: [1] })];
  const plan = model.control.packEpoch(spans);
  assert.is(plan.outputs, 0);
  assert.equal(plan.captures, [
    [
      { offset: 8, length: 4 },
      { offset: 12, length: 4 },
    ],
    [
      { offset: 0, length: 4 },
      { offset: 4, length: 4 },
    ],
  ]);
  const { snapshot } = model.control.epoch(plan, 'x', { pages: 'p', states: 's' }, []);
  assert.equal(
    snapshot.map(({ buffer, offset }) => [buffer, offset]),
    [8, 12, 0, 4].map((offset) => [4, offset]),
  );
  const bytes = Uint8Array.from({ length: 16 }, (_, index) => index);
  const captured = model.control.captured(plan, bytes);
  assert.equal(captured, [bytes.slice(0, 8), bytes.slice(8, 16)]);
  bytes.fill(0);
  assert.equal([...captured[1]!.subarray(0, 2)], [8, 9], 'copies');
  assert.equal(model.run(spans).results, [
    { completed: 1, selected: null, details: [] },
    { completed: 1, selected: null, details: [] },
  ]);
});

test('a capture plan that is wrong ends the packing, before anything is submitted', () => {
  const control = smallSequenceControl.replace('triples.push(4)', 'triples.push(40)');
  const { document, files } = smallText({ control }, sequence);
  const model = new ReferenceText(document, files);
  assert.match(
    refusal(() => model.control.packEpoch([span({})])).message,
    /'capture_epoch' of the package returned capture 0 of 40 bytes from 0; the residual has 32/,
  );
});

test.run();
