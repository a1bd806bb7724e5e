/**
 * What models/first-output must answer, from its definition: for bytes b(0)…b(n−1) of the text,
 * out[k] = (Σ b(i) · ((i + k) mod 8 + 1)) / 256. All integers below 2^24, so doubles and f32 agree
 * and no order matters.
 */
export function firstOutputOracle(text: string): Float32Array {
  const bytes = Buffer.from(text, 'utf8');
  const row = new Float32Array(8);
  for (let k = 0; k < row.length; k += 1) {
    let sum = 0;
    for (let i = 0; i < bytes.length; i += 1) sum += bytes[i]! * (((i + k) % 8) + 1);
    row[k] = sum / 256;
  }
  return row;
}
