/**
 * ONNX documents with matrix products of fixed shape: the wire format of protocol buffers, written
 * by hand (field numbers of onnx.proto3).
 */
export interface MatMulShape {
  readonly M: number;
  readonly K: number;
  readonly N: number;
}

const FLOAT = 1;
const ATTRIBUTE_INT = 2;
const VARINT = 0;
const BYTES = 2;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const integer = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field * 8 + VARINT), varint(value)]);
function message(field: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([varint(field * 8 + BYTES), varint(body.length), body]);
}
const text = (field: number, value: string): Buffer => message(field, Buffer.from(value));

function valueInfo(name: string, extents: readonly number[]): Buffer {
  const shape = extents.map((extent) => message(1, integer(1, extent)));
  const tensor = Buffer.concat([integer(1, FLOAT), message(2, ...shape)]);
  return Buffer.concat([text(1, name), message(2, message(1, tensor))]);
}

/** A constant of the graph: f32, row-major. */
function constant(name: string, extents: readonly number[], values: Float32Array): Buffer {
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const dims = extents.map((extent) => integer(1, extent));
  return message(5, ...dims, integer(2, FLOAT), text(8, name), message(9, data));
}

interface Node {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly axis?: number;
}

function node({ type, inputs, outputs, axis }: Node): Buffer {
  const ends = [...inputs.map((name) => text(1, name)), ...outputs.map((name) => text(2, name))];
  if (axis === undefined) return message(1, ...ends, text(4, type));
  const attribute = [text(1, 'axis'), integer(3, axis), integer(20, ATTRIBUTE_INT)];
  return message(1, ...ends, text(4, type), message(5, ...attribute));
}

/**
 * `times` products of M rows each with one constant matrix w[K, N], all f32: x[times * M, K] is
 * split, each part is multiplied, y[times * M, N] takes the results. The matrix is a constant, so
 * the runtime may lay it out beforehand as it would a model's weights.
 */
export function matMulModel({ M, K, N }: MatMulShape, w: Float32Array, times: number): Uint8Array {
  const names = (letter: string) =>
    times === 1 ? [letter] : Array.from({ length: times }, (_, i) => `${letter}${i}`);
  const [parts, results] = [names('x'), names('y')];
  const products = parts.map((part, i) => ({
    type: 'MatMul',
    inputs: [part, 'w'],
    outputs: [results[i]!],
  }));
  const split = { type: 'Split', inputs: ['x'], outputs: parts, axis: 0 };
  const join = { type: 'Concat', inputs: results, outputs: ['y'], axis: 0 };
  const nodes = times === 1 ? products : [split, ...products, join];
  const graph = message(
    7,
    ...nodes.map(node),
    text(2, 'product'),
    constant('w', [K, N], w),
    message(11, valueInfo('x', [times * M, K])),
    message(12, valueInfo('y', [times * M, N])),
  );
  // Operator set 11: the last one whose Split takes its parts from the number of outputs.
  const operators = message(8, text(1, ''), integer(2, 11));
  return Buffer.concat([integer(1, 8), graph, operators]);
}
