/** How models/llama writes calls of tools where an answer must be one: each form is read again. */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCallForm } from '../../runtime/profiles/call-form.js';
import { ContentText } from '../../runtime/text/content-text.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { hostCalls } from './motif-host.js';
import { motifs } from './motif-values.js';

const answers = readFileSync(join(repositoryRoot, 'models/llama/answers.loom'), 'utf8');
const files = { 'answers.loom': answers, ...motifs('json', 'json-check') };
const program = `library sample
use llama.answers { answered, form_of_calls }
func.def export form(marks: i64) -> buffer { return form_of_calls(marks % 2 == 1, marks >= 2) }
func.def export answer(text: buffer) -> buffer { return answered(text) }`;
const { call } = hostCalls(program, files, 2 ** 24);

const answer = (text: string): unknown =>
  JSON.parse(
    new TextDecoder().decode(call('answer', new TextEncoder().encode(text)) as Uint8Array),
  );

const given = [
  ['f', '{}'],
  ['look-up', '{"a": [1, "}\\n</tool_call>"], "b": "é"}'],
  ['f', '{\n  "deep": {"name": "g", "arguments": {}}}'],
] as const;

for (const marks of [0, 1, 2, 3]) {
  const form = checkCallForm(call('form', BigInt(marks)) as Uint8Array);
  const written = ([name, values]: readonly [string, string]): string =>
    form.begin + name + form.middle + values + form.end;

  test(`form ${marks}: a call that is written so is read as what it is`, () => {
    for (const one of given) {
      const calls = [{ name: one[0], arguments: one[1] }];
      assert.equal(answer(written(one)), { content: null, tool_calls: calls });
    }
  });

  test(`form ${marks}: and so are several where there may be some`, () => {
    assert.is(form.between === null, marks % 2 === 0);
    if (form.between === null) return;
    const calls = given.map(([name, values]) => ({ name, arguments: values }));
    assert.equal(answer(given.map(written).join(form.between)), {
      content: null,
      tool_calls: calls,
    });
  });
}

test('what is content before the whole is known is content in the end', () => {
  const form = checkCallForm(call('form', 1n) as Uint8Array);
  const calling = '<tool_call>{"name":"f","arguments":{}}</tool_call>';
  const bare = '{"name":"f","arguments":{}}';
  const piece = fc.constantFrom('a', '\n', ' ', '<', 'tool_call>', calling, bare, '[', ']', 'é');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const content = new ContentText(form);
      const early = pieces.map((one) => content.push(one)).join('');
      const { content: all } = answer(pieces.join('')) as { content: string | null };
      assert.ok((all ?? '').startsWith(early.trimEnd()), JSON.stringify([early, all]));
    }),
    { numRuns: 300 },
  );
});

test.run();
