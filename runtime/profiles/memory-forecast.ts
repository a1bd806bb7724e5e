/**
 * The estimate of a request's memory that a package may give before anything of it is prepared: the
 * control entry that `prepare.memory_forecast` names, what it is given, and what is made of its
 * answer. It refuses what can never fit; it reserves nothing.
 *
 *   forecast(state: ref, ranges: buffer, descriptors: buffer)
 *     -> (private_peak i64, retained i64, expanded i64)
 *
 * `ranges` has an i64 offset and an i64 length for each member: where its header lies in
 * `descriptors`. A header is i64 kind and i64 byte length of each record, in order, no payload.
 */
import { type StatusRecord } from '../base/errors.js';
import type { FiniteBody } from './finite-request.js';
import { frameOf, memberCount } from './finite-request.js';
import type { EntrySignature } from './profile.js';
import { exactNumber, invalidReturn, tableBytes } from './record-table.js';
import { payloadBytes, recordKind } from './request-packet.js';

/** The entry, which has whatever name the package gives it. */
export const forecastEntry = (name: string): EntrySignature => ({
  program: 'control',
  name,
  params: ['ref', 'buffer', 'buffer'],
  results: ['i64', 'i64', 'i64'],
});

/** Bytes of device memory. */
export interface MemoryForecast {
  /** The most that its programs hold at once: parameters, staging, inputs, workspace. */
  readonly privatePeak: number;
  /** Output that outlives them. */
  readonly retained: number;
  /** Rows of it that are gathered for others. */
  readonly expanded: number;
}

export interface ForecastInput {
  readonly ranges: Uint8Array;
  readonly descriptors: Uint8Array;
}

/** Headers of all members of a request, in order. */
export function forecastInput(body: FiniteBody): ForecastInput {
  const headers: number[] = [];
  const ranges: number[] = [];
  for (let member = 0; member < memberCount(body); member += 1) {
    const first = headers.length;
    for (const record of frameOf(body, member).records) {
      headers.push(recordKind[record.kind], payloadBytes(record));
    }
    ranges.push(first * 8, (headers.length - first) * 8);
  }
  return { ranges: tableBytes(ranges), descriptors: tableBytes(headers) };
}

export function checkForecast(entry: string, results: readonly bigint[]): MemoryForecast {
  const within = (at: number, what: string): number => {
    const bytes = exactNumber(results[at]!, entry, what);
    if (bytes >= 0) return bytes;
    throw invalidReturn(entry, `${what} = ${bytes}; bytes from 0 expected`);
  };
  return {
    privatePeak: within(0, 'private_peak'),
    retained: within(1, 'retained'),
    expanded: within(2, 'expanded'),
  };
}

/** Why a request can never run, or null. */
export function forecastRefusal(
  { privatePeak, retained, expanded }: MemoryForecast,
  limitBytes: number,
): StatusRecord | null {
  const bytes = privatePeak + retained + expanded;
  if (bytes <= limitBytes) return null;
  return {
    code: 'resourceExhausted',
    message:
      `the request can never fit: its package foresees ${bytes} bytes of device memory ` +
      `(${privatePeak} while it runs, ${retained} retained, ${expanded} expanded); the limit is ` +
      `${limitBytes} (--memory)`,
  };
}
