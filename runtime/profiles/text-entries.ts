/**
 * The entries that a package with retained rows exports, with exact signatures. What they take and
 * give is in README.md in this folder; the checks of what they give are in the files beside it.
 */
import type { EntrySignature } from './profile.js';

const control = (
  name: string,
  params: readonly string[],
  results: readonly string[],
): EntrySignature => ({ program: 'control', name, params, results });

const buffers = (count: number): readonly string[] => Array.from({ length: count }, () => 'buffer');
const places = (count: number): readonly string[] =>
  Array.from({ length: count }, () => 'hal.buffer');

/** What text and sequences have in common. */
export const rowEntries: readonly EntrySignature[] = [
  {
    program: 'prepare',
    name: 'prepare',
    params: ['string', 'ref'],
    results: ['i64', 'i64', 'i64', 'i64', ...buffers(3), 'string', 'ref'],
  },
  control('request_defaults', ['ref'], ['buffer']),
  control('request_options', ['ref', 'buffer'], ['buffer']),
  control('bind_request', ['ref', 'buffer'], ['buffer', 'i64']),
  control('encode_state', ['ref'], ['buffer']),
  control('encode_epoch', ['ref', 'i64', ...buffers(7)], ['i64', 'buffer', 'i64', 'i64']),
  control('epoch', ['i64', 'i64', ...places(5)], []),
  control('publish_epoch', ['ref', 'i64', 'buffer', 'buffer'], ['buffer', 'buffer']),
];

export const promptEntry = control('prompt_ids', ['ref', 'buffer'], ['buffer']);

export const captureEntry = control('capture_epoch', ['ref', 'i64', 'i64', 'buffer'], ['buffer']);

/** Of text; a package may do without. */
export const draftEntry = control('draft', ['ref', 'buffer', 'i64'], ['buffer']);
export const answerEntry = control('answer_chat', ['ref', 'buffer'], ['buffer']);
export const callFormEntry = control('call_form', ['ref'], ['buffer']);
