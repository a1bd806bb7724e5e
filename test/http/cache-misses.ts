/**
 * Reads a log that V8 writes under `--log-ic`: where code looks up a field again and again in the
 * slow way, because its inline cache can hold no answer for the objects that come.
 */

/** A place in compiled code, with how often it missed while its cache was given up already. */
export interface MissSite {
  readonly place: string;
  readonly count: number;
}

interface Code {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Kind, address, time, line, column, state before and after, map, name of the field. */
const miss = /^(\w*IC),0x([0-9a-f]+),\d+,(\d+),(\d+),N,N,0x[0-9a-f]+,([^,]*)/;
/** Kind, tier, time, address, size, name with file. */
const creation = /^code-creation,[^,]*,\d+,\d+,0x([0-9a-f]+),(\d+),([^,]*)/;

/** Sites of functions whose name or file matches `who`, most often missed first. */
export function missSites(log: string, who: RegExp, fromByte: number): MissSite[] {
  const codes = codesOf(log);
  const counts = new Map<string, number>();
  for (const line of log.slice(fromByte).split('\n')) {
    const found = miss.exec(line);
    if (found === null) continue;
    const [, kind, address, row, column, field] = found;
    const code = codeAt(codes, parseInt(address!, 16));
    if (code === null || !who.test(code.name)) continue;
    const place = `${kind} of '${field}' at ${row}:${column}, compiled into ${code.name}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const sites = [...counts].map(([place, count]) => ({ place, count }));
  return sites.sort((a, b) => b.count - a.count);
}

function codesOf(log: string): readonly Code[] {
  const byStart = new Map<number, Code>();
  for (const line of log.split('\n')) {
    const found = creation.exec(line);
    if (found === null) continue;
    const start = parseInt(found[1]!, 16);
    byStart.set(start, { start, end: start + Number(found[2]), name: found[3]! });
  }
  return [...byStart.values()].sort((a, b) => a.start - b.start);
}

function codeAt(codes: readonly Code[], address: number): Code | null {
  let low = 0;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codes[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const code = codes[low - 1];
  return code !== undefined && address < code.end ? code : null;
}
