/**
 * A recording, as far as its traffic goes: read once for what it holds, in memory that grows with
 * the number of its requests and not with their bodies, which are read again when they are due.
 *
 * Holds: a file whose end is missing is read as far as it goes, and that is said. Whatever else is
 * wrong with it is an error with its line.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import type {
  AnsweredLine,
  BodyLine,
  PackageLine,
  ServerLine,
  ServerSettings,
} from '../../http/traffic/traffic-lines.js';
import { defaultLimits } from '../../http/services.js';
import { lineAt, linesOf, type FileLine } from './line-reader.js';
import { addLine, readAnswer, readArrived, type RecordedRequest } from './recorded-request.js';

const REQUESTS_MAX = 500_000;
const PACKAGES_MAX = 1_000;
/** A month: timers bear no more. */
const SPAN_MS_MAX = 31 * 24 * 3_600_000;

const defaults: ServerSettings = {
  device: 'local',
  otherDevices: [],
  threads: null,
  modelThreads: 1,
  memoryBytes: null,
  parameterRoots: [],
  packageRoots: [],
  cacheDir: null,
  sessionDir: null,
  queueMax: 4096,
  sessionIdleMs: 600_000,
  evictedSessions: 'replay',
  ...defaultLimits,
};

/** What a line of each type is begun with; recorders write the type first. */
const ours = /^\{"type":"(server|package|arrived|body|answered|left|lost)"/;
const others = /^\{.*\}$/s;

export class Recording {
  readonly requests: RecordedRequest[] = [];
  readonly packages: PackageLine[] = [];
  readonly warnings: string[] = [];
  settings: ServerSettings = defaults;
  startMs = 0;
  wallTimeMs = 0;
  readonly file: string;
  readonly #byNumber = new Map<number, RecordedRequest>();
  #handle: FileHandle | null = null;
  #hasHeader = false;
  #lost = 0;
  #unread = 0;

  private constructor(file: string) {
    this.file = file;
  }

  static async read(file: string): Promise<Recording> {
    const recording = new Recording(file);
    for await (const line of linesOf(file)) recording.#take(line);
    recording.#finish();
    recording.#handle = await open(file);
    return recording;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Null where it has none. */
  async bodyOf({ body }: RecordedRequest): Promise<Uint8Array | null> {
    if (body === null) return null;
    const { text, base64 } = JSON.parse(await lineAt(this.#handle!, body)) as BodyLine;
    return text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
  }

  async answerOf({ answer }: RecordedRequest): Promise<AnsweredLine | null> {
    if (answer === null) return null;
    return readAnswer(JSON.parse(await lineAt(this.#handle!, answer)) as Record<string, unknown>);
  }

  #take(line: FileLine): void {
    const { text, number, isCut } = line;
    if (number === 1) return this.#header(text);
    const isOurs = ours.test(text);
    if (!isOurs && (others.test(text) || text.trim() === '')) return;
    const value = isOurs ? parsed(text) : null;
    if (value === null) {
      if (!isCut) throw this.#wrong(number, 'not an object of JSON');
      this.warnings.push('the last line was cut off: the server ended while it wrote it');
      return;
    }
    try {
      this.#add(value, line);
    } catch (error) {
      throw this.#wrong(number, toStatus(error).message);
    }
  }

  #wrong(number: number, what: string): StatusError {
    return new StatusError('invalidArgument', `${this.file}:${number}: ${what}`);
  }

  #header(text: string): void {
    const { loomTrace, startMs, wallTimeMs } = (parsed(text) ?? {}) as Record<string, unknown>;
    if (loomTrace !== 1 || typeof startMs !== 'number' || typeof wallTimeMs !== 'number') {
      const expected = '{"loomTrace": 1, …}, as serve --record writes it';
      throw this.#wrong(1, `no recording: its first line must be ${expected}`);
    }
    this.#hasHeader = true;
    this.startMs = startMs;
    this.wallTimeMs = wallTimeMs;
  }

  #add(value: Record<string, unknown>, line: FileLine): void {
    const { type } = value;
    if (type === 'lost') this.#lost += Number(value['lines'] ?? 0);
    else if (type === 'server') this.settings = settingsOf(value as unknown as ServerLine);
    else if (type === 'package') this.#addPackage(value as unknown as PackageLine);
    else if (type === 'arrived') this.#arrived(readArrived(value));
    else {
      const of = this.#byNumber.get(Number(value['request']));
      if (of !== undefined) addLine(of, value, { at: line.at, bytes: line.bytes });
      else if (this.#unread === 0) throw new StatusError('invalidArgument', 'of no request');
    }
  }

  #addPackage(line: PackageLine): void {
    const { id, body } = line;
    const isNamed = typeof id === 'string' && typeof body === 'object' && body !== null;
    if (!isNamed) throw new StatusError('invalidArgument', 'a package needs an id and a body');
    if (this.packages.length < PACKAGES_MAX) this.packages.push(line);
  }

  #arrived(request: RecordedRequest): void {
    if (this.requests.length >= REQUESTS_MAX) return void (this.#unread += 1);
    if (this.#byNumber.has(request.number)) {
      throw new StatusError('invalidArgument', `request ${request.number} arrives twice`);
    }
    this.#byNumber.set(request.number, request);
    this.requests.push(request);
  }

  #finish(): void {
    if (!this.#hasHeader) throw this.#wrong(1, 'no recording: it is empty');
    this.requests.sort((left, right) => left.arrivedMs - right.arrivedMs);
    // Their files were read in between, for longer or shorter.
    this.packages.sort((left, right) => left.atMs - right.atMs);
    const spanMs = (this.requests.at(-1)?.arrivedMs ?? 0) - (this.requests[0]?.arrivedMs ?? 0);
    if (spanMs > SPAN_MS_MAX) {
      throw this.#wrong(
        1,
        `its requests come within ${spanMs} ms, at most ${SPAN_MS_MAX} are played`,
      );
    }
    if (this.requests.length === 0) {
      this.warnings.push('there is no traffic in it; serve --record keeps some, the console none');
    }
    if (this.#lost > 0) {
      this.warnings.push(`${this.#lost} lines of traffic were lost to a slow disk`);
    }
    if (this.#unread > 0) {
      this.warnings.push(`${this.#unread} requests beyond ${REQUESTS_MAX} are left out`);
    }
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Most that is taken over of what would cost threads. */
const most: Readonly<Record<string, number>> = { threads: 256, modelThreads: 64 };

/** Known options of the right kind; the rest is at its default. */
function settingsOf({ options }: ServerLine): ServerSettings {
  const given = (parts(options) ? options : {}) as unknown as Record<string, unknown>;
  const entries = Object.entries(defaults).map(([name, usual]) => {
    const value = given[name];
    return [name, isKind(name, value, usual) ? value : usual];
  });
  return Object.fromEntries(entries) as unknown as ServerSettings;
}

const parts = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Where nothing is usual a name or a number may be said. */
function isKind(name: string, value: unknown, usual: unknown): boolean {
  if (typeof value === 'number') {
    const isCount = Number.isSafeInteger(value) && value > 0 && value <= (most[name] ?? Infinity);
    return isCount && (usual === null || typeof usual === 'number');
  }
  if (usual === null) return value === null || typeof value === 'string';
  if (Array.isArray(usual)) return Array.isArray(value) && value.every((one) => isPart(one));
  return typeof value === typeof usual;
}

/** A folder, or a device with its budget. */
const isPart = (value: unknown): boolean =>
  typeof value === 'string' || typeof (value as { name?: unknown } | null)?.name === 'string';
