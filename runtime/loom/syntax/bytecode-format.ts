/**
 * The outside of a `.loombc` file, shared by writer and reader:
 *
 *   8 bytes   magic          no text file begins with it: its first byte is not UTF-8
 *   4         version        little-endian, as the lengths that follow
 *   3 × 4     lengths        of the three sections
 *   …         strings, nodes, positions (see `canonical-form.ts`)
 *   32        SHA-256        of strings and nodes
 */

export const magic = Uint8Array.of(0xb5, 0x4c, 0x6f, 0x6f, 0x6d, 0x42, 0x43, 0x0a);
export const version = 1;
export const headerBytes = magic.length + 4 + 3 * 4;
export const digestBytes = 32;

/** Whether a file is bytecode, by its content. */
export const isBytecode = (bytes: Uint8Array): boolean =>
  magic.every((byte, index) => bytes[index] === byte);
