/**
 * Task of the reading threads: bytes of a shard into memory that threads share, as they are or
 * decoded to f32. The caller owns descriptor and target, and lets nobody else touch the target
 * meanwhile.
 */
import { StatusError } from '../base/errors.js';
import { DiskParameterFile } from './checkpoints/disk-parameter-file.js';
import { countNonFinite, decodeRows } from './checkpoints/decode-rows.js';
import type { OpenedFile, TensorBytes } from './load-plan.js';

export interface ReadBlock {
  readonly file: OpenedFile;
  /** Whole blocks of the tensor's type. */
  readonly from: TensorBytes;
  readonly decode: boolean;
  readonly target: {
    readonly buffer: SharedArrayBuffer;
    readonly offset: number;
    readonly length: number;
  };
}

export interface BlockRead {
  /** NaN and infinity among the floats that were read. */
  readonly nonFinite: number;
}

export function readBlock({ file, from, decode, target }: ReadBlock): BlockRead {
  const into = new Uint8Array(target.buffer, target.offset, target.length);
  const source = decode && from.type !== 'F32' ? new Uint8Array(from.bytes) : into;
  try {
    const disk = DiskParameterFile.opened(file);
    disk.read(from.offset, source);
    disk.checkUnchanged();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message, ...options } = error.status;
    throw new StatusError(code, `tensor '${from.tensor}': ${message}`, options);
  }
  const isFloat = source !== into || from.type === 'F32';
  if (!isFloat) return { nonFinite: 0 };
  const values = new Float32Array(target.buffer, target.offset, target.length / 4);
  if (source !== into) decodeRows(from.type, source, values);
  return { nonFinite: countNonFinite(values) };
}
