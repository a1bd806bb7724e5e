/**
 * The header of a GGUF file, versions 2 and 3, little-endian: metadata, then a row for each tensor,
 * then the payload, in which every tensor starts at a multiple of the alignment. Reads the header
 * only. Layout: the format's published description.
 */
import { quoted, tensorPlace } from './checkpoint-fault.js';
import type { MetadataValue, ShardIndex, TensorEntry } from './checkpoint-index.js';
import { checkpointLimits } from './checkpoint-limits.js';
import { requireNoPointer } from './checkpoint-pointer.js';
import { GgufMetadataReader } from './gguf-metadata.js';
import { ggufTensorTypes, unreadTypeName } from './gguf-tensor-type.js';
import { HeaderCursor } from './header-cursor.js';
import type { ParameterFile } from './parameter-file.js';
import { requireCover } from './payload-cover.js';
import { tensorSize } from './tensor-type.js';

/** "GGUF", as a little-endian word. */
export const ggufMagic = 0x46554747;
const versions: readonly number[] = [2, 3];
const alignmentKey = 'general.alignment';
const defaultAlignment = 32;
const alignmentMax = 2 ** 21;
/**
 * Bytes of the smallest entries: lengths, a type and a one-byte value; lengths, type and offset.
 */
const keyBytesMin = 8 + 4 + 1;
const tensorBytesMin = 8 + 4 + 4 + 8;

export function indexGguf(file: ParameterFile, shard: number): ShardIndex {
  const cursor = new HeaderCursor(file);
  requireVersion(cursor);
  const tensorCount = readCount(cursor, {
    what: 'tensors',
    max: checkpointLimits.tensors,
    bytes: tensorBytesMin,
  });
  const keyCount = readCount(cursor, {
    what: 'metadata keys',
    max: checkpointLimits.metadataKeys,
    bytes: keyBytesMin,
  });
  const metadata = readMetadata(cursor, keyCount);
  const alignment = alignmentOf(cursor, metadata);
  const rows = readRows(cursor, tensorCount);
  const begin = Math.ceil(cursor.position / alignment) * alignment;
  const tensors = rows.map((row) => placed(cursor, row, { begin, alignment, shard }));
  // Without tensors a file may end before the padding does.
  if (tensors.length > 0) requireCover(file, tensors, { begin, alignment });
  else requireCover(file, tensors, { begin: cursor.position, alignment });
  return { tensors, metadata };
}

function requireVersion(cursor: HeaderCursor): void {
  const magic = cursor.u32();
  if (magic !== ggufMagic) throw cursor.fault('"GGUF"', `0x${magic.toString(16)}`);
  const version = cursor.u32();
  if (versions.includes(version)) return;
  const isSwapped = version !== 0 && (version & 0xffff) === 0;
  const found = isSwapped ? 'a big-endian file' : `${version}`;
  throw cursor.fault(`version ${versions.join(' or ')}, little-endian`, found);
}

/** Some values of the metadata; reads the header no further than to the last of them. */
export function readGgufKeys(
  file: ParameterFile,
  keys: ReadonlySet<string>,
): ReadonlyMap<string, MetadataValue> {
  requireNoPointer(file);
  const cursor = new HeaderCursor(file);
  requireVersion(cursor);
  cursor.u64();
  const count = cursor.count(checkpointLimits.metadataKeys, 'metadata keys');
  return readMetadata(cursor, count, keys);
}

interface CountRule {
  readonly what: string;
  readonly max: number;
  /** Bytes of the smallest one. */
  readonly bytes: number;
}

function readCount(cursor: HeaderCursor, { what, max, bytes }: CountRule): number {
  const count = cursor.count(max, what);
  if (count * bytes > cursor.remaining) {
    throw cursor.fault(`${what} inside the file`, `${count} in ${cursor.remaining} bytes`);
  }
  return count;
}

/** Of all keys, or of those that are wanted. */
function readMetadata(
  cursor: HeaderCursor,
  count: number,
  wanted: ReadonlySet<string> | null = null,
): ReadonlyMap<string, MetadataValue> {
  const metadata = new Map<string, MetadataValue>();
  const reader = new GgufMetadataReader(cursor);
  for (let index = 0; index < count; index += 1) {
    cursor.place = () => `metadata key ${index}`;
    const key = cursor.string(checkpointLimits.nameBytes);
    cursor.place = () => `metadata ${quoted(key)}`;
    if (metadata.has(key)) throw cursor.fault('each key once', 'it twice');
    const value = reader.value();
    if (wanted !== null && !wanted.has(key)) continue;
    metadata.set(key, value);
    if (metadata.size === wanted?.size) break;
  }
  return metadata;
}

function alignmentOf(cursor: HeaderCursor, metadata: ReadonlyMap<string, MetadataValue>): number {
  const value = metadata.get(alignmentKey) ?? defaultAlignment;
  const isPower = typeof value === 'number' && Number.isInteger(Math.log2(value));
  if (isPower && value >= 8 && value <= alignmentMax) return value;
  cursor.place = () => `metadata "${alignmentKey}"`;
  throw cursor.fault(`a power of two from 8 to ${alignmentMax}`, shown(value));
}

const shown = (value: MetadataValue): string =>
  typeof value === 'string' ? quoted(value) : Array.isArray(value) ? 'an array' : `${value}`;

interface TensorRow extends Pick<TensorEntry, 'name' | 'type' | 'shape' | 'bytes'> {
  /** From the start of the payload. */
  readonly offset: number;
}

function readRows(cursor: HeaderCursor, count: number): readonly TensorRow[] {
  const rows: TensorRow[] = [];
  const names = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    cursor.place = () => `tensor ${index}`;
    const name = cursor.string(checkpointLimits.nameBytes);
    cursor.place = () => tensorPlace(name);
    if (names.has(name)) throw cursor.fault('each name once', 'it twice');
    names.add(name);
    rows.push({ ...readRow(cursor), name });
  }
  return rows;
}

function readRow(cursor: HeaderCursor): Omit<TensorRow, 'name'> {
  const rank = cursor.u32();
  if (rank > checkpointLimits.ggufRank) {
    throw cursor.fault(`at most ${checkpointLimits.ggufRank} dimensions`, `${rank}`);
  }
  const shape: number[] = [];
  for (let axis = 0; axis < rank; axis += 1) {
    // The file has the innermost extent first.
    shape.unshift(cursor.count(Number.MAX_SAFE_INTEGER, 'elements along an axis'));
  }
  const id = cursor.u32();
  const type = ggufTensorTypes.get(id);
  if (type === undefined) {
    const known = [...ggufTensorTypes.values()].join(', ');
    throw cursor.fault(`a type of ${known}`, unreadTypeName(id));
  }
  const bytes = tensorSize(type, shape);
  if (typeof bytes !== 'number') throw cursor.fault(bytes.expected, bytes.found);
  const offset = cursor.count(Number.MAX_SAFE_INTEGER, 'bytes before it');
  return { type, shape, bytes, offset };
}

interface PayloadPlace {
  readonly begin: number;
  readonly alignment: number;
  readonly shard: number;
}

function placed(
  cursor: HeaderCursor,
  row: TensorRow,
  { begin, alignment, shard }: PayloadPlace,
): TensorEntry {
  if (row.offset % alignment !== 0) {
    cursor.place = () => tensorPlace(row.name);
    throw cursor.fault(`an offset that is a multiple of ${alignment}`, `${row.offset}`);
  }
  return { ...row, offset: begin + row.offset, shard };
}
