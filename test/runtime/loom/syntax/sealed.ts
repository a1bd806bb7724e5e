/**
 * Bytecode from hand-made sections, with lengths and digest right: hostile from the inside only.
 */
import { createHash } from 'node:crypto';
import { encode } from '../../../../runtime/loom/syntax/bytecode-writer.js';
import { magic } from '../../../../runtime/loom/syntax/bytecode-format.js';
import { parseModule } from './outline.js';

export interface Sections {
  readonly strings: Uint8Array;
  readonly nodes: Uint8Array;
  readonly positions: Uint8Array;
}

export function sealed({ strings, nodes, positions }: Sections): Uint8Array {
  const header = Buffer.alloc(24);
  header.set(magic);
  header.writeUInt32LE(1, 8);
  [strings, nodes, positions].forEach(({ length }, index) =>
    header.writeUInt32LE(length, 12 + 4 * index),
  );
  const digest = createHash('sha256').update(strings).update(nodes).digest();
  return new Uint8Array(Buffer.concat([header, strings, nodes, positions, digest]));
}

export function sectionsOf(bytes: Uint8Array): Sections {
  const view = Buffer.from(bytes);
  const ends = [24];
  for (let index = 0; index < 3; index += 1) {
    ends.push(ends[index]! + view.readUInt32LE(12 + 4 * index));
  }
  const section = (index: number) => new Uint8Array(view.subarray(ends[index], ends[index + 1]));
  return { strings: section(0), nodes: section(1), positions: section(2) };
}

/** The string table of some texts. */
export function stringTable(...texts: string[]): Uint8Array {
  const parts = texts.map((text) => Buffer.from(text));
  return Buffer.concat([
    Buffer.of(texts.length),
    ...parts.flatMap((part) => [Buffer.of(part.length), part]),
  ]);
}

/** `count` positions at line 1, column 1. */
export const places = (count: number): Uint8Array => {
  const bytes = Buffer.alloc(2 * count, 1);
  for (let index = 0; index < count; index += 1) bytes[2 * index] = 0;
  // Positions are differences: the first goes nowhere, too.
  return bytes;
};

export const encoded = (text: string): Uint8Array => encode(parseModule(text));
