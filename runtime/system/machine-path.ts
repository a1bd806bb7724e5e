/**
 * Which states a transition leaves and enters, by the rules of SCXML for machines whose active
 * states form one path. Pure; follows xstate's reading of the rules where SCXML leaves a choice.
 */
import type { AnyStateNode } from 'xstate';

/** The parts of xstate's transition definition that matter here. */
export interface TransitionDefinition {
  readonly source: AnyStateNode;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly reenter: boolean;
  readonly eventType: string;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

/** A state to enter; `isDefault` when its initial transition's actions run too. */
export interface NodeEntry {
  readonly node: AnyStateNode;
  readonly isDefault: boolean;
}

export interface TransitionPath {
  /** Innermost first. */
  readonly exit: readonly AnyStateNode[];
  /** Outermost first. */
  readonly enter: readonly NodeEntry[];
}

/** Where a plan ends: the leaf, and all active states from the root to it. */
export interface Destination {
  readonly leaf: AnyStateNode;
  readonly path: readonly AnyStateNode[];
}

export function planTransition(
  transition: TransitionDefinition,
  leaf: AnyStateNode,
): TransitionPath {
  const target = transition.target?.[0];
  if (target === undefined) return { exit: [], enter: [] };
  const { source, reenter } = transition;
  const domain = domainOf(source, target, reenter);
  const active = ancestry(leaf);
  const exit = domain === null ? active : active.slice(0, active.indexOf(domain));
  const enter: NodeEntry[] = [];
  const isEntered = source !== target || source !== domain || reenter;
  if (isEntered) enter.push({ node: target, isDefault: true });
  if (target !== domain) {
    for (let node = target.parent; node && node !== domain; node = node.parent) {
      enter.unshift({ node, isDefault: false });
    }
  }
  return { exit, enter: [...enter, ...defaultDescendants(target)] };
}

/** Everything that is entered at the start. */
export function planInitial(root: AnyStateNode): NodeEntry[] {
  return [{ node: root, isDefault: true }, ...defaultDescendants(root)];
}

/** The active states that a transition from `leaf` does not leave, root first. */
export function staying(leaf: AnyStateNode, exit: readonly AnyStateNode[]): AnyStateNode[] {
  return ancestry(leaf).slice(exit.length).reverse();
}

/** Where a transition ends that keeps `stays` and enters `enter`. */
export function destinationOf(
  stays: readonly AnyStateNode[],
  enter: readonly NodeEntry[],
): Destination {
  const path = [...stays, ...enter.map(({ node }) => node)];
  return { leaf: path.at(-1)!, path };
}

function defaultDescendants(node: AnyStateNode): NodeEntry[] {
  const first = node.type === 'compound' ? (node.initial.target[0] as AnyStateNode) : undefined;
  return first === undefined
    ? []
    : [{ node: first, isDefault: true }, ...defaultDescendants(first)];
}

/** The state within which the transition happens and which it does not leave; null: none stays. */
function domainOf(
  source: AnyStateNode,
  target: AnyStateNode,
  reenter: boolean,
): AnyStateNode | null {
  const isInside = ancestry(target).includes(source);
  if (!reenter && isInside) return source;
  for (let node = target.parent; node; node = node.parent) {
    if (node !== source && ancestry(source).includes(node)) return node;
  }
  return reenter ? null : source.machine.root;
}

/** The node and its ancestors, innermost first. */
function ancestry(node: AnyStateNode): AnyStateNode[] {
  return node.parent === undefined ? [node] : [node, ...ancestry(node.parent)];
}
