/** 16-bit floats over all codes, against a table that is built from their definition alone. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  roundBf16,
  roundF16,
  widenBf16,
  widenF16,
} from '../../../runtime/vm/numbers/half-float.js';

interface Format {
  readonly name: string;
  readonly exponentBits: number;
  readonly mantissaBits: number;
  readonly widen: (bits: number) => number;
  readonly round: (value: number) => number;
}

const formats: readonly Format[] = [
  { name: 'f16', exponentBits: 5, mantissaBits: 10, widen: widenF16, round: roundF16 },
  { name: 'bf16', exponentBits: 8, mantissaBits: 7, widen: widenBf16, round: roundBf16 },
];

/** Value of a code by the definition of binary floating point. */
function valueOf(code: number, { exponentBits, mantissaBits }: Format): number {
  const sign = code & 0x8000 ? -1 : 1;
  const exponent = (code >> mantissaBits) & (2 ** exponentBits - 1);
  const fraction = (code & (2 ** mantissaBits - 1)) / 2 ** mantissaBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias);
  return sign * (1 + fraction) * 2 ** (exponent - bias);
}

for (const format of formats) {
  test(`${format.name}: every code widens to its value`, () => {
    for (let code = 0; code < 65536; code++) {
      assert.ok(Object.is(format.widen(code), valueOf(code, format)), `code ${code}`);
    }
  });

  test(`${format.name}: every number of the format rounds to its own code`, () => {
    for (let code = 0; code < 65536; code++) {
      const value = valueOf(code, format);
      const rounded = format.round(value);
      if (Number.isNaN(value)) assert.ok(Number.isNaN(valueOf(rounded, format)), `NaN ${code}`);
      else assert.is(rounded, code);
    }
  });

  test(`${format.name}: between two neighbours the nearer wins, and halfway the even one`, () => {
    const finite = (2 ** format.exponentBits - 1) * 2 ** format.mantissaBits;
    for (let code = 0; code < finite; code++) {
      const low = valueOf(code, format);
      // Past the largest number the next step would be the power that infinity stands for.
      const high =
        code + 1 === finite ? 2 * low - valueOf(code - 1, format) : valueOf(code + 1, format);
      const middle = Math.fround((low + high) / 2);
      if (!Number.isFinite(middle) || middle !== (low + high) / 2) continue;
      const even = code % 2 === 0 ? code : code + 1;
      assert.is(format.round(middle), even, `halfway above ${code}`);
      assert.is(format.round(-middle), even | 0x8000, `halfway below -${code}`);
      assert.is(format.round(nextF32(middle, -1)), code, `below halfway above ${code}`);
      assert.is(format.round(nextF32(middle, 1)), code + 1, `above halfway above ${code}`);
    }
  });
}

/** The next f32 up or down; `value` is positive. */
function nextF32(value: number, step: number): number {
  const floats = new Float32Array([value]);
  const words = new Uint32Array(floats.buffer);
  words[0]! += step;
  return floats[0]!;
}

test.run();
