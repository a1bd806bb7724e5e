/**
 * A trace file: JSON lines, a header first, then records. What is broken is said with its line; a
 * last line that was cut short (the server ended while it wrote) is left out and counted as lost.
 */
import { timeOf } from './wire.js';
import type { Chart, Tree, WireRecord } from './wire.js';

export interface Trace {
  readonly header: { readonly loomTrace: number; readonly [field: string]: unknown };
  /** Of the server that recorded it; null when the file has none. */
  readonly charts: readonly Chart[] | null;
  /** The actors that existed when the recording began. */
  readonly tree: Tree | null;
  readonly records: readonly WireRecord[];
  readonly lost: number;
}

const types = new Set([
  'message',
  'transition',
  'unexpected',
  'spawn',
  'stop',
  'deadLetter',
  'work',
  'memory',
]);

export function readTrace(text: string): Trace {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const header = headerOf(lines[0]);
  const records: WireRecord[] = [];
  let lost = 0;
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const record = parse(line);
    if (record === null) {
      if (index < lines.length - 1) throw new Error(`line ${index + 1} of the trace is not JSON`);
      lost += 1;
    } else if (types.has((record as WireRecord).type)) {
      records.push(record as WireRecord);
    } else if ((record as { type?: unknown }).type === 'lost') {
      lost += (record as { count: number }).count;
    }
  }
  return {
    header,
    charts: (header.charts as readonly Chart[] | undefined) ?? null,
    tree: (header.tree as Tree | undefined) ?? null,
    records: inOrder(records),
    lost,
  };
}

function headerOf(line: string | undefined): Trace['header'] {
  const header = line === undefined ? null : parse(line);
  if (header === null || typeof (header as Trace['header']).loomTrace !== 'number') {
    throw new Error('this is no trace: the first line has no "loomTrace"');
  }
  const { loomTrace } = header as Trace['header'];
  if (loomTrace !== 1) {
    throw new Error(`a trace of version ${loomTrace}; this console reads version 1`);
  }
  return header as Trace['header'];
}

function parse(line: string): object | null {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** By time; threads write in turn, each in its own order, which stays where times are the same. */
const inOrder = (records: WireRecord[]): WireRecord[] =>
  records.sort((left, right) => timeOf(left) - timeOf(right));
