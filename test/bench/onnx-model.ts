/**
 * An ONNX document with one MatMul of fixed shape: the wire format of protocol buffers, written by
 * hand (field numbers of onnx.proto3).
 */
export interface MatMulShape {
  readonly M: number;
  readonly K: number;
  readonly N: number;
}

const FLOAT = 1;
const VARINT = 0;
const BYTES = 2;

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

const integer = (field: number, value: number): number[] => [
  ...varint(field * 8 + VARINT),
  ...varint(value),
];
const message = (field: number, content: readonly number[]): number[] => [
  ...varint(field * 8 + BYTES),
  ...varint(content.length),
  ...content,
];
const text = (field: number, value: string): number[] => message(field, [...Buffer.from(value)]);

function valueInfo(name: string, extents: readonly number[]): number[] {
  const shape = extents.flatMap((extent) => message(1, integer(1, extent)));
  const tensor = [...integer(1, FLOAT), ...message(2, shape)];
  return [...text(1, name), ...message(2, message(1, tensor))];
}

/** y[M, N] = x[M, K] · w[K, N], all f32. */
export function matMulModel({ M, K, N }: MatMulShape): Uint8Array {
  const node = [...text(1, 'x'), ...text(1, 'w'), ...text(2, 'y'), ...text(4, 'MatMul')];
  const graph = [
    ...message(1, node),
    ...text(2, 'product'),
    ...message(11, valueInfo('x', [M, K])),
    ...message(11, valueInfo('w', [K, N])),
    ...message(12, valueInfo('y', [M, N])),
  ];
  const operators = [...text(1, ''), ...integer(2, 13)];
  return Uint8Array.from([...integer(1, 8), ...message(7, graph), ...message(8, operators)]);
}
