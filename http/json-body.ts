/**
 * Reads a request body as JSON without trusting it: at most `--max-body` bytes are ever held, bytes
 * must be UTF-8, nesting is bounded (later readers may recurse) as are lists and objects, before
 * they are built, and every failure says what was wrong. Of a key given twice the last value
 * counts, as in JavaScript and Python.
 */
import { HttpFault } from './errors.js';
import { scanJson, type JsonBounds } from './json-scan.js';
import type { Exchange } from './traffic/traffic-recorder.js';
import { StatusError } from '../runtime/base/errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface JsonLimits {
  /** Elements of the lists that the document holds; null: as many as there are. */
  readonly lists: JsonBounds | null;
  /** Told the bytes of the body when it has come whole. */
  readonly exchange: Exchange | null;
}

export interface BodyLimits extends JsonLimits {
  readonly bodyBytesMax: number;
}

export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  return parseBody(await readBody(request, limits.bodyBytesMax), limits);
}

/** A body that has come whole, as JSON. */
export function parseBody(bytes: Uint8Array, { lists, exchange }: JsonLimits): unknown {
  exchange?.body(bytes);
  if (bytes.byteLength === 0) {
    throw new StatusError('invalidArgument', 'the body is empty; a JSON object is expected');
  }
  const text = decodeUtf8(bytes);
  scanJson(text, lists);
  return parseJson(text);
}

/** Bodies are taken as they are: unpacking one would need limits of its own. */
function requirePlain(encoding: string | null): void {
  if (encoding === null || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new HttpFault(
    415,
    'unsupported_encoding',
    `the content-encoding header says ${JSON.stringify(encoding.slice(0, 64))}; bodies are taken ` +
      'without one, send it as plain JSON',
    { headers: { 'accept-encoding': 'identity' } },
  );
}

/** At most `bodyBytesMax` bytes. */
export async function readBody(request: Request, bodyBytesMax: number): Promise<Uint8Array> {
  requirePlain(request.headers.get('content-encoding'));
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > bodyBytesMax) throw tooLarge(bodyBytesMax, declared);
    const bytes = new Uint8Array(await request.arrayBuffer());
    // Without a socket nothing holds the sender to the length that it declared.
    if (bytes.byteLength > bodyBytesMax) throw tooLarge(bodyBytesMax, String(bytes.byteLength));
    return bytes;
  }
  return readStream(request, bodyBytesMax);
}

/** A chunked body: counted as it arrives, given up as soon as it is too long. */
async function readStream(request: Request, bodyBytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (request.body === null) return new Uint8Array(0);
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > bodyBytesMax) throw tooLarge(bodyBytesMax, `more than ${bodyBytesMax}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(bodyBytesMax: number, asked: string): HttpFault {
  return new HttpFault(
    413,
    'body_too_large',
    `the body has ${asked} bytes, the limit is ${bodyBytesMax}; raise it with --max-body BYTES`,
  );
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StatusError('invalidArgument', 'the body is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StatusError('invalidArgument', `the body is not valid JSON: ${reason}`);
  }
}
