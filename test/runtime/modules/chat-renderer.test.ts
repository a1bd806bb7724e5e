/** Chat templates as packages bring them: what they give, what they are told, where they end. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatRenderer } from '../../../runtime/modules/chat-renderer.js';
import { STRING_MAX } from '../../../runtime/modules/template-world.js';
import { refusal } from '../refusal.js';

const chatMl = `{%- for message in messages %}
{{- bos_token if loop.first }}<|{{ message.role }}|>{{ message['content'] | trim }}{{ eos_token }}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}`;

const render = (template: string, fields: object = {}, limitMs = 1000): string => {
  const tokens = { bos_token: '<s>', eos_token: '</s>' };
  return new ChatRenderer({ templates: { '': template }, tokens }, limitMs).render(
    '',
    JSON.stringify(fields),
  );
};

test('control: messages with special tokens, and the assistant is next', () => {
  const messages = [
    { role: 'user', content: ' Hello ' },
    { role: 'assistant', content: 'Hi' },
  ];
  assert.is(
    render(chatMl, { messages, add_generation_prompt: true }),
    '<s><|user|>Hello</s><|assistant|>Hi</s><|assistant|>',
  );
  assert.is(render(chatMl, { messages: [] }), '');
});

test('a field of the chat wins over a special token, and null is nothing', () => {
  assert.is(render('{{ bos_token }}', { bos_token: 'mine' }), 'mine');
  assert.is(render('{% if tools %}tools{% else %}none{% endif %}', { tools: null }), 'none');
});

test('templates are found by name, and an unknown one is told with those that are there', () => {
  const renderer = new ChatRenderer({ templates: { '': 'a', tool_use: 'b' }, tokens: {} });
  assert.is(renderer.render('tool_use', '{}'), 'b');
  assert.is(renderer.render('', '{}'), 'a');
  const { code, message } = refusal(() => renderer.render('toString', '{}'));
  assert.is(code, 'failedPrecondition');
  assert.match(message, /no template 'toString' \(it has '', 'tool_use'/);
  const none = new ChatRenderer({ templates: {}, tokens: {} });
  assert.match(refusal(() => none.render('', '{}')).message, /it has none/);
});

test('a loop without end ends by the limit, and the next chat is rendered', () => {
  const bomb =
    '{% for a in range(90000) %}{% for b in range(90000) %}{% set c = b %}{% endfor %}{% endfor %}';
  const templates = { bomb, '': 'well' };
  const renderer = new ChatRenderer({ templates, tokens: {} }, 50);
  const { code, message } = refusal(() => renderer.render('bomb', '{}'));
  assert.is(code, 'resourceExhausted');
  assert.match(message, /chat template 'bomb' was not done after 50 ms/);
  assert.is(renderer.render('', '{}'), 'well');
});

test('a template nested beyond reason is an error like others', () => {
  const [open, close] = ['('.repeat(100_000), ')'.repeat(100_000)];
  const templates = { deep: `{{ ${open}1${close} }}`, '': 'well' };
  const renderer = new ChatRenderer({ templates, tokens: {} });
  assert.is(refusal(() => renderer.render('deep', '{}')).code, 'invalidArgument');
  assert.is(renderer.render('', '{}'), 'well');
});

test('long texts and long ranges are refused with both sizes', () => {
  const doubling =
    '{% set n = namespace(s="xxxxxxxx") %}{% for a in range(20) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}';
  assert.match(
    refusal(() => render(doubling)).message,
    new RegExp(`gave ${8 * 2 ** 20} characters; at most ${STRING_MAX}`),
  );
  assert.match(
    refusal(() => render('{% for a in range(100001) %}{% endfor %}')).message,
    /range\(0, 100001, 1\); at most 100000 numbers/,
  );
  assert.match(refusal(() => render('{{ range(0, 5, 0) }}')).message, /at most 100000 numbers/);
  assert.is(render('{% for a in range(5, 0, -2) %}{{ a }}{% endfor %}'), '531');
});

test("what a template complains of is the caller's, in its own words", () => {
  const strict = "{{ raise_exception('roles must alternate') }}";
  assert.equal(
    refusal(() => render(strict)),
    {
      code: 'invalidArgument',
      message: "chat template '': roles must alternate",
      param: 'messages',
    },
  );
});

test('variables that are not there are told as undefined', () => {
  for (const template of [
    '{{ nothing + 1 }}',
    '{{ nothing() }}',
    '{% for a in nothing %}{% endfor %}',
    '{{ nothing | upper }}',
  ]) {
    const { code, message } = refusal(() => render(template));
    assert.is(code, 'invalidArgument');
    assert.match(message, /undefined/i, template);
  }
});

test('templates that do not parse say where', () => {
  assert.match(
    refusal(() => render('{% for x in %}')).message,
    /^chat template '': .*CloseStatement/,
  );
});

test('there is no clock in a template: any day gives the same text', () => {
  assert.is(render('{% if strftime_now is defined %}now{% else %}never{% endif %}'), 'never');
});

test('what is no object is refused', () => {
  const renderer = new ChatRenderer({ templates: { '': '' }, tokens: {} });
  for (const json of ['[]', 'null', '{', '3']) {
    assert.is(refusal(() => renderer.render('', json)).code, 'internal');
  }
});

test.run();
