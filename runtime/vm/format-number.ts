/**
 * Numbers as `format` writes them: integers in decimal, floats as the shortest decimal that reads
 * back as the same number of the same width.
 */

export function formatFloat(value: number, width: 'f32' | 'f64'): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (Object.is(value, -0)) return '-0';
  if (width === 'f64') return String(value);
  // Nine digits always tell two f32 apart; fewer usually do.
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
