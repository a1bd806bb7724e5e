/**
 * In which order the lanes of a region run. A program without races gives the same result in each;
 * tests run programs in several to prove that.
 */
export type LaneOrder = 'ascending' | 'descending' | { readonly seed: number };

export function laneOrder(order: LaneOrder): (count: number) => Iterable<number> {
  if (order === 'ascending') return ascending;
  if (order === 'descending') return descending;
  let state = order.seed >>> 0;
  const next = (): number => {
    // The linear congruential generator of Numerical Recipes: plain, and the same everywhere.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return (count) => shuffled(count, next);
}

function* ascending(count: number): Iterable<number> {
  for (let i = 0; i < count; i++) yield i;
}

function* descending(count: number): Iterable<number> {
  for (let i = count - 1; i >= 0; i--) yield i;
}

function shuffled(count: number, next: () => number): number[] {
  const lanes = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [lanes[i], lanes[j]] = [lanes[j]!, lanes[i]!];
  }
  return lanes;
}
