/**
 * A retained row as bytes, to be kept outside and taken up again by the same package with the same
 * geometry: ids, how many of them are computed, the pages and the state. Everything is checked
 * before any of it is given back; a checksum over all finds what was cut, changed or mixed up.
 *
 * Layout, little-endian: 8 bytes of magic; u32 length of a JSON header; the header; i32 ids; pages
 * in order; the state; 32 bytes of SHA-256 over everything before them.
 */
import { createHash } from 'node:crypto';
import { StatusError } from '../base/errors.js';
import type { TextGeometry } from '../profiles/text.js';

const magic = new TextEncoder().encode('loomrow1');
const HEADER_MAX = 4096;
const CHECKSUM_BYTES = 32;

export interface RowImage {
  readonly ids: readonly number[];
  /** Tokens that pages and state hold. */
  readonly done: number;
  /** Pages from position 0 to the last computed token, one after the other. */
  readonly pages: Uint8Array;
  /** Empty where no states are kept. */
  readonly state: Uint8Array;
}

/** What an image must agree with to be taken up. */
export interface ImageTarget {
  /** What the contents depend on: package, programs, weights. */
  readonly identity: string;
  readonly geometry: TextGeometry;
}

/** What decides how contents lie in pages and states. */
function fingerprintOf({ identity, geometry }: ImageTarget): Readonly<Record<string, unknown>> {
  const { pageTokens, pageBytes, stateBytes, vocabulary } = geometry;
  return { identity, pageTokens, pageBytes, stateBytes, vocabulary };
}

export function writeRowImage(image: RowImage, target: ImageTarget): Uint8Array {
  const { ids, done, pages, state } = image;
  const counts = { tokens: ids.length, done };
  const header = new TextEncoder().encode(JSON.stringify({ ...fingerprintOf(target), ...counts }));
  const sizes = sizesOf(counts, target.geometry);
  checkSize('pages', pages.length, sizes.pages);
  checkSize('state', state.length, sizes.state);
  const length = magic.length + 4 + header.length + sizes.ids + sizes.pages + sizes.state;
  const bytes = new Uint8Array(length + CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(magic);
  view.setUint32(magic.length, header.length, true);
  let at = magic.length + 4;
  bytes.set(header, at);
  at += header.length;
  for (const id of ids) {
    view.setInt32(at, id, true);
    at += 4;
  }
  bytes.set(pages, at);
  bytes.set(state, at + pages.length);
  bytes.set(checksumOf(bytes.subarray(0, length)), length);
  return bytes;
}

/** Raises `dataLoss` for damaged bytes, `failedPrecondition` for an image of something else. */
export function readRowImage(bytes: Uint8Array, target: ImageTarget): RowImage {
  const end = bytes.length - CHECKSUM_BYTES;
  const isImage = end >= magic.length + 4 && magic.every((byte, index) => bytes[index] === byte);
  if (!isImage) throw damaged(`${bytes.length} bytes that do not begin as one`);
  const kept = bytes.subarray(end);
  if (!checksumOf(bytes.subarray(0, end)).every((byte, index) => byte === kept[index])) {
    throw damaged(`its ${bytes.length} bytes do not agree with their checksum`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  const headerBytes = view.getUint32(magic.length, true);
  let at = magic.length + 4;
  if (headerBytes > Math.min(HEADER_MAX, end - at)) {
    throw damaged(`a header of ${headerBytes} bytes`);
  }
  const header = headerOf(bytes.subarray(at, at + headerBytes));
  at += headerBytes;
  checkFingerprint(header, target);
  const counts = checkCounts(header, target.geometry);
  const sizes = sizesOf(counts, target.geometry);
  checkSize('ids, pages and state', end - at, sizes.ids + sizes.pages + sizes.state);
  const ids = Array.from({ length: counts.tokens }, (_, i) => view.getInt32(at + 4 * i, true));
  checkIds(ids, target.geometry);
  const pages = bytes.slice(at + sizes.ids, at + sizes.ids + sizes.pages);
  return { ids, done: counts.done, pages, state: bytes.slice(end - sizes.state, end) };
}

interface Counts {
  readonly tokens: number;
  readonly done: number;
}

function sizesOf(
  { tokens, done }: Counts,
  { pageTokens, pageBytes, stateBytes }: TextGeometry,
): { readonly ids: number; readonly pages: number; readonly state: number } {
  return { ids: 4 * tokens, pages: Math.ceil(done / pageTokens) * pageBytes, state: stateBytes };
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

function headerOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below, as any other header that is none.
  }
  throw damaged('its header is no JSON object');
}

function checkFingerprint(header: Readonly<Record<string, unknown>>, target: ImageTarget): void {
  for (const [name, wanted] of Object.entries(fingerprintOf(target))) {
    if (header[name] === wanted) continue;
    throw new StatusError(
      'failedPrecondition',
      `the saved row is of another model: its ${name} is ${JSON.stringify(header[name])},` +
        ` and here it is ${JSON.stringify(wanted)}`,
    );
  }
}

function checkCounts(
  { tokens, done }: Readonly<Record<string, unknown>>,
  { context }: TextGeometry,
): Counts {
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
  if (!isCount(tokens) || !isCount(done) || done < 0 || tokens < done) {
    throw damaged(`${JSON.stringify(done)} computed of ${JSON.stringify(tokens)} tokens`);
  }
  if (tokens <= context) return { tokens, done };
  throw new StatusError(
    'outOfRange',
    `the saved row has ${tokens} tokens; this model holds at most ${context} (the context that its` +
      ` package's 'prepare' gives)`,
  );
}

function checkIds(ids: readonly number[], { vocabulary }: TextGeometry): void {
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabulary);
  if (wrong >= 0) throw damaged(`token ${wrong} is ${ids[wrong]}; ids are below ${vocabulary}`);
}

function checkSize(what: string, length: number, wanted: number): void {
  if (length !== wanted) throw damaged(`${length} bytes of ${what} instead of ${wanted}`);
}

function damaged(why: string): StatusError {
  return new StatusError('dataLoss', `the saved row cannot be used: ${why}`);
}
