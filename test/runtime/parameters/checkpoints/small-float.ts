/** Floating-point formats by their definition, in exact arithmetic: the oracle of decoders. */
export interface SmallFloat {
  readonly exponentBits: number;
  readonly fractionBits: number;
  /** Whether the largest exponent means infinity and NaN, as IEEE 754 has it. */
  readonly isIeee: boolean;
}

export function valueOf(pattern: number, format: SmallFloat): number {
  const { exponentBits, fractionBits, isIeee } = format;
  const fraction = pattern % 2 ** fractionBits;
  const exponent = Math.floor(pattern / 2 ** fractionBits) % 2 ** exponentBits;
  const isNegative = Math.floor(pattern / 2 ** (fractionBits + exponentBits)) % 2 === 1;
  const sign = isNegative ? -1 : 1;
  const bias = 2 ** (exponentBits - 1) - 1;
  const isTop = exponent === 2 ** exponentBits - 1;
  if (isTop && isIeee) return fraction === 0 ? sign * Infinity : NaN;
  if (isTop && fraction === 2 ** fractionBits - 1) return NaN;
  const scaled = fraction / 2 ** fractionBits;
  if (exponent === 0) return sign * scaled * 2 ** (1 - bias);
  return sign * (1 + scaled) * 2 ** (exponent - bias);
}

export const half: SmallFloat = { exponentBits: 5, fractionBits: 10, isIeee: true };
export const bfloat: SmallFloat = { exponentBits: 8, fractionBits: 7, isIeee: true };
export const e5m2: SmallFloat = { exponentBits: 5, fractionBits: 2, isIeee: true };
export const e4m3: SmallFloat = { exponentBits: 4, fractionBits: 3, isIeee: false };
