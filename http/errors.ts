/**
 * The one table from status codes to HTTP, and the body that every error has:
 * `{"error": {message, type, param, code, details?}}`. Types are those that OpenAI clients know.
 * What only HTTP can get wrong (a body that is too large, a missing token) is an `HttpFault`, which
 * names its own status; everything else arrives as a `StatusError` from the routes or the server.
 */
import { StatusError, toStatus } from '../runtime/base/errors.js';
import type { StatusCode, StatusOptions, StatusRecord } from '../runtime/base/errors.js';

export interface StatusRow {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  /** Seconds for `Retry-After` where the error itself says none. */
  readonly retryAfterS?: number;
}

export const statusTable: Readonly<Record<StatusCode, StatusRow>> = {
  invalidArgument: { status: 400, type: 'invalid_request_error', code: 'invalid_argument' },
  outOfRange: { status: 400, type: 'invalid_request_error', code: 'out_of_range' },
  permissionDenied: { status: 403, type: 'permission_error', code: 'permission_denied' },
  notFound: { status: 404, type: 'invalid_request_error', code: 'not_found' },
  // What was there once and does not come back: a session of a thread that died.
  gone: { status: 410, type: 'invalid_request_error', code: 'gone' },
  alreadyExists: { status: 409, type: 'invalid_request_error', code: 'already_exists' },
  failedPrecondition: { status: 409, type: 'invalid_request_error', code: 'failed_precondition' },
  resourceExhausted: {
    status: 429,
    type: 'rate_limit_error',
    code: 'resource_exhausted',
    retryAfterS: 1,
  },
  // What proxies log for a client that left; it never reads this answer.
  cancelled: { status: 499, type: 'invalid_request_error', code: 'cancelled' },
  internal: { status: 500, type: 'server_error', code: 'internal' },
  dataLoss: { status: 500, type: 'server_error', code: 'data_loss' },
  unimplemented: { status: 501, type: 'server_error', code: 'unimplemented' },
  unavailable: { status: 503, type: 'server_error', code: 'unavailable', retryAfterS: 1 },
  deadlineExceeded: { status: 504, type: 'timeout_error', code: 'deadline_exceeded' },
};

/** A mistake of the HTTP exchange itself; `status` replaces the row's. */
export class HttpFault extends StatusError {
  readonly httpStatus: number;
  readonly httpCode: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    httpStatus: number,
    httpCode: string,
    message: string,
    options: StatusOptions & { headers?: Readonly<Record<string, string>> } = {},
  ) {
    const { headers, ...status } = options;
    super('invalidArgument', message, status);
    this.httpStatus = httpStatus;
    this.httpCode = httpCode;
    this.headers = headers ?? {};
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly details?: readonly string[];
  };
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** A limit that no later try can meet is not the client's pace: a program out of fuel, say. */
function rowOf({ code, retryAfterS }: StatusRecord): StatusRow {
  if (code !== 'resourceExhausted' || retryAfterS !== undefined) return statusTable[code];
  return { status: 500, type: 'server_error', code: 'resource_exhausted' };
}

/** Any thrown value as an answer. What is not a `StatusError` is a bug: 500, and its message. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  const record = toStatus(thrown);
  const row = rowOf(record);
  const fault = thrown instanceof HttpFault ? thrown : null;
  const status = fault?.httpStatus ?? row.status;
  return {
    status,
    headers: { ...retryAfter(status, record, row), ...fault?.headers },
    body: {
      error: {
        message: messageOf(record),
        type: row.type,
        param: record.param ?? null,
        code: fault?.httpCode ?? codeOf(record, row),
        ...(record.details === undefined ? {} : { details: record.details }),
      },
    },
  };
}

function retryAfter(status: number, record: StatusRecord, row: StatusRow): Record<string, string> {
  const seconds = record.retryAfterS ?? row.retryAfterS;
  if (seconds === undefined || (status !== 429 && status !== 503)) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(seconds))) };
}

/** The place is part of the message unless it already starts it, as with diagnostics. */
function messageOf(record: StatusRecord): string {
  const isProgramPlace = record.where !== undefined && !record.where.startsWith('at ');
  if (!isProgramPlace || record.message.includes(record.where)) return record.message;
  return `${record.message} (${record.where})`;
}

function codeOf(record: StatusRecord, row: StatusRow): string {
  if (record.reason !== undefined) return record.reason;
  // The code that clients of OpenAI's servers look for.
  return record.code === 'notFound' && record.param === 'model' ? 'model_not_found' : row.code;
}
