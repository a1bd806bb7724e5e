/**
 * Errors of running programs. A `ProgramFault` says what went wrong and is thrown where no position
 * is known (heap, numbers, capabilities); the executor turns it into a `ProgramError`, which tells
 * the function, the position and the calls that led there. `reject` and bad values of a caller are
 * invalidArgument, spent limits resourceExhausted, everything else internal.
 */
import { StatusError, type StatusCode, type StatusOptions } from '../base/errors.js';
import type { Site } from '../loom/typed.js';
import { columnOf, lineOf } from '../loom/tree.js';
import { MESSAGE_BYTES_MAX } from './memory-map.js';

export class ProgramFault extends Error {
  readonly code: StatusCode;

  constructor(code: StatusCode, message: string) {
    super(message);
    this.name = 'ProgramFault';
    this.code = code;
  }
}

/** A call on the stack of a program: the function and where in it control was. */
export interface ProgramFrame {
  readonly func: string;
  readonly position: string;
}

export class ProgramError extends StatusError {
  /** Innermost first. */
  readonly frames: readonly ProgramFrame[];
  /** What happened, without position. */
  readonly reason: string;

  constructor(
    code: StatusCode,
    reason: string,
    frames: readonly ProgramFrame[],
    options: StatusOptions = {},
  ) {
    const at = frames[0];
    const where = at ? `${at.func} (${at.position})` : undefined;
    super(code, where ? `${where}: ${reason}` : reason, {
      where: at?.position,
      details: frames.slice(1).map(({ func, position }) => `called from ${func} (${position})`),
      ...options,
    });
    this.name = 'ProgramError';
    this.frames = frames;
    this.reason = reason;
  }
}

/** `file:line:column` of a site of a program. */
export function positionOf(files: readonly string[], site: Site): string {
  const at = site % 2 ** 32;
  const file = files[Math.floor(site / 2 ** 32)] ?? '?';
  return `${file}:${lineOf(at)}:${columnOf(at)}`;
}

/**
 * The platform's stack may end before the limit of calls does: deep recursion through large
 * expressions. Null where the error is another one.
 */
function stackFault(error: unknown): ProgramFault | null {
  if (!(error instanceof RangeError) || !error.message.includes('call stack')) return null;
  return new ProgramFault(
    'resourceExhausted',
    'calls and expressions are nested deeper than the stack of the thread allows',
  );
}

/** Adds the frame where `error` surfaced. Errors of capabilities keep their code and options. */
export function withFrame(error: unknown, frame: ProgramFrame): unknown {
  if (error instanceof ProgramError) {
    const { code, message: _, where: __, details: ___, ...options } = error.status;
    // The innermost frames tell most; a deep recursion repeats itself.
    if (error.frames.length >= 32) return error;
    return new ProgramError(code, error.reason, [...error.frames, frame], options);
  }
  if (error instanceof ProgramFault) return new ProgramError(error.code, error.message, [frame]);
  if (error instanceof StatusError) {
    const { code, message, where: _, ...options } = error.status;
    return new ProgramError(code, message, [frame], options);
  }
  const fault = stackFault(error);
  return fault === null ? error : new ProgramError(fault.code, fault.message, [frame]);
}

/** `reject` and `fail` of a program. Messages longer than the limit are cut at a character. */
export function raised(kind: 'reject' | 'fail', message: string): ProgramFault {
  return new ProgramFault(kind === 'reject' ? 'invalidArgument' : 'internal', cutMessage(message));
}

function cutMessage(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MESSAGE_BYTES_MAX) return message;
  const text = new TextDecoder().decode(bytes.subarray(0, MESSAGE_BYTES_MAX - 3));
  return `${text.replace(/\uFFFD+$/, '')}…`;
}
