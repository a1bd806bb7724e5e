/** The numbers by which GGUF names the storage types of its tensors, for those that are read. */
import type { TensorType } from './tensor-type.js';

export const ggufTensorTypes: ReadonlyMap<number, TensorType> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [6, 'Q5_0'],
  [7, 'Q5_1'],
  [8, 'Q8_0'],
  [12, 'Q4_K'],
  [13, 'Q5_K'],
  [14, 'Q6_K'],
  [24, 'I8'],
  [25, 'I16'],
  [26, 'I32'],
  [27, 'I64'],
  [28, 'F64'],
  [30, 'BF16'],
]);

/** Types that a message should call by their names although they are not read. */
const otherNames: ReadonlyMap<number, string> = new Map([
  [9, 'Q8_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K'],
  [15, 'Q8_K'],
  [16, 'IQ2_XXS'],
  [17, 'IQ2_XS'],
  [18, 'IQ3_XXS'],
  [19, 'IQ1_S'],
  [20, 'IQ4_NL'],
  [21, 'IQ3_S'],
  [22, 'IQ2_S'],
  [23, 'IQ4_XS'],
  [29, 'IQ1_M'],
  [34, 'TQ1_0'],
  [35, 'TQ2_0'],
  [39, 'MXFP4'],
]);

export function unreadTypeName(id: number): string {
  const name = otherNames.get(id);
  return name === undefined ? `type ${id}` : `${name} (type ${id})`;
}

/** The number of a type; null where GGUF has none for it. */
export function ggufTypeId(type: TensorType): number | null {
  for (const [id, known] of ggufTensorTypes) if (known === type) return id;
  return null;
}
