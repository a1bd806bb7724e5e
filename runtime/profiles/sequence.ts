/**
 * The profile of known-token sequences: rows to which ids are appended, and whose output is
 * captured instead of a token being chosen. It differs from text in its entries alone.
 */
import type { Profile } from './profile.js';
import { captureEntry, rowEntries } from './text-entries.js';

export const sequence: Profile = {
  name: 'sequence',
  contract: 'text',
  route: '/v1/sequences',
  acceptable: [],
  entries: [...rowEntries, captureEntry],
};
