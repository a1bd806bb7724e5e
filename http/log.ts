/** The log: pino, one JSON object a line, on standard error: results stay alone on output. */
import pino from 'pino';
import type { Log } from './serving.js';

export function createLog(level: string): Log {
  const destination = pino.destination({ fd: 2, sync: false });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
