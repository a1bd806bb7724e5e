/** Some texts, each with what comes after it, as one tree: texts that begin alike are read once. */
import type { ProgramBuilder } from './program-builder.js';

interface Branch {
  readonly ways: Map<number, Branch>;
  readonly nexts: number[];
}

export interface Literal {
  readonly text: string;
  readonly next: number;
}

export function literals(builder: ProgramBuilder, all: readonly Literal[]): number {
  const root: Branch = { ways: new Map(), nexts: [] };
  /** A branch always comes before those that grow out of it. */
  const order = [root];
  let inner = 0;
  for (const { text, next } of all) {
    let branch = root;
    for (const byte of new TextEncoder().encode(text)) {
      let way = branch.ways.get(byte);
      if (way === undefined) {
        // Each of them will be a state: what has too many is refused before the tree is grown.
        if (branch.ways.size === 0) builder.checkRoom((inner += 1));
        way = { ways: new Map(), nexts: [] };
        branch.ways.set(byte, way);
        order.push(way);
      }
      branch = way;
    }
    if (!branch.nexts.includes(next)) branch.nexts.push(next);
  }
  const nodes = new Map<Branch, number>();
  for (const branch of order.reverse()) {
    const ranges = Array.from(branch.ways, ([byte, way]) => ({
      low: byte,
      high: byte,
      next: nodes.get(way)!,
    }));
    const onward = ranges.length === 0 ? [] : [builder.bytes(ranges)];
    nodes.set(branch, builder.split([...branch.nexts, ...onward]));
  }
  return nodes.get(root)!;
}
