/**
 * By node, how many rules have to be opened one in the other to come from it to its rule's end,
 * Infinity where that takes more than there may be, or cannot be done at all. With this the
 * automaton never enters what it could not leave: no text that fits has a dead end.
 *
 * Levels are settled in ascending order, each node once: a node's never is less than one of those
 * that it depends on.
 */
import { END, framesMax } from './grammar-program.js';
import type { GrammarNode } from './grammar-program.js';

export function levelsOf(nodes: readonly GrammarNode[]): Float64Array {
  const levels = new Float64Array(nodes.length).fill(Infinity);
  const users: number[][] = nodes.map(() => []);
  nodes.forEach((node, index) => {
    for (const needed of dependencies(node)) users[needed]!.push(index);
  });
  const waiting: number[][] = Array.from({ length: framesMax + 1 }, () => []);
  levels[END] = 0;
  waiting[0]!.push(END);
  for (let level = 0; level <= framesMax; level += 1) {
    const open = waiting[level]!;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (levels[index] !== level) continue;
      for (const user of users[index]!) {
        const found = levelOf(nodes[user]!, levels);
        if (found > framesMax || found >= levels[user]!) continue;
        levels[user] = found;
        waiting[found]!.push(user);
      }
    }
  }
  return levels;
}

function dependencies(node: GrammarNode): readonly number[] {
  switch (node.kind) {
    case 'end':
      return [];
    case 'bytes':
      return node.ranges.map(({ next }) => next);
    case 'split':
      return node.targets;
    case 'call':
    case 'repeat':
      return [node.entry, node.next];
  }
}

function levelOf(node: GrammarNode, levels: Float64Array): number {
  switch (node.kind) {
    case 'end':
      return 0;
    case 'bytes':
      return node.ranges.reduce((least, { next }) => Math.min(least, levels[next]!), Infinity);
    case 'split':
      return node.targets.reduce((least, target) => Math.min(least, levels[target]!), Infinity);
    case 'call':
      return Math.max(1 + levels[node.entry]!, levels[node.next]!);
    case 'repeat':
      if (node.min === 0) return levels[node.next]!;
      return Math.max(1 + levels[node.entry]!, levels[node.next]!);
  }
}
