/** A copy of a syntax tree without its positions: what two spellings of one program share. */
export function withoutPositions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutPositions);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => key !== 'at');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutPositions(value)]));
}
