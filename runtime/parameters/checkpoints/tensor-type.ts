/**
 * The storage types of checkpoint tensors and their sizes. A type is a row of blocks of equal size:
 * plain numbers are blocks of one element, quantised types are the block formats of ggml, whose
 * blocks lie along the innermost axis only.
 */
export interface BlockLayout {
  readonly elements: number;
  readonly bytes: number;
}

const plain = (bytes: number): BlockLayout => ({ elements: 1, bytes });

export const blockLayouts = {
  F64: plain(8),
  F32: plain(4),
  F16: plain(2),
  BF16: plain(2),
  F8_E4M3: plain(1),
  F8_E5M2: plain(1),
  I64: plain(8),
  I32: plain(4),
  I16: plain(2),
  I8: plain(1),
  U64: plain(8),
  U32: plain(4),
  U16: plain(2),
  U8: plain(1),
  BOOL: plain(1),
  Q8_0: { elements: 32, bytes: 34 },
  Q4_0: { elements: 32, bytes: 18 },
  Q4_1: { elements: 32, bytes: 20 },
  Q5_0: { elements: 32, bytes: 22 },
  Q5_1: { elements: 32, bytes: 24 },
  Q4_K: { elements: 256, bytes: 144 },
  Q5_K: { elements: 256, bytes: 176 },
  Q6_K: { elements: 256, bytes: 210 },
} as const satisfies Readonly<Record<string, BlockLayout>>;

export type TensorType = keyof typeof blockLayouts;

export const tensorTypes = Object.keys(blockLayouts) as readonly TensorType[];

/** Types that a checkpoint of plain numbers may use: one element a block. */
export const plainTypes = tensorTypes.filter((type) => blockLayouts[type].elements === 1);

/** Elements of a shape; a scalar has one. Null when no safe integer holds the number. */
export function elementsOf(shape: readonly number[]): number | null {
  if (shape.includes(0)) return 0;
  let elements = 1;
  for (const extent of shape) {
    elements *= extent;
    if (elements > Number.MAX_SAFE_INTEGER) return null;
  }
  return elements;
}

/** Why a shape has no size in a type, as the two halves of a message. */
export interface SizeFault {
  readonly expected: string;
  readonly found: string;
}

/** Bytes of a tensor, or why there are none: blocks must divide its rows. */
export function tensorSize(type: TensorType, shape: readonly number[]): number | SizeFault {
  const block: BlockLayout = blockLayouts[type];
  const row = shape.at(-1) ?? 1;
  if (row % block.elements !== 0) {
    const expected = `rows of a multiple of ${block.elements} elements for ${type}`;
    return { expected, found: `rows of ${row}` };
  }
  const elements = elementsOf(shape);
  const bytes = elements === null ? Infinity : (elements / block.elements) * block.bytes;
  if (Number.isSafeInteger(bytes)) return bytes;
  return {
    expected: `at most ${Number.MAX_SAFE_INTEGER} bytes`,
    found: `${type} of shape [${shape.join(', ')}]`,
  };
}
