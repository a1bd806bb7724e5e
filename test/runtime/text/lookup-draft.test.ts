import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lookupDraft } from '../../../runtime/text/lookup-draft.js';

/** Every ending from the longest on, every earlier place from the latest on. */
function draftByDefinition(ids: readonly number[], limit: number): number[] {
  for (const length of [3, 2, 1]) {
    if (length >= ids.length) continue;
    const ending = ids.slice(-length).join();
    for (let at = ids.length - length - 1; at >= 0; at--) {
      if (ids.slice(at, at + length).join() === ending) {
        return ids.slice(at + length, at + length + limit);
      }
    }
  }
  return [];
}

test('proposes what followed the latest place of the longest ending', () => {
  assert.equal(lookupDraft([1, 2, 3, 9, 8, 1, 2, 3], 4), [9, 8, 1, 2]);
  assert.equal(lookupDraft([7, 3, 5, 3, 6, 3], 2), [6, 3]);
  assert.equal(lookupDraft([1, 2, 3], 4), []);
  assert.equal(lookupDraft([], 4), []);
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 20 }), fc.nat(6), (ids, limit) => {
      assert.equal(lookupDraft(ids, limit), draftByDefinition(ids, limit));
    }),
  );
});

test.run();
