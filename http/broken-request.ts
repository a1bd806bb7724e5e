/**
 * Answers to what reaches no route: bytes that are no HTTP, heads that the adapter cannot turn into
 * a request, too many requests on one connection. They have the body of every other error, whatever
 * version of HTTP was spoken.
 */
import { RequestError, type HttpBindings } from '@hono/node-server';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError } from '../runtime/base/errors.js';
import { errorAnswer, HttpFault } from './errors.js';

/** What a client may take to send a request, for the message. */
export interface ArrivalTimes {
  readonly headersMs: number;
  readonly bodyMs: number;
}

/** An answer outside of any route. */
export function plainAnswer(thrown: unknown): Response {
  const { status, headers, body } = errorAnswer(thrown);
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  });
}

/** The adapter's refusal of a head, or an error that no route caught. */
export function refusedRequest(error: unknown): Response {
  if (!(error instanceof RequestError)) return plainAnswer(error);
  return plainAnswer(
    new HttpFault(400, 'malformed_request', `the request cannot be read: ${error.message}`),
  );
}

/** HTTP/1.1 asks for a Host; before it there was none. */
export function hostMissing({ incoming }: HttpBindings): HttpFault | null {
  if (incoming.headers.host !== undefined || incoming.httpVersion === '1.0') return null;
  return new HttpFault(400, 'malformed_request', 'the request has no Host header');
}

export function tooManyOpen(count: number, limit: number): StatusError {
  return new StatusError(
    'resourceExhausted',
    `the connection has ${count} open requests; at most ${limit} may be pipelined`,
    { retryAfterS: 1 },
  );
}

/** What is no request is answered here, and the connection ends. */
export function answerBroken(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  times: ArrivalTimes,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = errorAnswer(brokenRequest(error, times));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

function brokenRequest(error: NodeJS.ErrnoException, times: ArrivalTimes): HttpFault {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpFault(
      408,
      'request_timeout',
      `the request did not arrive in time: its headers may take ${times.headersMs / 1000} s ` +
        `(--header-timeout), its body ${times.bodyMs / 1000} s (--request-timeout)`,
    );
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `the headers have more than ${maxHeaderSize} bytes`;
    return new HttpFault(431, 'headers_too_large', message);
  }
  return new HttpFault(400, 'malformed_request', `this is no HTTP request: ${error.message}`);
}
