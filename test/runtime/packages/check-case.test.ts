import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { caseSchema, compareRows, runCase } from '../../../runtime/packages/check-case.js';
import type { CaseRunner } from '../../../runtime/packages/check-case.js';
import { checkRequest, readChecked } from '../../../runtime/packages/check-request.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import type { EmbeddingsBody } from '../../../runtime/profiles/embeddings.js';
import { RequestPacket } from '../../../runtime/profiles/request-packet.js';

const exact = { absolute: 0, relative: 0 };
const lengths: CaseRunner = {
  // One value a row: the number of characters or tokens.
  infer: async (body) =>
    (body as EmbeddingsBody).inputs.map((input) =>
      Float32Array.of(input.kind === 'text' ? input.text.length : input.tokens.length),
    ),
  oracle: (program, name, packet) => {
    assert.is(`${program}:${name}`, 'oracle.loom:lengths');
    return Float32Array.of(new RequestPacket(packet).text(0).length);
  },
};
const parse = (value: unknown) => caseSchema.parse(value);

test('inputs take every shape that HTTP takes', () => {
  const text = (words: string) => ({ kind: 'text', text: words });
  const ids = (...tokens: number[]) => ({ kind: 'tokens', tokens });
  const body = (...inputs: object[]) => ({ profile: 'embeddings', inputs, dimensions: 0 });
  assert.equal(checkRequest({ input: 'a' }), body(text('a')));
  assert.equal(checkRequest({ input: ['a', 'b'] }), body(text('a'), text('b')));
  assert.equal(checkRequest({ input: [1, 2] }), body(ids(1, 2)));
  assert.equal(checkRequest({ input: [[1], [2, 3]] }), body(ids(1), ids(2, 3)));
  const asked = checkRequest({ input: 'a', dimensions: 4 });
  assert.equal(asked, { ...body(text('a')), dimensions: 4 });
});

test('questions take every shape that HTTP takes, and nothing of embeddings', () => {
  const asked = { kind: 'yes_no', text: 'Is it?' };
  const question = { ...asked, context: 'of all' };
  const body = (...questions: object[]) => ({ profile: 'decisions', questions });
  assert.equal(checkRequest({ questions: asked, context: 'of all' }), body(question));
  assert.equal(checkRequest({ questions: [question, question] }), body(question, question));
  assert.throws(() => checkRequest({}), /either input \(and dimensions\) or questions/);
  assert.throws(() => checkRequest({ input: 'a', questions: asked }), /either input/);
  assert.throws(() => checkRequest({ questions: asked, dimensions: 2 }), /either input/);
  assert.throws(
    () => checkRequest({ questions: [asked, { kind: 'choice', text: 'Which?' }] }),
    /request\.questions\[1\]\.labels: must be an array of strings, not missing/,
  );
});

test('rows are compared within the bound, and the first value that is off is told', () => {
  assert.equal(compareRows([[1, 2]], [[1, 2]], exact), []);
  assert.equal(compareRows([[1.5]], [[1]], { absolute: 0.5, relative: 0 }), []);
  assert.equal(compareRows([[110]], [[100]], { absolute: 0, relative: 0.1 }), []);
  assert.match(compareRows([[1, 2.5]], [[1, 2]], exact)[0]!, /row 0, value 1: 2\.5 instead of 2/);
  assert.match(compareRows([[NaN]], [[NaN]], { absolute: 9, relative: 9 })[0]!, /NaN instead of/);
  assert.match(compareRows([[1]], [[1, 2]], exact)[0]!, /row 0 has 1 values; 2 were/);
  assert.match(compareRows([], [[1]], exact)[0]!, /0 rows came back; 1 were/);
});

test('a case compares with values or with an oracle once an input', async () => {
  const request = { input: ['abc', 'de'] };
  assert.equal(await runCase(parse({ request, expect: { rows: [[3], [2]] } }), lengths), []);
  const oracle = { program: 'oracle.loom', function: 'lengths' };
  assert.equal(await runCase(parse({ request, expect: oracle }), lengths), []);
  const wrong = await runCase(parse({ request, expect: { rows: [[3], [3]] } }), lengths);
  assert.match(wrong[0]!, /row 1, value 0: 2 instead of 3/);
});

test('a refusal is expected by code and by part of the message', async () => {
  const refusing: CaseRunner = {
    ...lengths,
    infer: async () => {
      throw new StatusError('invalidArgument', 'the input is empty');
    },
  };
  const expecting = (code: string, message: string) =>
    parse({ request: { input: 'a' }, expect: { error: { code, message } } });
  assert.equal(await runCase(expecting('invalidArgument', 'is empty'), refusing), []);
  assert.match((await runCase(expecting('internal', ''), refusing))[0]!, /internal was expected/);
  assert.match(
    (await runCase(expecting('invalidArgument', 'too long'), refusing))[0]!,
    /it should contain 'too long'/,
  );
  assert.match((await runCase(expecting('internal', ''), lengths))[0]!, /it was answered/);
  const answering = parse({ request: { input: 'a' }, expect: { rows: [[1]] } });
  assert.equal(await runCase(answering, refusing), ['invalidArgument: the input is empty']);
});

test('a case file that is wrong is told by path', () => {
  const file = (value: unknown) =>
    new MemoryFiles(new Map([['c.json', new TextEncoder().encode(JSON.stringify(value))]]));
  const read = (value: unknown) => () => readChecked(file(value), 'c.json', caseSchema);
  const request = { input: 'a' };
  assert.throws(read({ expect: { rows: [[1]] } }), /c\.json: request: expected an object/);
  assert.throws(
    read({ request, expect: { rows: [[1]] }, bounds: 1 }),
    /c\.json: bounds: unknown field/,
  );
  assert.throws(
    read({ request, expect: { rows: [[1]] }, bound: { absolute: -1, relative: 0 } }),
    /bound\.absolute: expected at least 0/,
  );
});

test.run();
