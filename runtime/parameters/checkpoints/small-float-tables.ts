/**
 * Every value of the 16-bit and 8-bit floating-point types as f32, where all of them are exact.
 * Tables beat arithmetic here: they stay in the cache of a core and have no branches. They are made
 * on first use, since most processes decode nothing.
 */

/** The same table as numbers and as bits: copying bits keeps NaN as it is and is faster. */
export interface FloatTable {
  readonly values: Float32Array;
  readonly bits: Uint32Array;
}

type Fill = (table: FloatTable, pattern: number) => void;

function lazyTable(size: number, fill: Fill): () => FloatTable {
  let table: FloatTable | null = null;
  return () => {
    if (table !== null) return table;
    const values = new Float32Array(size);
    table = { values, bits: new Uint32Array(values.buffer) };
    for (let pattern = 0; pattern < size; pattern += 1) fill(table, pattern);
    return table;
  };
}

/** IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
export const halfTable = lazyTable(65_536, ({ values, bits }, pattern) => {
  const sign = (pattern & 0x8000) << 16;
  const exponent = (pattern >> 10) & 31;
  const fraction = pattern & 0x3ff;
  if (exponent === 0) values[pattern] = fraction * 2 ** -24 * (sign === 0 ? 1 : -1);
  else bits[pattern] = sign | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13);
});

/** E5M2 is the upper byte of a binary16. */
export const e5m2Table = lazyTable(256, ({ bits }, pattern) => {
  bits[pattern] = halfTable().bits[pattern << 8] as number;
});

/** E4M3 as checkpoints use it: no infinities, NaN where all seven bits are set, 448 at most. */
export const e4m3Table = lazyTable(256, ({ values, bits }, pattern) => {
  const sign = pattern < 128 ? 1 : -1;
  const exponent = (pattern >> 3) & 15;
  const fraction = (pattern & 7) / 8;
  if ((pattern & 127) === 127) bits[pattern] = sign === 1 ? 0x7fc00000 : 0xffc00000;
  else if (exponent === 0) values[pattern] = sign * fraction * 2 ** -6;
  else values[pattern] = sign * (1 + fraction) * 2 ** (exponent - 7);
});
