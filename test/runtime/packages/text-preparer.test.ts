/** Prompts of a text package: text, ids and chats become ids; ids become text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TextPreparer } from '../../../runtime/packages/text-preparer.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { refusal } from '../refusal.js';
import { ReferenceText } from './reference-text.js';
import { repositoryRoot } from './repository-root.js';
import {
  smallSequenceControl,
  smallText,
  smallTextControl,
  smallTextPrepare,
  type SmallTextFiles,
} from './small-text.js';

const config = {
  bos_token: '<s>',
  eos_token: { content: '</s>', lstrip: false },
  chat_template:
    '{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }}{{ eos_token }}{% endfor %}',
  add_bos_token: true,
};

const withConfig = (tokenizerConfig: unknown, templates: Readonly<Record<string, string>> = {}) => {
  const more = {
    'tokenizer_config.json': JSON.stringify(tokenizerConfig),
    ...Object.fromEntries(Object.entries(templates).map(([name, text]) => [`${name}.jinja`, text])),
  };
  const named = Object.keys(templates).map((name) => [name, `${name}.jinja`]);
  return modelOf(
    { more },
    { assets: { tokenizer_config: 'tokenizer_config.json', templates: Object.fromEntries(named) } },
  );
};

function modelOf(given: SmallTextFiles = {}, change: object = {}): ReferenceText {
  const { document, files } = smallText(given, change);
  return new ReferenceText(document, files);
}

/** The ids of a text, as the small package has them. */
const idsOf = (text: string): number[] =>
  [...new TextEncoder().encode(text)].map((byte) => (byte % 60) + 2);

const chat = (fields: object) => ({ kind: 'chat', json: JSON.stringify(fields) }) as const;

test('control: text and ids', () => {
  const { preparer } = modelOf();
  assert.equal(preparer.promptIds({ kind: 'text', text: 'añ' }), idsOf('añ'));
  assert.equal(preparer.promptIds({ kind: 'tokens', ids: [4, 63, 2] }), [4, 63, 2]);
  assert.equal(preparer.tokenize({ kind: 'text', text: '' }), []);
});

test('a chat is framed by the template of the tokenizer configuration', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'x' },
  ];
  assert.equal(
    withConfig(config).preparer.promptIds(chat({ messages })),
    idsOf('<s>user:hi</s>assistant:x</s>'),
  );
});

test('of several templates the default one is preferred, and named ones are beside it', () => {
  const several = {
    chat_template: [
      { name: 'tool_use', template: 'tools' },
      { name: 'default', template: 'plain' },
    ],
  };
  const { model } = withConfig(several, { extra: 'more' });
  assert.equal(model.templates, {
    templates: { tool_use: 'tools', '': 'plain', extra: 'more' },
    tokens: {},
  });
  assert.equal(withConfig(config).model.templates.tokens, { bos_token: '<s>', eos_token: '</s>' });
  assert.equal(modelOf().model.templates, { templates: {}, tokens: {} });
});

