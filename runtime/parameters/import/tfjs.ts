/**
 * Weights of a tfjs model: `model.json` lists groups of shards and, per group, the weights that lie
 * in them one behind the other without gaps, little-endian, across the borders of shards. The sizes
 * must agree to the byte before anything is written. Quantised weights are refused by name.
 */
import { elementsOf } from '../checkpoints/tensor-type.js';
import type { TensorType } from '../checkpoints/tensor-type.js';
import type { StreamedTensor } from './checkpoint-stream.js';
import type { GraphTensor, TfjsImport } from './import-section.js';
import type { SourceFolder } from './source-folder.js';

interface Weight {
  readonly name: string;
  readonly type: TensorType;
  readonly shape: readonly number[];
  /** Its group's shards, and bytes from the start of the first. */
  readonly group: Group;
  readonly offset: number;
  readonly bytes: number;
}

interface Group {
  readonly shards: readonly { readonly file: string; readonly bytes: number }[];
}

const types: Readonly<Record<string, TensorType>> = {
  float32: 'F32',
  int32: 'I32',
  bool: 'BOOL',
};

/** `model.json` and every shard, as paths in the folder. */
export function tfjsInputs(folder: SourceFolder, model: string): readonly string[] {
  const shards = manifest(folder, model).flatMap((group) => pathsOf(folder, model, group));
  return [model, ...shards];
}

export function tfjsTensors(folder: SourceFolder, spec: TfjsImport): readonly StreamedTensor[] {
  const weights = new Map<string, Weight>();
  for (const group of manifest(folder, spec.model)) {
    for (const weight of weightsOf(folder, spec.model, group)) weights.set(weight.name, weight);
  }
  const chosen =
    spec.tensors ?? Object.fromEntries([...weights.keys()].map((name) => [name, name]));
  return Object.entries(chosen).map(([name, tensor]) => {
    const from = typeof tensor === 'string' ? tensor : tensor.from;
    const weight = weights.get(from);
    if (weight === undefined) {
      throw folder.fault(spec.model, `a weight '${from}'`, `${weights.size} others`);
    }
    const shape = shapeOf(folder, spec.model, { name, tensor, weight });
    return { name, type: weight.type, shape, payload: () => readWeight(folder, weight) };
  });
}

function shapeOf(
  folder: SourceFolder,
  model: string,
  { name, tensor, weight }: { name: string; tensor: GraphTensor; weight: Weight },
): readonly number[] {
  if (typeof tensor === 'string') return weight.shape;
  if (elementsOf(tensor.shape) === elementsOf(weight.shape)) return tensor.shape;
  const asked = `[${tensor.shape.join(', ')}]`;
  throw folder.fault(model, `'${name}' as ${asked}`, `[${weight.shape.join(', ')}]`);
}

function manifest(folder: SourceFolder, model: string): readonly unknown[] {
  const document = folder.json(model);
  const groups = field(document, 'weightsManifest');
  if (Array.isArray(groups)) return groups;
  throw folder.fault(model, "an array 'weightsManifest'", typeof groups);
}

function pathsOf(folder: SourceFolder, model: string, group: unknown): readonly string[] {
  const paths = field(group, 'paths');
  const home = model.slice(0, model.lastIndexOf('/') + 1);
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string')) {
    return paths.map((path) => home + path);
  }
  throw folder.fault(model, "strings in 'weightsManifest[].paths'", typeof paths);
}

function weightsOf(folder: SourceFolder, model: string, value: unknown): readonly Weight[] {
  const shards = pathsOf(folder, model, value).map((file) => ({ file, bytes: folder.size(file) }));
  const specs = field(value, 'weights');
  if (!Array.isArray(specs)) throw folder.fault(model, "an array 'weights'", typeof specs);
  let offset = 0;
  const weights = specs.map((spec: unknown): Weight => {
    const { name, type, shape } = declarationOf(folder, model, spec);
    const bytes = (elementsOf(shape) ?? Infinity) * (type === 'BOOL' ? 1 : 4);
    const weight = { name, type, shape, group: { shards }, offset, bytes };
    offset += bytes;
    return weight;
  });
  const held = shards.reduce((sum, shard) => sum + shard.bytes, 0);
  if (held === offset) return weights;
  throw folder.fault(model, `shards of ${offset} bytes for its weights`, `${held}`);
}

function declarationOf(
  folder: SourceFolder,
  model: string,
  spec: unknown,
): { name: string; type: TensorType; shape: readonly number[] } {
  const name = field(spec, 'name');
  const type = types[String(field(spec, 'dtype'))];
  const shape = field(spec, 'shape');
  if (typeof name !== 'string') throw folder.fault(model, 'weights with a name', typeof name);
  if (type === undefined || field(spec, 'quantization') !== undefined) {
    const found = field(spec, 'quantization') === undefined ? field(spec, 'dtype') : 'quantised';
    throw folder.fault(model, `'${name}' as plain ${Object.keys(types).join(', ')}`, String(found));
  }
  const isShape = (extents: unknown): extents is readonly number[] =>
    Array.isArray(extents) &&
    extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0);
  if (!isShape(shape)) throw folder.fault(model, `a shape of '${name}'`, JSON.stringify(shape));
  return { name, type, shape };
}

function readWeight(folder: SourceFolder, { group, offset, bytes }: Weight): Uint8Array {
  const payload = new Uint8Array(bytes);
  let start = 0;
  let done = 0;
  for (const shard of group.shards) {
    const from = Math.max(offset + done - start, 0);
    const length = Math.min(shard.bytes - from, bytes - done);
    if (from < shard.bytes && length > 0) {
      folder.read(shard.file, from, payload.subarray(done, done + length));
      done += length;
    }
    start += shard.bytes;
  }
  return payload;
}

function field(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
