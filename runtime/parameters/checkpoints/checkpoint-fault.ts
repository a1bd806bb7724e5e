/** The one form of every complaint about a checkpoint: file, place in it, expected, found. */
import { StatusError } from '../../base/errors.js';

/** Names come from the file and may be of any length and content. */
const quotedLengthMax = 120;

export interface Mismatch {
  /** What of the file: `header`, or what `tensorPlace` says. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

export function checkpointFault(file: string, { place, expected, found }: Mismatch): StatusError {
  return new StatusError(
    'invalidArgument',
    `${file}: ${place}: expected ${expected}, found ${found}`,
    { where: file },
  );
}

export const tensorPlace = (name: string): string => `tensor ${quoted(name)}`;

/** A name as it may be shown: control characters escaped, cut where it is too long. */
export function quoted(name: string): string {
  const shown = JSON.stringify(name.slice(0, quotedLengthMax + 1));
  return shown.length <= quotedLengthMax ? shown : `${shown.slice(0, quotedLengthMax - 2)}…"`;
}
