/** Epochs of the small text package, packed, run and published; and what its tables may break. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Span } from '../../../runtime/profiles/text.js';
import { refusal } from '../refusal.js';
import { ReferenceText } from './reference-text.js';
import { smallSequenceControl, smallText, smallTextControl } from './small-text.js';

function modelOf(control = smallTextControl, change: object = {}): ReferenceText {
  const { document, files } = smallText({ control }, change);
  return new ReferenceText(document, files);
}

/** The control program with a text replaced, which must be there. */
function edited(from: string, to: string): string {
  assert.ok(smallTextControl.includes(from), from);
  return smallTextControl.replace(from, to);
}

const span = (rest: Partial<Span>): Span => ({
  ...{ row: 0, state: 0, first: 0, ids: [5], selects: true, drafts: 0, pages: [0] },
  ...{ bound: new Uint8Array(8), counter: 0, history: [], mask: null, seed: 0n },
  ...rest,
});

/** What follows ids in a row whose state began anew, by the rule in words. */
const next = (ids: readonly number[]): number =>
  ((2 * ids.reduce((sum, id) => sum + id, 0) + 7) % 60) + 2;

const clear = (state: number) => ({ kind: 'clear', state }) as const;

test('control: a chunk of a prompt, and a token after another', () => {
  const model = modelOf();
  const first = model.run([span({ ids: [3, 4, 5], pages: [7], state: 2 })], [clear(2)]);
  assert.equal(first.results, [{ completed: 3, selected: next([3, 4, 5]), details: [] }]);
  const ids = [next([3, 4, 5]), 9];
  const rest = { ids, first: 3, pages: [7, 2], state: 2, selects: false };
  assert.equal(model.run([span(rest)]).results, [{ completed: 2, selected: null, details: [] }]);
  const last = model.run([span({ ids: [6], first: 5, pages: [7, 2], state: 2 })]);
  assert.is(last.results[0]!.selected, next([3, 4, 5, ...ids, 6]));
});

test('rows give the same alone and in any mix of chunks and tokens', () => {
  const row = fc.array(fc.integer({ min: 2, max: 61 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), fc.nat(7), (rows, cut) => {
      const model = shared;
      const left = rows.map((ids, at) => ({ ids, at, done: 0, chosen: -1 }));
      for (let turn = 0; left.some(({ ids, done }) => done < ids.length); turn += 1) {
        let room = 8;
        const inEpoch = left.filter(({ ids, done }) => done < ids.length);
        const spans = inEpoch.flatMap((one) => {
          const count = Math.min(1 + ((one.at + turn + cut) % 3), one.ids.length - one.done, room);
          if (count === 0) return [];
          room -= count;
          const { at, done: first } = one;
          const pages = [at * 2, at * 2 + 1].slice(0, Math.ceil((first + count) / 4));
          const selects = first + count === one.ids.length;
          const ids = one.ids.slice(first, first + count);
          return [{ one, span: span({ row: at, state: at, first, ids, pages, selects }) }];
        });
        const moves = spans.filter((each) => each.one.done === 0).map(({ one }) => clear(one.at));
        const { results } = model.run(
          spans.map((each) => each.span),
          moves,
        );
        spans.forEach(({ one }, index) => {
          one.done += results[index]!.completed;
          one.chosen = results[index]!.selected ?? -1;
        });
      }
      assert.equal(
        left.map(({ chosen }) => chosen),
        rows.map(next),
      );
    }),
    { numRuns: 60 },
  );
});
const shared = modelOf();

test('the smallest stage that is enough runs, and more than the largest is a bug', () => {
  const { control } = shared;
  assert.equal(
    [1, 2, 8].map((tokens) => control.shapeOf(tokens)),
    [1, 0, 0],
  );
  assert.throws(() => control.shapeOf(9), /at most 8 tokens in an epoch/);
  const [execute] = shared.run([span({})]).submission.commands;
  assert.match((execute as { executable: string }).executable, 'cold/1');
});

test('one token in a large capacity uploads its own bytes, and these alone', () => {
  const plan = shared.control.packEpoch([span({ pages: [3] })]);
  // 4 + 32 of metadata, one id, one page; the packets have 132 and 192.
  assert.is(plan.uploadBytes, 44);
  const { uploads, buffers } = shared.control.epoch(plan, 'x', { pages: 'p', states: 's' }, []);
  assert.equal(
    uploads.map(({ target, bytes }) => [target.buffer, target.offset, bytes.length]),
    [
      [0, 0, 36],
      [1, 0, 4],
      [1, 64, 4],
    ],
  );
  assert.equal(buffers, [
    { bytes: 132, lifetime: 'invocation' },
    { bytes: 192, lifetime: 'invocation' },
    { bytes: 384, lifetime: 'shared', key: 'p' },
    { bytes: 48, lifetime: 'shared', key: 's' },
    { bytes: 32, lifetime: 'invocation' },
  ]);
});

