/**
 * Errors of operations. A bug is an `assert` (it ends the actor); anything that a caller, a package
 * or a device may cause is a `StatusError` with a code from the closed set below. HTTP maps codes
 * to statuses in one table; threads carry an error as its plain `StatusRecord`.
 */

export const statusCodes = [
  'invalidArgument',
  'notFound',
  'gone',
  'alreadyExists',
  'failedPrecondition',
  'outOfRange',
  'resourceExhausted',
  'cancelled',
  'deadlineExceeded',
  'unavailable',
  'dataLoss',
  'unimplemented',
  'permissionDenied',
  'internal',
] as const;

export type StatusCode = (typeof statusCodes)[number];

/** A structured-clone safe form of an error: what crosses threads and what is recorded. */
export interface StatusRecord {
  readonly code: StatusCode;
  readonly message: string;
  /** Where it arose: a program position, a file, an actor address. */
  readonly where?: string;
  /** The request field at fault, for `error.param` of HTTP answers. */
  readonly param?: string;
  /** A narrower code, where clients know one: `error.code` of HTTP answers. */
  readonly reason?: string;
  /** Rendered diagnostics of programs (file, line, column, caret), one a line group. */
  readonly details?: readonly string[];
  readonly cause?: StatusRecord;
  /** Seconds after which a retry may succeed. */
  readonly retryAfterS?: number;
}

export type StatusOptions = Omit<StatusRecord, 'code' | 'message'>;

export class StatusError extends Error {
  readonly code: StatusCode;
  readonly status: StatusRecord;

  constructor(code: StatusCode, message: string, options: StatusOptions = {}) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.status = { code, message, ...options };
  }

  static from(record: StatusRecord): StatusError {
    const { code, message, ...options } = record;
    return new StatusError(code, message, options);
  }
}

/** Any thrown value as a record; what is not a StatusError is `internal` and keeps its message. */
export function toStatus(error: unknown): StatusRecord {
  if (error instanceof StatusError) return error.status;
  if (error instanceof Error) {
    return { code: 'internal', message: error.message, where: firstFrame(error) };
  }
  return { code: 'internal', message: String(error) };
}

function firstFrame(error: Error): string | undefined {
  return error.stack
    ?.split('\n')
    .find((line) => line.trimStart().startsWith('at '))
    ?.trim();
}

/** Asserts a property that only a bug can break. The message says what was expected. */
export function assert(condition: unknown, expected: string): asserts condition {
  if (!condition) throw new Error(`expected ${expected}. This is a bug.`);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}. This is a bug.`);
}
