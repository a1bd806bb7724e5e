/**
 * The log, on standard error: results stay alone on output. One JSON object a line (pino), or text
 * for people where a terminal shows it.
 */
import pc from 'picocolors';
import pino from 'pino';
import type { Log } from './serving.js';

export type LogFormat = 'json' | 'text';

export function createLog(level: string, format: LogFormat): Log {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { level, base: null, timestamp };
  if (format === 'json') return pino(options, pino.destination({ fd: 2, sync: false }));
  // A bar may stand in the line: it is drawn anew with its next step.
  const write = (line: string): void => {
    process.stderr.write(`${CLEAR_LINE}${logText(JSON.parse(line) as LogRecord)}\n`);
  };
  return pino(options, { write });
}

const CLEAR_LINE = '\r\u001b[K';

interface LogRecord {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const levels: readonly (readonly [
  least: number,
  name: string,
  colour: (text: string) => string,
])[] = [
  [50, 'error', pc.red],
  [40, 'warn', pc.yellow],
  [30, 'info', pc.green],
  [0, 'debug', pc.dim],
];

/** `11:43:39 info  GET /v1/models 200  elapsedMs=1.2 requestId=req-1`; stacks are left to JSON. */
export function logText(record: LogRecord): string {
  const { level, time, msg, stack: _, ...fields } = record;
  const [, name, colour] = levels.find(([least]) => level >= least) ?? levels.at(-1)!;
  const rest = Object.entries(fields).map(([field, value]) => `${field}=${valueText(value)}`);
  const tail = rest.length === 0 ? '' : `  ${pc.dim(rest.join(' '))}`;
  return `${pc.dim(time.slice(11, 19))} ${colour(name.padEnd(5))} ${msg}${tail}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