test('transfers whose targets touch are one upload, of sources used twice', () => {
  const plan =
    'list<i64>(0, 0, 0, 0, 4, 0, 4, 0, 4, 32, 1, 0, 1, 0, 4, 1, 0, 1, 4, 4, 1, 0, 1, 12, 4)';
  const control = edited(
    'list<i64>(0, 0, 0, 0, 4 + count * 32, 1, 0, 1, 0, tokens * 4, 1, 64, 1, 64, pages.len)',
    plan,
  ).replace('plan.bytes(), 0, 120', 'plan.bytes(), 0, 200');
  const { uploads, uploadBytes } = modelOf(control).control.packEpoch([span({ ids: [9] })]);
  assert.is(uploadBytes, 48);
  assert.equal(
    uploads.map(({ binding, offset, bytes }) => [binding, offset, bytes.length]),
    [
      [0, 0, 36],
      [1, 0, 8],
      [1, 12, 4],
    ],
  );
  assert.equal([...uploads[1]!.bytes], [9, 0, 0, 0, 9, 0, 0, 0]);
});

test('packets stay as they were packed while the program packs others', () => {
  const { control } = shared;
  const plan = control.packEpoch([span({ ids: [9, 8], pages: [3] })]);
  const copy = structuredClone(plan.uploads);
  control.packEpoch([span({ ids: [1, 2, 3, 4], pages: [9] }), span({ ids: [5, 6], row: 1 })]);
  control.publish(plan, new Uint8Array(4));
  assert.equal(plan.uploads, copy);
  const buffers = plan.uploads.map(({ bytes }) => bytes.buffer);
  assert.is(new Set(buffers).size, buffers.length, 'each may be handed on by itself');
});

test('pages and states move before the epoch, in the order given', () => {
  const model = modelOf();
  model.run([span({ ids: [3, 4, 5, 6, 7], pages: [1, 2], state: 1 })], [clear(1)]);
  const moves = [
    { kind: 'page', from: 2, to: 9, bytes: 16 },
    { kind: 'state', from: 1, to: 3, bytes: 8 },
    clear(1),
    { kind: 'state', from: 1, to: 4, bytes: 0 },
  ] as const;
  const forked = span({ row: 1, ids: [8], first: 5, pages: [1, 9], state: 3 });
  const fresh = span({ row: 2, ids: [8], pages: [5], state: 1 });
  const { results, submission } = model.run([forked, fresh], moves);
  assert.equal(
    results.map(({ selected }) => selected),
    [next([3, 4, 5, 6, 7, 8]), next([8])],
  );
  const ops = submission.commands.map(({ op }) => op);
  assert.equal(ops, ['copy', 'copy', 'copy', 'fill', 'execute', 'feedback']);
  const pages = new Int32Array(model.storage['pages']!.buffer);
  assert.equal([...pages.subarray(4, 9)], [3, 4, 5, 6, 7], 'the source of the fork is as it was');
  assert.equal([...pages.subarray(36, 38)], [7, 8]);
});

test('an empty state image travels once for all states that begin anew, in memory of its own', () => {
  const moves = [clear(0), clear(1)];
  const { uploads } = shared.run([span({})], moves).submission;
  const image = uploads.filter(({ target }) => target.buffer === 5);
  assert.equal(image, [
    { target: { buffer: 5, offset: 0, length: 4 }, bytes: Uint8Array.of(7, 0, 0, 0) },
  ]);
  image[0]!.bytes.fill(9);
  assert.equal(shared.control.emptyState(), Uint8Array.of(7, 0, 0, 0));
});

test('a state without an image is zeros', () => {
  const control = edited(
    'let empty = buffer.new(4)\n  empty.i32[0] = i32(7)',
    'let empty = buffer.new(0)',
  );
  const { submission, results } = modelOf(control).run([span({ ids: [5] })], [clear(0)]);
  assert.is(submission.buffers.length, 5);
  assert.is(results[0]!.selected, 12);
});

test('options are merged, checked by both, and bound', () => {
  const { control } = shared;
  assert.is(control.defaults.temperature, 0.25);
  const bound = control.bind({ temperature: 0 });
  assert.equal(bound, { bound: new Uint8Array(8), history: 2 });
  assert.equal(
    [...new Float64Array(control.bind({}).bound.slice().buffer)],
    [0.25],
    'what the package prefers',
  );
  assert.is(refusal(() => control.bind({ topP: 2 })).param, 'top_p');
  const rejected = refusal(() => control.bind({ topK: 51 }));
  assert.is(rejected.code, 'invalidArgument');
  assert.match(rejected.message, /request_options \(control\.loom:\d+:\d+\): top_k is above 50/);
});

