/** A safetensors file whose one tensor starts at a multiple of 4096 bytes, as direct reads ask. */
import { writeSafetensors } from '../../../runtime/parameters/checkpoints/safetensors-writer.js';

const PAGE = 4096;

/** Byte `at` of the tensor is the number of its page, from 1. */
export function pagedCheckpoint(name: string, bytes: number): Uint8Array {
  const values = Uint8Array.from({ length: bytes }, (_, at) => Math.floor(at / PAGE) + 1);
  const tensor = { name, type: 'U8', shape: [bytes], bytes: values } as const;
  const plain = writeSafetensors([tensor]);
  const header = plain.length - bytes;
  // Blanks after the header belong to it.
  const padded = new Uint8Array(PAGE + bytes).fill(0x20, 0, PAGE);
  padded.set(plain.subarray(0, header));
  new DataView(padded.buffer).setBigUint64(0, BigInt(PAGE - 8), true);
  padded.set(values, PAGE);
  return padded;
}
