/**
 * Module `weights`: what checkpoints hold, by source ordinal in `prepare` and `prepare_batch` and
 * by local input in a policy, and the placements of a policy. Reading looks at indexes only; no
 * payload is touched.
 */
import { StatusError } from '../base/errors.js';
import type { CheckpointIndex, MetadataValue } from '../parameters/checkpoints/checkpoint-index.js';
import { nearestText } from '../parameters/nearest-keys.js';
import type { PlacementRecorder } from '../parameters/placement-recorder.js';
import { TensorHandle } from '../parameters/tensor-rows.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions, SymbolValue } from './signature-table.js';

export const weightsSignatures = signatureTable('weights', [
  'copy(string, i64, tensor, i64, i64)',
  'count(i64) -> i64',
  'dim(tensor, i64) -> i64',
  'fill(string, symbol)',
  'find(i64, string) -> tensor',
  'has(i64, string) -> bool',
  'key(i64, i64) -> string',
  'kind(i64) -> string',
  'meta_f64(i64, string, f64) -> f64',
  'meta_i64(i64, string, i64) -> i64',
  'meta_string(i64, string, string) -> string',
  'place(string, i64, tensor, i64, i64, i64, string, symbol)',
  'rank(tensor) -> i64',
  'type(tensor) -> string',
]);

/** A checkpoint as the call in progress may read it. */
export interface ReadableSource {
  /** Source ordinal of the generation. */
  readonly ordinal: number;
  readonly index: CheckpointIndex;
}

export interface WeightsHost {
  /** Throws for an ordinal that is none, or that cannot be read here. */
  readonly source: (input: bigint) => ReadableSource;
  /** Null where nothing can be placed. */
  readonly placements: PlacementRecorder | null;
}

export function weightsFunctions(host: WeightsHost): ModuleFunctions {
  return { ...indexFunctions(host), ...tensorFunctions, ...placingFunctions(host) };
}

function indexFunctions({ source }: WeightsHost): ModuleFunctions {
  const keys = new WeakMap<CheckpointIndex, readonly string[]>();
  const sortedKeys = ({ index }: ReadableSource): readonly string[] => {
    const known = keys.get(index) ?? [...index.tensors.keys()].sort();
    keys.set(index, known);
    return known;
  };
  return {
    kind: (input: bigint) => [source(input).index.format],
    count: (input: bigint) => [BigInt(source(input).index.tensors.size)],
    key(input: bigint, index: bigint) {
      const all = sortedKeys(source(input));
      const key = index < 0n ? undefined : all[Number(index)];
      if (key !== undefined) return [key];
      throw outside(`weights.key ${index} of a checkpoint of ${all.length} tensors`);
    },
    has: (input: bigint, key: string) => [source(input).index.tensors.has(key)],
    find(input: bigint, key: string) {
      const { index, ordinal } = source(input);
      const entry = index.tensors.get(key);
      if (entry !== undefined) return [new TensorHandle(entry, ordinal)];
      const names = index.shards.map((shard) => shard.name);
      const more = names.length > 1 ? ` and ${names.length - 1} more` : '';
      const near = nearestText(key, index.tensors.keys());
      throw new StatusError(
        'notFound',
        `${names[0]}${more} has no tensor ${JSON.stringify(key)}${near}`,
      );
    },
    meta_i64: metadataRead(source, { expected: 'an integer', accept: integer }),
    meta_f64: metadataRead(source, { expected: 'a number', accept: real }),
    meta_string: metadataRead(source, {
      expected: 'a string',
      accept: (value) => (typeof value === 'string' ? value : undefined),
    }),
  };
}

const tensorFunctions: ModuleFunctions = {
  rank: (tensor: TensorHandle) => [BigInt(tensor.entry.shape.length)],
  dim(tensor: TensorHandle, axis: bigint) {
    const { name, shape } = tensor.entry;
    const extent = axis < 0n ? undefined : shape[Number(axis)];
    if (extent !== undefined) return [BigInt(extent)];
    throw outside(
      `weights.dim ${axis} of tensor ${JSON.stringify(name)}, which has ${shape.length} axes`,
    );
  },
  type: (tensor: TensorHandle) => [tensor.entry.type],
};

function placingFunctions({ placements }: WeightsHost): ModuleFunctions {
  const recorder = (name: string): PlacementRecorder => {
    if (placements !== null) return placements;
    throw new StatusError(
      'failedPrecondition',
      `weights.${name}: parameters are placed by policies only (prepare.parameter)`,
    );
  };
  return {
    copy(...args: [string, bigint, TensorHandle, bigint, bigint]) {
      const [field, at, tensor, first, rows] = args;
      recorder('copy').copy(field, at, tensor, { first, rows });
      return [];
    },
    place(...args: [string, bigint, TensorHandle, bigint, bigint, bigint, string, SymbolValue]) {
      const [field, at, tensor, first, rows, block, encoding, pack] = args;
      recorder('place').place(field, tensor, { at, first, rows, block, encoding }, pack);
      return [];
    },
    fill(field: string, make: SymbolValue) {
      recorder('fill').fill(field, make);
      return [];
    },
  };
}

interface MetadataRead<Value> {
  readonly expected: string;
  /** Undefined when the value is of another type. */
  readonly accept: (value: MetadataValue) => Value | undefined;
}

/** A key that is not there gives the default; a value of another type is an error. */
function metadataRead<Value>(source: WeightsHost['source'], read: MetadataRead<Value>) {
  return (input: bigint, key: string, otherwise: Value): readonly Value[] => {
    const { index } = source(input);
    const value = metadataAt(index, key);
    if (value === undefined) return [otherwise];
    const result = read.accept(value);
    if (result !== undefined) return [result];
    const found = Array.isArray(value) ? `a list of ${value.length}` : `a ${typeof value}`;
    throw new StatusError(
      'invalidArgument',
      `metadata ${JSON.stringify(key)} of ${index.shards[0]!.name}: expected ${read.expected}, got ${found}`,
    );
  };
}

/** A value by key, or an element of a list by `key[3]`; undefined when there is none. */
function metadataAt({ metadata }: CheckpointIndex, key: string): MetadataValue | undefined {
  const value = metadata.get(key);
  const element = value === undefined ? /^(.*)\[(\d+)\]$/s.exec(key) : null;
  if (element === null) return value;
  const list = metadata.get(element[1]!);
  return Array.isArray(list) ? (list as readonly MetadataValue[])[Number(element[2])] : undefined;
}

function integer(value: MetadataValue): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  const isInteger = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
  return isInteger ? value : undefined;
}

function real(value: MetadataValue): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

const outside = (what: string): StatusError => new StatusError('outOfRange', what);