test('tables that break the contract fail the call and leave the program usable', () => {
  const breaking = (from: string, to: string, run: (model: ReferenceText) => unknown) => {
    const control = edited(from, to);
    const { code, message } = refusal(() => run(modelOf(control)));
    assert.is(code, 'internal');
    return message;
  };
  const pack = (model: ReferenceText) => model.run([span({})]);
  const cases: [RegExp, string, string][] = [
    [/0 outputs; the spans want 1, and 8 are possible/, 'return (outputs,', 'return (0,'],
    [/9 outputs; the spans want 1/, 'return (outputs,', 'return (9,'],
    [/transfer plan of 119 bytes/, 'bytes(), 0, 120', 'bytes(), 0, 119'],
    [/transfer plan at bytes 8 to 128 of a buffer of 120/, 'bytes(), 0, 120', 'bytes(), 8, 120'],
    [/transfer 0 with bytes 0 to 133 of its source/, '4 + count * 32, 1', '133, 1'],
    [/for span 0: 2 completed tokens/, 'table.push(span.i64[3]', 'table.push(2'],
    [
      /'epoch' executed no stage/,
      'let done = execute_5(stage, metadata, input, pages, states, residual)\n  feedback(done, residual, 0, outputs * 4, 0)',
      '',
    ],
    [/feedback of 8 bytes into slot 0, which holds 4/, 'outputs * 4, 0)', '8, 0)'],
  ];
  for (const [message, from, to] of cases) assert.match(breaking(from, to, pack), message);
  const bind = (model: ReferenceText) => model.control.bind({});
  assert.match(breaking('slice(0, 8), 2', 'slice(0, 8), 33', bind), /history = 33; 0 to 32/);
  // These are asked for once, before any epoch.
  assert.match(breaking('buffer.new(4)\n', 'buffer.new(9)\n', pack), /9 bytes; a state has 8/);
  assert.match(breaking('options.f64[1] = 1.0', 'options.f64[1] = 2.0', pack), /top_p is 2;/);
});

test('an endless loop ends with the fuel, and the next epoch is packed', () => {
  const looping = edited(
    'var outputs = 0\n  var tokens',
    'while ids.i32[0] == 33 { }\n  var outputs = 0\n  var tokens',
  );
  const model = modelOf(looping);
  assert.is(refusal(() => model.run([span({ ids: [33] })])).code, 'resourceExhausted');
  assert.is(model.run([span({ ids: [5] })], [clear(0)]).results[0]!.selected, next([5]));
});

test('a sequence selects nothing', () => {
  const { control } = modelOf(smallSequenceControl, { profile: 'sequence' });
  const silent = span({ selects: false });
  assert.is(control.packEpoch([silent]).outputs, 0);
  assert.throws(() => control.packEpoch([silent, span({})]), /span 1 of a sequence/);
  assert.throws(() => control.packEpoch([span({ selects: false, drafts: 1 })]), /span 0 of a/);
});

test('what proposes is as the deployment says', () => {
  const drafting = (value: string) =>
    modelOf(smallTextControl, { deployment: { drafting: value } }).control;
  const ids = [5, 6, 7, 5, 6];
  assert.equal(drafting('none').draft(ids, 3), []);
  assert.equal(drafting('lookup').draft(ids, 3), [7, 5, 6]);
  assert.equal(drafting('lookup').draft(ids, 0), []);
  assert.match(refusal(() => drafting('source')).message, /needs the entry 'draft'/);
});

test('capabilities are there in their own entries only', () => {
  const running = edited('return (options.slice(0, 8), 2)', 'return (from_text(), 2)').replace(
    'func.def of_bytes',
    'func.def from_text() -> buffer { return from_string(text(0)) }\nfunc.def of_bytes',
  );
  assert.match(refusal(() => modelOf(running).control.bind({})).message, /input\.text.*cannot be/);
});

test('drafts and answers are optional, and checked where they are', () => {
  assert.equal([shared.control.drafting, shared.control.hasChat], ['none', false]);
  assert.equal(shared.control.draft([1, 2], 4), []);
  const withBoth = (proposals: number, answer: string) =>
    modelOf(`${smallTextControl}
func.def export draft(state: ref, ids: buffer, count: i64) -> buffer {
  let found = buffer.new(4 * ${proposals})
  for i in 0..${proposals} { found.i32[i] = ids.i32[ids.len / 4 - 1] + i32(i) }
  return found
}
func.def export answer_chat(state: ref, text: buffer) -> buffer { return from_string("${answer}") }
`).control;
  const object = withBoth(2, '{\\"content\\": null}');
  assert.equal([object.drafting, object.hasChat], ['source', true]);
  assert.equal(object.draft([9, 40], 2), [40, 41]);
  assert.is(object.answerChat('x'), '{"content": null}');
  assert.match(
    refusal(() => object.draft([9, 40], 1)).message,
    /2 proposals; at most 1 were asked/,
  );
  assert.match(refusal(() => object.draft([63], 2)).message, /id 64 at 1; ids are 0 to 63/);
  assert.match(refusal(() => withBoth(1, '[]').answerChat('x')).message, /no JSON object/);
});

test.run();
