/**
 * The key of a property that is not declared: any string without escapes that is none of the names.
 * Without escapes a key has one way to be written, so that none is a declared one in disguise.
 */
import { character, characterRanges, without } from './code-points.js';
import { END } from './grammar-program.js';
import { plainCharacters } from './json-text.js';
import type { ProgramBuilder } from './program-builder.js';

interface Branch {
  readonly ways: Map<number, Branch>;
  isName: boolean;
}

export function otherKey(builder: ProgramBuilder, names: readonly string[], next: number): number {
  const close = builder.text('"', next);
  const plain = character(builder, plainCharacters, END);
  const rest = builder.repeat({ entry: plain, min: 0, max: Infinity, next: close });
  const order = branches(names);
  const nodes = new Map<Branch, number>();
  for (const branch of order.reverse()) {
    const taken = [...branch.ways.keys()];
    const ways = [...branch.ways].flatMap(([point, way]) =>
      characterRanges(builder, [[point, point]], nodes.get(way)!),
    );
    const others = characterRanges(builder, without(plainCharacters, taken), rest);
    const here = builder.bytes([...ways, ...others]);
    nodes.set(branch, branch.isName ? here : builder.split([here, close]));
  }
  return builder.text('"', nodes.get(order.at(-1)!)!);
}

/** The names as a tree of characters; each branch before those that grow out of it. */
function branches(names: readonly string[]): Branch[] {
  const root: Branch = { ways: new Map(), isName: false };
  const order = [root];
  for (const name of names) {
    // A name that needs escapes cannot be met.
    if (JSON.stringify(name) !== `"${name}"`) continue;
    let branch = root;
    for (const one of name) {
      const point = one.codePointAt(0)!;
      let way = branch.ways.get(point);
      if (way === undefined) {
        way = { ways: new Map(), isName: false };
        branch.ways.set(point, way);
        order.push(way);
      }
      branch = way;
    }
    branch.isName = true;
  }
  return order;
}
