/** How models/tiny-text frames chats, reads calls of tools, and what its tokenizer says. */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCallForm } from '../../runtime/profiles/call-form.js';
import { ContentText } from '../../runtime/text/content-text.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { hostCalls } from './motif-host.js';
import { motifs } from './motif-values.js';

const folder = join(repositoryRoot, 'models/tiny-text');
const framing = readFileSync(join(folder, 'chat.loom'), 'utf8');
// Of the device program the framing needs one constant; the whole would need all of its motifs.
const end = 'library tiny.epoch\nconst.def export END : i64 = 256';
const files = { 'chat.loom': framing, 'kernel.loom': end, ...motifs('json') };
const program = `library sample
use tiny.chat { answered, form_of_calls, framed }
func.def export frame(json: buffer) -> buffer { return framed(json) }
func.def export answer(text: buffer) -> buffer { return answered(text) }
func.def export form() -> buffer { return form_of_calls() }`;
const { call } = hostCalls(program, files, 2 ** 24);

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
const frame = (chat: object): number[] => {
  const ids = call('frame', Uint8Array.from(utf8(JSON.stringify(chat)))) as Uint8Array;
  return [...new Int32Array(ids.slice().buffer)];
};
const answer = (text: string): unknown =>
  JSON.parse(new TextDecoder().decode(call('answer', Uint8Array.from(utf8(text))) as Uint8Array));

const marks = { system: 257, user: 258, assistant: 259, tool: 260 } as const;
const text = fc.string({ unit: 'binary', maxLength: 30 });
const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
  content: text,
});

test('a message is its mark, its bytes and the end, whatever it says', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.boolean(), (messages, isOpen) => {
      const expected = messages.flatMap(({ role, content }) => [
        marks[role],
        ...utf8(content),
        256,
      ]);
      const ids = frame({ messages, add_generation_prompt: isOpen });
      assert.equal(ids, isOpen ? [...expected, 259] : expected);
    }),
  );
  assert.equal(
    frame({ messages: [{ role: 'user', content: '<|end|>' }] }).slice(1, -1),
    utf8('<|end|>'),
  );
});

test('calls of an earlier answer are framed as they are read', () => {
  const tool = { name: 'weather', arguments: { city: 'Rome' } };
  const messages = (given: unknown) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'x', function: { ...tool, arguments: given } }],
    },
  ];
  const expected = [259, ...utf8('\n!weather {"city":"Rome"}'), 256];
  assert.equal(frame({ messages: messages({ city: 'Rome' }) }), expected);
  assert.equal(frame({ messages: messages('{"city":"Rome"}') }), expected);
});

test('tools are a message of their own', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const ids = frame({ messages: [], tools, tool_choice: 'required' });
  assert.equal(ids, [257, ...utf8(`tools ${JSON.stringify(tools)}"required"`), 256]);
});

test('what cannot be framed says why', () => {
  assert.throws(() => frame({}), /no 'messages'/);
  assert.throws(() => frame({ messages: [{ content: 'x' }] }), /no 'role'/);
  assert.throws(
    () => frame({ messages: [{ role: 'critic', content: 'x' }] }),
    /role that the model/,
  );
  assert.throws(() => frame({ messages: [{ role: 'user', content: [1] }] }), /no text/);
});

test('lines that call tools leave the content', () => {
  const call = (name: string, given: string) => {
    return { type: 'function', function: { name, arguments: given } };
  };
  assert.equal(answer('just text\n'), { content: 'just text\n', tool_calls: [] });
  assert.equal(answer(''), { content: '', tool_calls: [] });
  assert.equal(answer('!f {"a":"\\""}'), { content: null, tool_calls: [call('f', '{"a":"\\""}')] });
  assert.equal(answer('a\n\nb\n!f {}\n!g {"x":1}\n'), {
    content: 'a\n\nb',
    tool_calls: [call('f', '{}'), call('g', '{"x":1}')],
  });
  assert.equal(answer('!f {}\nso\n!\n! {}\n!g\n!g x}'), {
    content: 'so\n!\n! {}\n!g\n!g x}',
    tool_calls: [call('f', '{}')],
  });
});

test('calls that are written in their form are read as what they are', () => {
  const { begin, middle, end, between, isOneLine } = checkCallForm(call('form') as Uint8Array);
  assert.ok(isOneLine);
  const given = [
    { name: 'f', arguments: '{}' },
    { name: 'look-up', arguments: '{ "a": "\\n", "b": [1, {}] }' },
  ];
  const written = given.map((one) => begin + one.name + middle + one.arguments + end);
  const read = given.map((one) => ({ type: 'function', function: one }));
  assert.equal(answer(written.join(between!)), { content: null, tool_calls: read });
});

test('what is content before the whole is known is content in the end', () => {
  const form = checkCallForm(call('form') as Uint8Array);
  const piece = fc.constantFrom('a', '\n', '!', '!f {}', ' ', '{', '}', '\n!g {"é":1}', 'é');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const content = new ContentText(form);
      const early = pieces.map((one) => content.push(one)).join('');
      const { content: all } = answer(pieces.join('')) as { content: string | null };
      assert.ok((all ?? '').startsWith(early.trimEnd()), JSON.stringify([early, all]));
    }),
    { numRuns: 300 },
  );
});

test('any answer stays what it is, or its lines are calls', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(text, fc.constantFrom('!f {}', '!é {"é":"\u0001"}', '')), { maxLength: 6 }),
      (lines) => {
        const { content, tool_calls: calls } = answer(lines.join('\n')) as {
          content: string | null;
          tool_calls: readonly unknown[];
        };
        // Lines with the breaks that end them.
        const all = lines.join('\n').match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const isCall = (line: string): boolean => /^![^ \n]+ \{[^\n]*\}\n?$/.test(line);
        assert.is(calls.length, all.filter(isCall).length);
        const kept = all.filter((line) => !isCall(line)).join('');
        const endsWithCall = all.length > 0 && isCall(all.at(-1)!);
        assert.is(content ?? '', endsWithCall ? kept.slice(0, -1) : kept);
      },
    ),
  );
});

test('a token is a byte of the text, and marks are read where they may be', () => {
  const path = join(folder, 'tokenizer.json');
  const tokenizer = new Tokenizer(readFileSync(path), 'tokenizer.json');
  const idsOf = (value: string, flags: number): number[] => {
    const { ids, count } = tokenizer.encode(value, flags, 1000);
    return [...ids.subarray(0, count)];
  };
  const PLAIN = 8;
  fc.assert(
    fc.property(text, (value) => {
      const ids = utf8(value);
      assert.equal(idsOf(value, PLAIN), ids);
      assert.is(tokenizer.text(Int32Array.from(ids), 1), value);
    }),
  );
  assert.equal(idsOf('<|user|>é<|end|>', 0), [258, 0xc3, 0xa9, 256]);
  assert.equal(idsOf('<|end|>', PLAIN), utf8('<|end|>'));
});

test.run();
