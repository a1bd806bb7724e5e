/**
 * The result plan of a finite cohort: where each request's rows lie in the output buffer.
 *
 *   i64 physical bytes · i64 live prefix bytes · then for each request, in cohort order:
 *   i64 rows · rows × { i64 offset, i64 width }        (bytes from the start of the output buffer)
 *
 * A parsed plan always holds: physical ≤ output capacity, live ≤ physical, every row inside the
 * live prefix, no two rows overlap, widths are positive multiples of 4, the rows together fit the
 * result capacity, and there is exactly one entry for each member. Only rows are ever read back:
 * `snapshot` lists them merged, and `collect` cuts the bytes that came back into members again.
 */
import { assert, StatusError } from '../base/errors.js';
import type { StatusRecord } from '../base/errors.js';
import { invalidReturn, TableReader } from './record-table.js';

export interface ResultRow {
  readonly offset: number;
  readonly width: number;
}

export interface ResultPlan {
  readonly physicalBytes: number;
  readonly liveBytes: number;
  /** Rows of each member, by its ordinal in the cohort. */
  readonly members: readonly (readonly ResultRow[])[];
  /** Ranges to read back, ascending, neighbours merged. */
  readonly snapshot: readonly { readonly offset: number; readonly length: number }[];
}

export interface PlanLimits {
  readonly entry: string;
  readonly members: number;
  /** Capacities that `prepare` declared. */
  readonly outputBytes: number;
  readonly resultBytes: number;
  /** Rows that one request must have; null when any positive number will do. */
  readonly rowsEach: number | null;
}

export function parseResultPlan(bytes: Uint8Array, limits: PlanLimits): ResultPlan {
  const { entry } = limits;
  const table = new TableReader(bytes, entry);
  const physicalBytes = table.take('the physical bytes');
  const liveBytes = table.take('the live prefix bytes');
  if (physicalBytes <= 0 || physicalBytes > limits.outputBytes) {
    throw invalidReturn(
      entry,
      `a result plan of ${physicalBytes} physical bytes; 1 to ${limits.outputBytes} are possible (output_bytes of 'prepare')`,
    );
  }
  if (liveBytes < 0 || liveBytes > physicalBytes) {
    throw invalidReturn(
      entry,
      `a live prefix of ${liveBytes} bytes in an output of ${physicalBytes}`,
    );
  }
  const members: ResultRow[][] = [];
  for (let member = 0; member < limits.members; member += 1) {
    members.push(takeRows(table, { member, liveBytes, limits }));
  }
  if (table.remaining > 0) {
    throw invalidReturn(
      entry,
      `a result plan with ${table.remaining} words after the last of ${limits.members} requests`,
    );
  }
  const rows = members.flat();
  const total = rows.reduce((sum, row) => sum + row.width, 0);
  if (total > limits.resultBytes) {
    throw invalidReturn(
      entry,
      `rows of ${total} bytes together; at most ${limits.resultBytes} are possible (result_bytes of 'prepare')`,
    );
  }
  return { physicalBytes, liveBytes, members, snapshot: mergeRows(rows, entry) };
}

interface RowContext {
  readonly member: number;
  readonly liveBytes: number;
  readonly limits: PlanLimits;
}

function takeRows(table: TableReader, context: RowContext): ResultRow[] {
  const { member, liveBytes, limits } = context;
  const count = table.take(`the number of rows of request ${member}`);
  const { rowsEach, entry } = limits;
  const possible = rowsEach === null ? count > 0 && count <= table.words : count === rowsEach;
  if (!possible) {
    const expected = rowsEach === null ? 'at least one is expected' : `${rowsEach} expected`;
    throw invalidReturn(entry, `${count} rows for request ${member}; ${expected}`);
  }
  const rows: ResultRow[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `row ${index} of request ${member}`;
    const offset = table.take(`the offset of ${name}`);
    const width = table.take(`the width of ${name}`);
    if (width <= 0 || width % 4 !== 0) {
      throw invalidReturn(entry, `width ${width} for ${name}; a positive multiple of 4 expected`);
    }
    if (offset < 0 || offset % 4 !== 0 || offset + width > liveBytes) {
      throw invalidReturn(
        entry,
        `${name} at bytes ${offset} to ${offset + width}; the live prefix has ${liveBytes}, and rows start at multiples of 4`,
      );
    }
    rows.push({ offset, width });
  }
  return rows;
}

function mergeRows(rows: readonly ResultRow[], entry: string): ResultPlan['snapshot'] {
  const sorted = [...rows].sort((left, right) => left.offset - right.offset);
  const merged: { offset: number; length: number }[] = [];
  for (const { offset, width } of sorted) {
    const last = merged.at(-1);
    const end = last ? last.offset + last.length : 0;
    if (offset < end) {
      throw invalidReturn(entry, `rows that overlap at byte ${offset} of the output`);
    }
    if (last && offset === end) last.length += width;
    else merged.push({ offset, length: width });
  }
  return merged;
}

/** What one member gets: its rows, one after another, or why not. */
export type Collected = { readonly rows: Uint8Array } | { readonly status: StatusRecord };

/**
 * Rows of a cohort that are not more than this lie in one buffer: they leave in one message, and a
 * buffer of its own for each costs more than the copy of all. Larger ones can be moved.
 */
const SHARED_BYTES_MAX = 65_536;

/**
 * Cuts the snapshot's bytes into members. A row with a value that is not finite fails its own
 * member only. The result shares no memory with the snapshot.
 */
export function collectRows(plan: ResultPlan, snapshot: Uint8Array): Collected[] {
  const expected = plan.snapshot.reduce((sum, range) => sum + range.length, 0);
  assert(snapshot.length === expected, `a snapshot of ${expected} bytes`);
  const places = placesOf(plan.snapshot);
  const sizes = plan.members.map((rows) => rows.reduce((sum, row) => sum + row.width, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const shared = total <= SHARED_BYTES_MAX ? new ArrayBuffer(total) : null;
  let start = 0;
  return plan.members.map((rows, member) => {
    const size = sizes[member]!;
    const bytes = shared ? new Uint8Array(shared, start, size) : new Uint8Array(size);
    start += size;
    let at = 0;
    for (const row of rows) {
      const from = places(row.offset);
      bytes.set(snapshot.subarray(from, from + row.width), at);
      at += row.width;
    }
    return finite(bytes) ?? { rows: bytes };
  });
}

/** Maps an offset of the output buffer to its place in the snapshot. */
function placesOf(ranges: ResultPlan['snapshot']): (offset: number) => number {
  const starts: number[] = [];
  let sum = 0;
  for (const range of ranges) {
    starts.push(sum);
    sum += range.length;
  }
  return (offset) => {
    let low = 0;
    let high = ranges.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (ranges[middle]!.offset <= offset) low = middle;
      else high = middle - 1;
    }
    return starts[low]! + (offset - ranges[low]!.offset);
  };
}

function finite(bytes: Uint8Array): Collected | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 4) {
    // An exponent of all ones: an infinity or not a number.
    if ((view.getUint32(at, true) & 0x7f800000) !== 0x7f800000) continue;
    const value = view.getFloat32(at, true);
    const message = `value ${at / 4} of the result is ${value}; the package's stage must give finite numbers`;
    return { status: new StatusError('internal', message, { where: 'run' }).status };
  }
  return null;
}