test('without a template a chat is refused, and says what is missing', () => {
  const { code, message } = refusal(() => modelOf().preparer.promptIds(chat({ messages: [] })));
  assert.is(code, 'failedPrecondition');
  assert.match(message, /no template ''.*assets\.tokenizer_config/);
  assert.match(message, /prompt_ids \(control\.loom/);
});

test('configurations that cannot be used are told when the package is prepared', () => {
  const prepare = (given: unknown) => refusal(() => withConfig(given)).message;
  assert.match(prepare({ chat_template: 7 }), /tokenizer_config\.json: chat_template/);
  assert.match(prepare({ chat_template: 'x'.repeat(262_145) }), /'' has 262145 characters/);
  assert.match(
    refusal(() => modelOf({}, { assets: { tokenizer_config: 'none.json' } })).message,
    /none\.json/,
  );
});

test("what the program rejects is the caller's mistake, and the next prompt is prepared", () => {
  const { preparer } = modelOf();
  const { code, message, details, param } = refusal(() =>
    preparer.promptIds({ kind: 'text', text: 'no' }),
  );
  // No place in a program that its caller cannot see.
  assert.equal([code, message], ['invalidArgument', "this model does not read 'no'"]);
  assert.equal([details, param], [undefined, 'prompt']);
  assert.equal(preparer.promptIds({ kind: 'text', text: 'yes' }), idsOf('yes'));
});

test('ids outside of the vocabulary are refused, whoever made them', () => {
  const { preparer } = modelOf();
  const prompt = { kind: 'tokens', ids: [1, 64] } as const;
  assert.match(refusal(() => preparer.promptIds(prompt)).message, /id 64 at 1; ids are 0 to 63/);
  const odd = smallTextControl.replace('buffer.new(4 * text.len)', 'buffer.new(4 * text.len + 1)');
  assert.match(
    refusal(() => modelOf({ control: odd }).preparer.promptIds({ kind: 'text', text: 'a' }))
      .message,
    /'prompt_ids' of the package returned 5 bytes of ids/,
  );
});

test('what no row holds is refused with both sizes, before the program sees it', () => {
  // This program would reject whatever it saw.
  const blind = smallTextControl.replace('kind(0)', 'kind(9)');
  const { model } = modelOf({ control: blind });
  const { context } = model.geometry;
  const bytes = readFileSync(join(repositoryRoot, 'models/tiny-text/tokenizer.json'));
  const preparer = new TextPreparer(model, bytes);
  const ids = Array.from({ length: context + 1 }, () => 5);
  const longest = 13 * context;
  const refused: readonly (readonly [() => unknown, string, RegExp])[] = [
    [() => preparer.tokenize({ kind: 'tokens', ids }), 'prompt', /has 33 tokens; .* holds 32$/],
    [() => preparer.detokenize(ids), 'tokens', /are 33 tokens; .* holds 32$/],
    [
      () => preparer.tokenize({ kind: 'text', text: 'ñ'.repeat(longest / 2 + 1) }),
      'prompt',
      /has 418 bytes of text; .* holds 32 tokens, which are 416 bytes at most$/,
    ],
  ];
  for (const [action, param, pattern] of refused) {
    const status = refusal(action);
    assert.equal([status.code, status.param], ['outOfRange', param]);
    assert.match(status.message, pattern);
  }
});

test('ids that the program made are counted before they are read', () => {
  const { preparer } = modelOf();
  assert.is(preparer.promptIds({ kind: 'text', text: 'a'.repeat(32) }).length, 32);
  const refused = (count: number) =>
    refusal(() => preparer.promptIds({ kind: 'text', text: 'a'.repeat(count) }));
  const { code, message, param, reason } = refused(34);
  assert.equal([code, param, reason], ['outOfRange', 'prompt', 'context_length_exceeded']);
  assert.match(message, /the prompt has 34 tokens; a row of model small-text holds 32/);
  // A program may stop at the first token too many.
  assert.match(refused(33).message, /the prompt has at least 33 tokens; /);
});

const answers = `
func.def export answer_chat(state: ref, text: buffer) -> buffer { return text }`;
const formed = `${answers}
func.def export call_form(state: ref) -> buffer { return from_string("{\\"begin\\":\\"<\\",\\"middle\\":\\" \\",\\"end\\":\\">\\"}") }`;

test('how calls are written is asked once, of packages that read them, too', () => {
  const form = {
    ...{ begin: '<', middle: ' ', end: '>', between: null, isOneLine: false },
    ...{ marks: [], leads: [] },
  };
  const withEntries = (more: string) => modelOf({ control: smallTextControl + more }).preparer;
  const preparer = withEntries(formed);
  assert.equal(preparer.callForm(), form);
  assert.is(preparer.callForm(), preparer.callForm());
  for (const more of ['', answers, formed.replace(answers, '')]) {
    assert.is(withEntries(more).callForm(), null);
  }
  const wrong = refusal(() => withEntries(formed.replace('begin', 'start')).callForm());
  assert.match(wrong.message, /call_form.*"begin" is no text/);
});

test('ids become text by the tokenizer, where there is one', () => {
  const { model, preparer } = modelOf();
  assert.match(refusal(() => preparer.detokenize([5])).message, /small-text has no tokenizer/);
  const bytes = readFileSync(join(repositoryRoot, 'models/embedding/tokenizer.json'));
  const wide = { ...model, geometry: { ...model.geometry, vocabulary: 30_000 } };
  const reading = new TextPreparer(wide, bytes);
  const { ids: padded, count } = new Tokenizer(bytes, 'tokenizer').encode('the end', 0, 16);
  const ids = [...padded.subarray(0, count)];
  assert.is(reading.detokenize(ids), 'the end');
  const status = refusal(() => reading.detokenize([1, 30_000]));
  assert.is(status.code, 'invalidArgument');
  assert.match(status.message, /token 1 is 30000; ids of model small-text are 0 to 29999/);
});

test('a sequence with a tokenizer takes texts, too', () => {
  const tokenizer = readFileSync(`${repositoryRoot}/models/tiny-text/tokenizer.json`, 'utf8');
  const prepare = smallTextPrepare
    .replace('32, 4, 8, 64)', '32, 4, 8, 128)')
    .replace('ends.bytes(), ""', 'ends.bytes(), "tokenizer"');
  const { preparer } = modelOf(
    { control: smallSequenceControl, prepare, more: { 'tokenizer.json': tokenizer } },
    { profile: 'sequence', assets: { tokenizer: 'tokenizer.json' } },
  );
  assert.equal(preparer.promptIds({ kind: 'text', text: 'abc' }), [97, 98, 99]);
  assert.equal(preparer.promptIds({ kind: 'tokens', ids: [3] }), [3]);
  assert.is(preparer.promptIds({ kind: 'text', text: 'a'.repeat(32) }).length, 32);
  assert.match(
    refusal(() => preparer.promptIds({ kind: 'text', text: 'a'.repeat(34) })).message,
    /has at least 33 tokens; a row of model small-text holds 32/,
  );
  // No token of this vocabulary has more than 13 bytes.
  assert.match(
    refusal(() => preparer.promptIds({ kind: 'text', text: 'a'.repeat(417) })).message,
    /has 417 bytes of text; a row of model small-text holds 32 tokens, which are 416 bytes/,
  );
  const beyond = refusal(() => preparer.promptIds({ kind: 'text', text: 'ñ' }));
  assert.match(beyond.message, /token 0 is 195; ids of model small-text are 0 to 127/);
  const framed = refusal(() => preparer.promptIds(chat({ messages: [] })));
  assert.match(framed.message, /takes token ids; it was given a chat/);
});

test('a sequence takes ids alone', () => {
  const control = smallSequenceControl;
  const { preparer } = modelOf({ control }, { profile: 'sequence' });
  assert.equal(preparer.promptIds({ kind: 'tokens', ids: [3, 1] }), [3, 1]);
  const { code, message } = refusal(() => preparer.promptIds({ kind: 'text', text: 'a' }));
  assert.is(code, 'invalidArgument');
  assert.match(message, /takes token ids and has no tokenizer; it was given text/);
  assert.match(
    refusal(() => preparer.promptIds({ kind: 'tokens', ids: [0.5] })).message,
    /token 0 is 0\.5/,
  );
});

test('a program sees how many tokens the row holds: what begins a text begins an empty row', () => {
  const { model } = modelOf();
  const preparer = new TextPreparer(model, null);
  assert.equal(preparer.promptIds({ kind: 'text', text: 'held' }), idsOf('0'));
  assert.equal(preparer.promptIds({ kind: 'text', text: 'held' }, 17), idsOf('17'));
});

test.run();
