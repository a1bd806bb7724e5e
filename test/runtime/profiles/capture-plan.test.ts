/** Which bytes of a residual may be a span's output, against triples written by hand. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCaptures } from '../../../runtime/profiles/capture-plan.js';
import { refusal } from '../refusal.js';
import { words } from './tables.js';

const check = (table: Uint8Array, spans = 2) => checkCaptures(table, { spans, residualBytes: 64 });

function refused(action: () => unknown): string {
  const { message } = refusal(action);
  assert.match(message, /^'capture_epoch' of the package returned/);
  return message;
}

test('pieces of a span come one after another as given, empty ones left out', () => {
  const piece = fc.record({ offset: fc.nat(60), length: fc.nat(4) }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 5 }), (spans) => {
      const filled = spans.map((pieces) => [...pieces, { offset: 3, length: 1 }]);
      const table = words(
        ...filled.flatMap((pieces, span) =>
          pieces.flatMap(({ offset, length }) => [span, offset, length]),
        ),
      );
      assert.equal(
        check(table, spans.length),
        filled.map((pieces) => pieces.filter(({ length }) => length > 0)),
      );
    }),
  );
});

test('pieces may overlap, come back and lie in any order: only spans are in order', () => {
  assert.equal(check(words(0, 32, 8, 0, 0, 8, 1, 32, 8)), [
    [
      { offset: 32, length: 8 },
      { offset: 0, length: 8 },
    ],
    [{ offset: 32, length: 8 }],
  ]);
});

test('everything else is refused', () => {
  const cases: [RegExp, Uint8Array][] = [
    [/12 bytes; tables are whole i64 words/, new Uint8Array(12)],
    [/4 words; at most \d+ triples/, words(0, 0, 8, 1)],
    [/capture 1 of span 0; captures are in the order of spans, 1 to 1/, words(1, 0, 8, 0, 0, 8)],
    [/capture 1 of span 2;/, words(0, 0, 8, 2, 0, 8)],
    [/capture 0 of span -1;/, words(-1, 0, 8, 1, 0, 8)],
    [/capture 1 of 8 bytes from 57; the residual has 64/, words(0, 0, 8, 1, 57, 8)],
    [/capture 0 of 8 bytes from -8/, words(0, -8, 8, 1, 0, 8)],
    [/capture 0 of -8 bytes from 8/, words(0, 8, -8, 1, 0, 8)],
    [/far outside of any size/, words(0, 2n ** 62n, 8, 1, 0, 8)],
    [/no bytes for span 0; each span has an output/, words(1, 0, 8)],
    [/no bytes for span 1/, words(0, 0, 8)],
    [/no bytes for span 1/, words(0, 0, 8, 1, 64, 0)],
    [/no bytes for span 0/, words()],
  ];
  for (const [message, table] of cases)
    assert.match(
      refused(() => check(table)),
      message,
    );
});

test.run();
