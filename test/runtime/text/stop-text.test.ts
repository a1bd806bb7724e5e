/** Stops across any pieces of a text, against a look at the whole. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StopText } from '../../../runtime/text/stop-text.js';

/** Grows the text by one unit at a time and looks whether it ends in a stop. */
function cutByDefinition(text: string, stops: readonly string[]): string {
  for (let end = 1; end <= text.length; end++) {
    const grown = text.slice(0, end);
    const longest = Math.max(...stops.map((stop) => (grown.endsWith(stop) ? stop.length : 0)));
    if (longest > 0) return grown.slice(0, end - longest);
  }
  return text;
}

const letters = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', '🦊'), minLength, maxLength });

test('the text ends before the stop that is complete first, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(letters(5)),
      fc.array(letters(4, 1), { minLength: 1, maxLength: 4 }),
      (pieces, stops) => {
        const stop = new StopText(stops);
        let published = '';
        let seen = '';
        for (const piece of pieces) {
          seen += piece;
          const { text, isStopped } = stop.push(piece);
          published += text;
          const whole = cutByDefinition(seen, stops);
          assert.is(isStopped, whole !== seen);
          assert.ok(whole.startsWith(published), 'nothing is taken back');
          if (isStopped) assert.is(published, whole);
          const held = seen.slice(published.length);
          const mayStop = stops.some((each) => each !== held && each.startsWith(held));
          assert.ok(isStopped || held === '' || mayStop, `'${held}' is held for nothing`);
        }
        assert.is(published + stop.end(), cutByDefinition(seen, stops));
      },
    ),
    { numRuns: 2000 },
  );
});

test('after a stop nothing more is said; without stops nothing is held', () => {
  const stop = new StopText(['END']);
  assert.equal(stop.push('so it E'), { text: 'so it ', isStopped: false });
  assert.equal(stop.push('NDs here'), { text: '', isStopped: true });
  assert.equal(stop.push('more'), { text: '', isStopped: true });
  assert.is(stop.end(), '');
  const open = new StopText(['']);
  assert.equal(open.push('any'), { text: 'any', isStopped: false });
});

test.run();
