/**
 * Tensors inside a data file, as F32. A tensor is a number, an array of tensors, or a string in
 * which toygrad packed a row: the digit 1, a scale, `|`, and base64 bytes b that stand for
 * f32((b - 127) / scale); or the digit 4 and base64 of four planes of bytes, which are exact.
 */
import { elementsOf } from '../checkpoints/tensor-type.js';
import type { StreamedTensor } from './checkpoint-stream.js';
import { readData } from './data-module.js';
import type { RowsImport } from './import-section.js';
import type { SourceFolder } from './source-folder.js';

export function rowTensors(folder: SourceFolder, spec: RowsImport): readonly StreamedTensor[] {
  const data = readData(folder, spec.data);
  return Object.entries(spec.tensors).map(([name, { at, shape }]) => {
    const value = at.reduce<unknown>(member, data);
    const numbers = flatten(value);
    if (numbers === null) {
      const place = at.join('.');
      throw folder.fault(
        spec.data,
        `numbers or packed rows at ${place} for '${name}'`,
        typeof value,
      );
    }
    if (numbers.length !== elementsOf(shape)) {
      const wanted = `${elementsOf(shape)} numbers of '${name}'`;
      throw folder.fault(spec.data, wanted, `${numbers.length}`);
    }
    return { name, type: 'F32', shape, payload: () => littleEndian(numbers) };
  });
}

function member(value: unknown, key: string | number): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}

/** Null for anything that is no tensor. */
function flatten(value: unknown): readonly number[] | null {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return unpack(value);
  if (!Array.isArray(value)) return null;
  const parts = value.map(flatten);
  return parts.some((part) => part === null) ? null : parts.flatMap((part) => part!);
}

function unpack(row: string): readonly number[] | null {
  const scaled = /^1(\d+(?:\.\d+)?)\|([A-Za-z0-9+/]*=*)$/.exec(row);
  if (scaled !== null) {
    const scale = Number(scaled[1]);
    return Array.from(Buffer.from(scaled[2]!, 'base64'), (byte) =>
      Math.fround((byte - 127) / scale),
    );
  }
  if (!/^4[A-Za-z0-9+/]*=*$/.test(row)) return null;
  const planes = Buffer.from(row.slice(1), 'base64');
  const count = planes.length / 4;
  if (!Number.isInteger(count)) return null;
  const word = Buffer.alloc(4);
  return Array.from({ length: count }, (_, index) => {
    for (let plane = 0; plane < 4; plane += 1) word[plane] = planes[plane * count + index]!;
    return word.readFloatLE(0);
  });
}

function littleEndian(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 4);
  const view = new DataView(bytes.buffer);
  numbers.forEach((value, index) => view.setFloat32(index * 4, value, true));
  return bytes;
}
