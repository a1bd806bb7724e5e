/** What is left of a failing whole still fails, and nothing of it can be left out. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../properties.js';
import { shrink } from './shrink.js';

/** Breaks where all parts of one of the causes are there. */
const breaksWith =
  (causes: readonly (readonly number[])[]) =>
  (kept: readonly number[]): boolean =>
    causes.some((cause) => cause.every((part) => kept.includes(part)));

const whole = Array.from({ length: 24 }, (_, i) => i);
const cause = fc.uniqueArray(fc.nat(23), { maxLength: 5 });

test('what is left is exactly one of the causes', () => {
  fc.assert(
    fc.property(fc.array(cause, { minLength: 1, maxLength: 3 }), (causes) => {
      const breaks = breaksWith(causes);
      const { kept } = shrink(whole, breaks, Infinity);
      assert.ok(breaks(kept));
      for (const part of kept) assert.not(breaks(kept.filter((one) => one !== part)));
    }),
  );
});

test('it stops after so many tries, with something that breaks', () => {
  fc.assert(
    fc.property(cause, fc.nat(30), (needed, triesMax) => {
      const breaks = breaksWith([needed]);
      const { kept, tries } = shrink(whole, breaks, triesMax);
      assert.ok(tries <= triesMax);
      assert.ok(breaks(kept));
    }),
  );
});

test.run();
