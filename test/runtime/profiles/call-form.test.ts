/** What `call_form` of a package may say, and what is its fault. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCallForm } from '../../../runtime/profiles/call-form.js';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const good = { begin: '<', middle: ' ', end: '>' };
const absent = { between: null, isOneLine: false, marks: [], leads: [] };

test('a form is its texts; what it does not say it does not have', () => {
  assert.equal(checkCallForm(bytes(good)), { ...good, ...absent });
  const [marks, leads] = [['<', '\n!'], ['{']];
  const full = { ...good, between: '', one_line: true, marks, leads };
  const read = { ...good, between: '', isOneLine: true, marks, leads };
  assert.equal(checkCallForm(bytes(full)), read);
});

const wrong: readonly (readonly [name: string, given: Uint8Array, says: RegExp])[] = [
  ['nothing', new Uint8Array(0), /0 bytes that are no JSON object/],
  ['half a character', Uint8Array.of(0x22, 0xc3), /no JSON object/],
  ['a list', bytes([]), /no JSON object/],
  ['no end', bytes({ ...good, end: undefined }), /"end" is no text/],
  ['a number', bytes({ ...good, middle: 1 }), /"middle" is no text/],
  ['a wrong line', bytes({ ...good, one_line: 1 }), /"one_line" is neither/],
  ['a wrong joint', bytes({ ...good, between: 1 }), /"between" is no text/],
  ['an empty mark', bytes({ ...good, marks: [''] }), /"marks" is no list/],
  [
    'many leads',
    bytes({ ...good, leads: Array(17).fill('x') }),
    /"leads" is no list of at most 16/,
  ],
  ['no mark at all', bytes({ begin: '', middle: '', end: '>' }), /nothing tells a call/],
  ['too much', bytes({ ...good, begin: 'x'.repeat(5000) }), /at most 4096/],
];

for (const [name, given, says] of wrong) {
  test(`${name} is the fault of the package`, () => {
    assert.throws(() => checkCallForm(given), says);
    assert.throws(() => checkCallForm(given), /call_form/);
  });
}

test.run();
