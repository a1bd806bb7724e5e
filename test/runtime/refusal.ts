/** What a call that must be refused says: a StatusError and nothing else. */
import * as assert from 'uvu/assert';
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';

export function refusal(action: () => unknown): StatusRecord {
  try {
    action();
  } catch (error) {
    assert.instance(error, StatusError);
    return (error as StatusError).status;
  }
  throw new Error('nothing was refused');
}
