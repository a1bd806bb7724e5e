/**
 * Templates that ask for more than a machine has. Without limits several of these end the process
 * itself, so that no test behind them would be heard of.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError, toStatus } from '../../../runtime/base/errors.js';
import { ChatRenderer } from '../../../runtime/modules/chat-renderer.js';
import { MADE_MAX, STRING_MAX } from '../../../runtime/modules/template-world.js';

/** So slow that only sizes end a render. */
const limitMs = 60_000;

const render = (template: string, fields: object = {}): string =>
  new ChatRenderer({ templates: { '': template }, tokens: {} }, limitMs).render(
    '',
    JSON.stringify(fields),
  );

function refusal(template: string, fields: object = {}) {
  try {
    render(template, fields);
  } catch (error) {
    assert.instance(error, StatusError);
    return toStatus(error);
  }
  throw new Error(`it was rendered: ${template}`);
}

/** `ns.s` is `letters`, doubled so many times. */
const doubled = (letters: string, times: number): string =>
  `{% set ns = namespace(s='${letters}') %}{% for a in range(${times}) %}{% set ns.s = ns.s + ns.s %}{% endfor %}`;

const bombs: Readonly<Record<string, string>> = {
  'a replacement of each letter': `${doubled('xxxx', 20)}{{ ns.s|replace('x', 'yyyyyyyyyyyyyyyyyy') }}`,
  'a replacement by the method': `${doubled('xxxx', 20)}{{ ns.s.replace('x', ns.s) }}`,
  'a replacement between letters': `${doubled('xxxx', 20)}{{ ns.s|replace('', ns.s) }}`,
  'a long separator': `${doubled('xxxx', 20)}{{ 'a b c d e f g h i j k l m n o p q r s t u'.split()|join(ns.s) }}`,
  'lines set in': `${doubled('\\n', 20)}{{ ns.s|indent(4000000, true, true) }}`,
  'JSON set in': `{{ [[[1]]]|tojson(indent=400000000) }}`,
  'a list of one letter each': `${doubled('xxxx', 20)}{% set l = ns.s[0:9] + ns.s[1:9] %}{{ l }}`,
  'many long texts': `${doubled('xx', 20)}{% set n = namespace(l=[]) %}{% for a in range(2000) %}{% set n.l = n.l + [ns.s|upper] %}{% endfor %}{{ n.l|length }}`,
  'parts of a string': `${doubled('xx', 20)}{{ (ns.s.split('x') + ns.s.split('x') + ns.s.split('x'))|length }}`,
  'lists that double':
    '{% set ns = namespace(l=[0]) %}{% for a in range(40) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l|length }}',
  'lists in lists twice':
    "{% set ns = namespace(l='aaaaaaaaaaaaaaaa') %}{% for a in range(40) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}",
};

for (const [what, bomb] of Object.entries(bombs)) {
  test(`${what}: refused by size, and the process goes on`, () => {
    const { code, message } = refusal(bomb);
    assert.is(code, 'invalidArgument');
    assert.match(message, new RegExp(`characters.*; at most (${MADE_MAX}|${STRING_MAX}) are`));
  });
}

test('the template that ended a process', () => {
  const template = `${doubled('xxxxxxxxxxxxxxxx', 24)}{{ ns.s|replace('x','yyyyyyyy') }}`;
  assert.match(refusal(template).message, /gave 8388608 characters; at most 4194304/);
});

test('a long field of a chat is refused where a template uses it', () => {
  const fields = { text: 'x'.repeat(STRING_MAX + 1) };
  assert.match(refusal('{{ text|trim }}', fields).message, /gave 4194305 characters/);
  assert.is(render('{{ text|length }}', { text: 'x'.repeat(STRING_MAX) }), String(STRING_MAX));
});

test('each render counts anew', () => {
  const templates = { '': `${doubled('xx', 20)}{{ ns.s[0:3] }}` };
  const renderer = new ChatRenderer({ templates, tokens: {} }, limitMs);
  for (let time = 0; time < 3; time++) assert.is(renderer.render('', '{}'), 'xxx');
});

test('control: what is guarded gives what it gave', () => {
  const given: readonly (readonly [string, string])[] = [
    ["{{ 'banana'|replace('a', '$&') }}", 'b$&n$&n$&'],
    ["{{ 'banana'.replace('a', 'o', 2) }}", 'bonona'],
    ["{{ 'ab'|replace('', '-') }}", '-a-b-'],
    ["{{ ['1', 'b', 'true']|join(' | ') }}", '1 | b | true'],
    ["{{ 'a b  c'.split()|join('/') }}", 'a/b/c'],
    ["{{ 'a,b'.split(',')|tojson }}", '["a", "b"]'],
    ['{{ ([1] + [2, 3])|tojson(indent=2) }}', '[\n  1,\n  2,\n  3\n]'],
    ["{{ 'a\\nb'|indent(2) }}", 'a\n  b'],
    ["{{ 'abcdef'[1:4] }}{{ [1, 2, 3][1:]|tojson }}", 'bcd[2, 3]'],
    ["{{ 'one two'|title }}{{ {'b': 'ü'}|tojson }}", 'One Two{"b": "ü"}'],
  ];
  for (const [template, text] of given) assert.is(render(template), text, template);
});

test.run();
