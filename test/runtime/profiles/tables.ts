/** Tables written by hand, word by word, so that tests do not trust the code under test. */
export function words(...values: (number | bigint)[]): Uint8Array {
  const table = BigInt64Array.from(values.map((value) => BigInt(value)));
  return new Uint8Array(table.buffer);
}
