/**
 * Writes a safetensors file tensor by tensor, so that the memory of an import is that of its
 * largest tensor, whatever the size of the file.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { safetensorsWriter } from '../checkpoints/safetensors-writer.js';
import type { TensorDeclaration } from '../checkpoints/safetensors-writer.js';

export interface StreamedTensor extends TensorDeclaration {
  /** Asked once, in the order of the file. */
  readonly payload: () => Uint8Array;
}

export function streamCheckpoint(
  path: string,
  tensors: readonly StreamedTensor[],
  metadata: Readonly<Record<string, string>>,
): void {
  const file = safetensorsWriter(tensors, metadata);
  const sources = new Map(tensors.map((tensor) => [tensor.name, tensor.payload]));
  writeDurably(path, (write) => {
    write(file.header);
    for (const { name } of file.tensors) write(sources.get(name)!());
  });
}

/** A new file whose bytes are on the disk when this returns. */
export function writeDurably(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => void,
): void {
  const descriptor = openSync(path, 'wx');
  try {
    fill((bytes) => {
      let done = 0;
      while (done < bytes.length) done += writeSync(descriptor, bytes, done);
    });
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
