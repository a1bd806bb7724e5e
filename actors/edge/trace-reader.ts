/** Reads a trace file line by line: what it holds, and as a Chrome trace. */
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TraceSummary } from '../../http/serving.js';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import { chromeEvents } from '../../runtime/system/chrome-trace.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import { timeOf } from './recorder-hub.js';
import type { TraceHeader } from './trace-file.js';

export interface TraceFileOptions {
  readonly file: string;
  /** Where to write it in that form; null: nowhere. */
  readonly chromeFile: string | null;
}

interface Trace {
  readonly header: TraceHeader;
  readonly records: readonly SystemRecord[];
  readonly counts: Readonly<Record<string, number>>;
  readonly lost: number;
}

/** What a Chrome trace is made of; a trace holds other lines, too. */
const recordTypes: ReadonlySet<string> = new Set<SystemRecord['type']>([
  'message',
  'transition',
  'unexpected',
  'spawn',
  'stop',
  'asked',
  'deadLetter',
  'work',
  'memory',
]);

export async function readTraceFile({ file, chromeFile }: TraceFileOptions): Promise<TraceSummary> {
  const { header, records, counts, lost } = await readTrace(file);
  if (chromeFile !== null) await writeChrome(records, chromeFile);
  const times = records.map(timeOf);
  const last = times.reduce((left, right) => Math.max(left, right), header.startMs);
  return { seconds: (last - header.startMs) / 1000, lost, counts, threads: header.threads };
}

async function readTrace(file: string): Promise<Trace> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let header: TraceHeader | null = null;
  let lost = 0;
  let number = 0;
  let cut: StatusError | null = null;
  const records: SystemRecord[] = [];
  const counts: Record<string, number> = {};
  try {
    for await (const line of lines) {
      number += 1;
      if (cut !== null) throw cut;
      const value = parsed(line) as { type: string; count?: number } | null;
      if (value === null) {
        const message = `${file}:${number}: not an object of JSON`;
        cut = new StatusError('invalidArgument', message);
        continue;
      }
      if (header === null) {
        header = headerOf(value, file);
        continue;
      }
      counts[value.type] = (counts[value.type] ?? 0) + 1;
      if (value.type === 'lost') lost += value.count ?? 0;
      if (recordTypes.has(value.type)) records.push(value as unknown as SystemRecord);
    }
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new StatusError('notFound', `${file} cannot be read: ${toStatus(error).message}`);
  }
  if (header === null) throw cut ?? noTrace(file);
  // The server ended while it wrote the last line.
  if (cut !== null) lost += 1;
  records.sort((left, right) => timeOf(left) - timeOf(right));
  return { header, records, counts, lost };
}

function headerOf(value: object, file: string): TraceHeader {
  if ((value as Partial<TraceHeader>).loomTrace === 1) return value as TraceHeader;
  throw noTrace(file);
}

function noTrace(file: string): StatusError {
  const expected = '{"loomTrace": 1, …}, as serve --record writes it';
  return new StatusError(
    'invalidArgument',
    `${file} is no trace: its first line must be ${expected}`,
  );
}

function parsed(line: string): object | null {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

async function writeChrome(records: readonly SystemRecord[], file: string): Promise<void> {
  try {
    await pipeline(Readable.from(chromeText(records)), createWriteStream(file));
  } catch (error) {
    const why = toStatus(error).message;
    throw new StatusError('failedPrecondition', `${file} could not be written: ${why}`);
  }
}

/** The text of a Chrome trace in pieces: large ones are longer than one string may be. */
export function* chromeText(records: readonly SystemRecord[]): Iterable<string> {
  yield '{"traceEvents":[\n';
  let separator = '';
  for (const event of chromeEvents(records)) {
    yield separator + JSON.stringify(event);
    separator = ',\n';
  }
  yield '\n]}\n';
}
