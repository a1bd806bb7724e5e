/** A failed item always says why: errors with frames keep their message, diagnostics theirs. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { failureLines } from '../../../runtime/packages/check-item.js';

test('a message is told whether or not there are details', () => {
  const plain = new StatusError('internal', 'boom');
  assert.equal(failureLines(plain), ['boom']);
  assert.equal(failureLines(new StatusError('internal', 'boom', { details: [] })), ['boom']);
  const called = new StatusError('internal', 'boom', { details: ['called from f'] });
  assert.equal(failureLines(called), ['boom', 'called from f']);
});

test('diagnostics that repeat the message are told once', () => {
  const details = ['a.loom:1:2: unknown name', '  | x', 'b.loom:3:4: other'];
  const error = new StatusError('invalidArgument', 'a.loom:1:2: unknown name', { details });
  assert.equal(failureLines(error), details);
});

test.run();
