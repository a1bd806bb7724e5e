/** The JSON library against JSON.parse and JSON.stringify. */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hostCalls } from './motif-host.js';
import { motifs } from './motif-values.js';

const program = `library sample
use motif.json { first, member, next, put_text, skip_blanks, skip_value, text_of }
func.def export places(json: buffer) -> buffer {
  let all = list<i64>()
  var at = first(json, skip_blanks(json, 0))
  while at >= 0 {
    all.push(at)
    all.push(skip_value(json, at))
    at = next(json, at)
  }
  return all.bytes()
}
func.def export find(json: buffer, name: buffer) -> buffer {
  let at = member(json, skip_blanks(json, 0), name)
  if at < 0 { return buffer.new(0) }
  return json.slice(at, skip_value(json, at) - at)
}
func.def export decoded(json: buffer) -> buffer { return text_of(json, 0) }
func.def export encoded(text: buffer) -> buffer {
  let json = buffer.new(text.len * 6 + 2)
  return json.slice(0, put_text(json, 0, text))
}`;
const { call } = hostCalls(program, motifs('json'), 2 ** 24);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: unknown): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes as Uint8Array);

/** With blanks and without. */
const written = (value: unknown) =>
  fc.constantFrom(0, 2, '\t').map((space) => JSON.stringify(value, null, space));
const lists = fc.array(fc.jsonValue(), { maxLength: 6 });

test('the values of a list are found one by one', () => {
  const json = lists.chain((list) => written(list).map((text) => [list, text] as const));
  fc.assert(
    fc.property(json, ([list, text]) => {
      const bytes = utf8(text);
      const places = new BigInt64Array((call('places', bytes) as Uint8Array).slice().buffer);
      const values = list.map((_, at) => {
        const [from, to] = [places[at * 2]!, places[at * 2 + 1]!].map(Number);
        return JSON.parse(textOf(bytes.slice(from, to))) as unknown;
      });
      assert.is(places.length, list.length * 2);
      assert.equal(values, JSON.parse(JSON.stringify(list)));
    }),
  );
});

test('members are found by name, the first of the object and no deeper one', () => {
  const name = fc.constantFrom('a', 'ab', 'role', 'b');
  const object = fc.dictionary(name, fc.jsonValue());
  const given = object.chain((value) => written(value).map((text) => [value, text] as const));
  fc.assert(
    fc.property(given, name, ([value, text], wanted) => {
      const found = textOf(call('find', utf8(text), utf8(wanted)));
      assert.is(found !== '', Object.hasOwn(value, wanted));
      if (found === '') return;
      assert.equal(JSON.parse(found), JSON.parse(JSON.stringify(value[wanted])));
    }),
  );
});

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

test('strings are decoded, escapes of every kind included', () => {
  const escaped = (text: string): string =>
    `"${Array.from({ length: text.length }, (_, at) => {
      return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join('')}"`;
  fc.assert(
    fc.property(anyText, (text) => {
      assert.is(textOf(call('decoded', utf8(JSON.stringify(text)))), text);
      assert.is(textOf(call('decoded', utf8(escaped(text)))), text);
      assert.is(
        textOf(call('decoded', utf8(escaped(text).toUpperCase().replace(/U/g, 'u')))),
        text,
      );
    }),
  );
  assert.is(textOf(call('decoded', utf8('"\\b\\f\\n\\r\\t\\/\\\\\\""'))), '\b\f\n\r\t/\\"');
  for (const half of ['"\\ud83d"', '"\\ud83dx"', '"\\ude00"', '"\\ud83d\\u0041"']) {
    const expected = (JSON.parse(half) as string).replace(/[\ud800-\udfff]/g, '\ufffd');
    assert.is(textOf(call('decoded', utf8(half))), expected);
  }
});

test('strings are encoded', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.is(JSON.parse(textOf(call('encoded', utf8(text)))), text);
    }),
  );
});

test('a text that ends too soon ends the call', () => {
  for (const cut of ['[1, ', '["abc', '[[1]', '[']) {
    assert.throws(() => call('places', utf8(cut)), /json\.loom/);
  }
});

test.run();
