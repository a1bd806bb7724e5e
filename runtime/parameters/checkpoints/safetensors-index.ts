/**
 * The header of a safetensors file: eight bytes of size, JSON with a row for each tensor, then the
 * payload without a gap. Reads the header only. Layout: the format's published description.
 */
import { checkpointFault, quoted, tensorPlace } from './checkpoint-fault.js';
import type { ShardIndex, TensorEntry } from './checkpoint-index.js';
import { checkpointLimits } from './checkpoint-limits.js';
import { JsonCursor } from './json-cursor.js';
import type { ParameterFile } from './parameter-file.js';
import { requireCover } from './payload-cover.js';
import { plainTypes, tensorSize } from './tensor-type.js';
import type { TensorType } from './tensor-type.js';

const sizeBytes = 8;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function indexSafetensors(file: ParameterFile, shard: number): ShardIndex {
  const size = readHeaderSize(file);
  const json = new JsonCursor(file.name, readHeaderText(file, size));
  const payload = { begin: sizeBytes + size, alignment: 1 };
  const tensors: TensorEntry[] = [];
  let metadata: ReadonlyMap<string, string> = new Map();
  json.object((name) => {
    if (name === '__metadata__') {
      metadata = readMetadata(json);
    } else {
      if (tensors.length === checkpointLimits.tensors) {
        throw json.fault(`at most ${checkpointLimits.tensors} tensors`, 'more');
      }
      json.place = () => tensorPlace(name);
      tensors.push(readTensor(json, { name, shard, payloadBegin: payload.begin }));
    }
    json.place = () => 'header';
  });
  json.end();
  requireCover(file, tensors, payload);
  return { tensors, metadata };
}

function readHeaderSize(file: ParameterFile): number {
  const fault = (expected: string, found: string) =>
    checkpointFault(file.name, { place: 'header size', expected, found });
  if (file.bytes < sizeBytes) throw fault(`${sizeBytes} bytes`, `a file of ${file.bytes}`);
  const word = new Uint8Array(sizeBytes);
  file.read(0, word);
  const size = new DataView(word.buffer).getBigUint64(0, true);
  const max = checkpointLimits.safetensorsHeaderBytes;
  if (size > max) throw fault(`at most ${max}`, `${size}`);
  if (size > file.bytes - sizeBytes) {
    throw fault(`at most ${file.bytes - sizeBytes}, where the file ends`, `${size}`);
  }
  return Number(size);
}

function readHeaderText(file: ParameterFile, size: number): string {
  const bytes = new Uint8Array(size);
  file.read(sizeBytes, bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    throw checkpointFault(file.name, {
      place: 'header',
      expected: 'UTF-8 text',
      found: 'bytes that are none',
    });
  }
}

function readMetadata(json: JsonCursor): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  json.place = () => '__metadata__';
  json.object((key) => {
    if (metadata.size === checkpointLimits.metadataKeys) {
      throw json.fault(`at most ${checkpointLimits.metadataKeys} keys`, 'more');
    }
    json.place = () => `__metadata__ ${quoted(key)}`;
    metadata.set(key, json.string());
    json.place = () => '__metadata__';
  });
  return metadata;
}

interface RowPlace {
  readonly name: string;
  readonly shard: number;
  readonly payloadBegin: number;
}

/** One row of the header; its offsets count from the start of the payload. */
function readTensor(json: JsonCursor, place: RowPlace): TensorEntry {
  let type: TensorType | null = null;
  let shape: readonly number[] | null = null;
  let range: readonly number[] | null = null;
  json.object((key) => {
    if (key === 'dtype') type = readType(json);
    else if (key === 'shape') shape = readIntegers(json, checkpointLimits.safetensorsRank, key);
    else if (key === 'data_offsets') range = readIntegers(json, 2, key);
    else throw json.fault('dtype, shape and data_offsets', quoted(key));
  });
  return placed(json, { type, shape, range }, place);
}

interface TensorRow {
  readonly type: TensorType | null;
  readonly shape: readonly number[] | null;
  readonly range: readonly number[] | null;
}

function placed(json: JsonCursor, row: TensorRow, place: RowPlace): TensorEntry {
  const { type, shape, range } = row;
  const { name, shard, payloadBegin } = place;
  if (type === null || shape === null || range === null) {
    const missing = type === null ? 'dtype' : shape === null ? 'shape' : 'data_offsets';
    throw json.fault('dtype, shape and data_offsets', `no ${missing}`);
  }
  const [begin, end] = range;
  if (begin === undefined || end === undefined) {
    throw json.fault('two data_offsets', `${range.length}`);
  }
  const size = tensorSize(type, shape);
  if (typeof size !== 'number') throw json.fault(size.expected, size.found);
  if (end - begin !== size) {
    throw json.fault(
      `${size} bytes for ${type} of shape [${shape.join(', ')}]`,
      `${end - begin} from data_offsets [${begin}, ${end}]`,
    );
  }
  return { name, type, shape, shard, offset: payloadBegin + begin, bytes: size };
}

function readType(json: JsonCursor): TensorType {
  const name = json.string();
  const type = plainTypes.find((known) => known === name);
  if (type === undefined) throw json.fault(`a dtype of ${plainTypes.join(', ')}`, quoted(name));
  return type;
}

function readIntegers(json: JsonCursor, countMax: number, key: string): readonly number[] {
  const values: number[] = [];
  json.array(() => {
    if (values.length === countMax) throw json.fault(`at most ${countMax} in ${key}`, 'more');
    values.push(json.integer());
  });
  return values;
}
