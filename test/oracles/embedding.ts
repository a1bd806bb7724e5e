/**
 * What models/embedding must answer, in double precision and with integer arithmetic of its own:
 * coefficients from a 32-bit mixing function (by BigInt, modulo 2^32), mean of the tokens' rows,
 * projection, the first `dimensions` values scaled to length one. The device adds in f32, so rows
 * agree within `embeddingBound`.
 */

const hidden = 64;
const width = 32;
const seed = 20240229n;

/** Largest difference of any value: f32 rounding of 512-term sums, with a margin of about four. */
export const embeddingBound = 5e-6;

const word = (value: bigint): bigint => value % (1n << 32n);

function coefficientOf(sequence: bigint, at: number): number {
  let h = word(BigInt(at) * 0x9e3779b9n + sequence);
  h = word((h ^ (h >> 16n)) * 0x7feb352dn);
  h = word((h ^ (h >> 15n)) * 0x846ca68bn);
  h ^= h >> 16n;
  return Number(h >> 8n) / 2 ** 23 - 1;
}

const known = new Map<string, number>();

function coefficient(sequence: bigint, at: number): number {
  const key = `${sequence}:${at}`;
  const value = known.get(key) ?? coefficientOf(sequence, at);
  known.set(key, value);
  return value;
}

/** The first `count` numbers of the table (0) or of the projection (1). */
export function embeddingCoefficients(sequence: 0 | 1, count: number): Float32Array {
  const first = seed * 2n + BigInt(sequence);
  return Float32Array.from({ length: count }, (_, at) => coefficientOf(first, at));
}

export function embeddingOracle(tokens: readonly number[], dimensions = width): Float32Array {
  const mean = Array.from({ length: hidden }, (_, i) => {
    const column = tokens.map((token) => coefficient(seed * 2n, token * hidden + i));
    return column.reduce((sum, value) => sum + value, 0) / tokens.length;
  });
  const projected = Array.from({ length: dimensions }, (_, j) =>
    mean.reduce((sum, value, k) => sum + value * coefficient(seed * 2n + 1n, k * width + j), 0),
  );
  const length = Math.sqrt(projected.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(projected, (value) => (length === 0 ? 0 : value / length));
}
