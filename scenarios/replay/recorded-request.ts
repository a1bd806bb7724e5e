/** A request as a recording has it: its head, and where in the file its body and answer are. */
import { StatusError } from '../../runtime/base/errors.js';
import type { AnsweredLine, ArrivedLine, BodyLine } from '../../http/traffic/traffic-lines.js';

export interface Place {
  readonly at: number;
  readonly bytes: number;
}

export interface RecordedRequest {
  readonly number: number;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly arrivedMs: number;
  /** When its answer or its client was gone; infinite where the recording does not say. */
  endedMs: number;
  body: Place | null;
  /** Its body is not in the recording, by how many bytes. */
  unkeptBytes: number | null;
  answer: Place | null;
  status: number | null;
  /** An error came inside its stream, or the end did not. */
  isBroken: boolean;
  /** Session that it made. */
  made: string | null;
  /** Its client went: after so many events. */
  left: { readonly atMs: number; readonly events: number } | null;
}

const methodName = /^[A-Z][A-Z-]{0,31}$/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const idShape = /^[\w.:+/=-]{1,128}$/;
const digest = /^[0-9a-f]{64}$/;

/** What is wrong with a line. */
const wrong = (what: string): StatusError => new StatusError('invalidArgument', what);

function requireThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw wrong(what);
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readArrived(line: Partial<ArrivedLine>): RecordedRequest {
  const { request, id, method, path, headers, atMs } = line;
  requireThat(isNumber(request), 'request must be a number');
  requireThat(isNumber(atMs), 'atMs must be a number');
  requireThat(isText(id) && idShape.test(id), 'id must be a plain token');
  requireThat(isText(method) && methodName.test(method), 'method must be one of HTTP');
  requireThat(isText(path) && /^\/[\x21-\x7e\x80-\xff]*$/.test(path), 'path must be one of HTTP');
  requireThat(isRecord(headers), 'headers must be an object');
  for (const [name, value] of Object.entries(headers)) {
    requireThat(headerName.test(name), `headers: ${JSON.stringify(name)} is no name`);
    requireThat(isText(value) && headerValue.test(value), `headers.${name} must be a plain text`);
  }
  return {
    number: request,
    id,
    method,
    path,
    headers,
    arrivedMs: atMs,
    endedMs: Infinity,
    body: null,
    unkeptBytes: null,
    answer: null,
    status: null,
    isBroken: false,
    made: null,
    left: null,
  };
}

/** Why it cannot be played again; null: it can. */
export function unplayable({ unkeptBytes, status, body }: RecordedRequest): string | null {
  if (unkeptBytes !== null) return `its body of ${unkeptBytes} bytes was not kept`;
  if (status === 413 && body === null) return 'its body was too long to be read';
  const isRefused = status === 401 || status === 403;
  return isRefused ? 'it was refused for its secret, and secrets are not kept' : null;
}

/** Takes in what a later line of the same request says. */
export function addLine(of: RecordedRequest, line: Record<string, unknown>, place: Place): void {
  const { atMs } = line;
  requireThat(isNumber(atMs), 'atMs must be a number');
  if (line['type'] === 'body') {
    const { text, base64, bytes } = line as Partial<BodyLine>;
    requireThat(isNumber(bytes), 'bytes must be a number');
    if (isText(text) || isText(base64)) of.body = place;
    else of.unkeptBytes = bytes;
    return;
  }
  of.endedMs = Math.min(of.endedMs, atMs);
  if (line['type'] === 'left') {
    const { events } = line;
    requireThat(isNumber(events), 'events must be a number');
    of.left = { atMs, events };
    return;
  }
  const { status, isBroken, made } = readAnswer(line);
  Object.assign(of, { answer: place, status, isBroken, made: made ?? null });
}

export function readAnswer(line: Record<string, unknown>): AnsweredLine {
  const { status, tracks, made, isBroken } = line;
  requireThat(isNumber(status) && status >= 100 && status < 600, 'status must be one of HTTP');
  requireThat(typeof isBroken === 'boolean', 'isBroken must be true or false');
  requireThat(made === undefined || isText(made), 'made must be the id of a session');
  requireThat(isRecord(tracks), 'tracks must be an object');
  for (const [name, track] of Object.entries(tracks)) {
    const isTrack = isRecord(track) && isNumber(track['length']) && isText(track['head']);
    requireThat(isTrack, `tracks.${name} must have a length and a head`);
    const { sha256, blocks = [] } = track;
    requireThat(isText(sha256) && digest.test(sha256), `tracks.${name}.sha256 must be a digest`);
    requireThat(Array.isArray(blocks) && blocks.every(isText), `tracks.${name}.blocks: digests`);
  }
  return line as unknown as AnsweredLine;
}
