/**
 * The structural laws of charts. Each breach is a sentence that names the state. A transition that
 * a state inherits from an ancestor counts as its own, which is how a cancel at the root that would
 * free storage in flight is found.
 */
import type { AnyStateNode } from 'xstate';
import { rowsOf, statesOf, type ChartRow } from '../../actors/machine-charts.js';
import { nameOf, type Chart } from '../../actors/statecharts.js';

/** Facts that say that the device is through with the storage. */
const retireFacts = /^(work\.(retired|failed|ended)|gather\.retired|load\.(done|failed))$/;
/** Guards that ask whether nothing is in flight: an eventless exit may wait for them. */
const idleGuards = ['isIdle', 'isUnused'];
/** How a final state may say that it ended. */
const endings = ['succeeded', 'failed', 'cancelled'];

export function breachesOf({ machine, source }: Chart): string[] {
  const root = machine.root as AnyStateNode;
  const states = statesOf(root);
  return [
    ...(root.description === undefined ? [`${machine.id} has no description`] : []),
    ...unreachable(root, states),
    ...states.flatMap(breachesOfState),
    ...unhandled(states, source),
  ];
}

function breachesOfState(state: AnyStateNode): string[] {
  const name = nameOf(state);
  const rows = rowsOf(state);
  const breaches: string[] = [];
  const isFinal = state.type === 'final';
  const tags = state.tags as string[];
  if (state.description === undefined && state.parent) breaches.push(`${name} has no description`);
  if (isFinal && !tags.some((tag) => endings.includes(tag))) {
    breaches.push(`${name} does not say how it ended (${endings.join(', ')})`);
  }
  if (!isFinal && state.parent && !exitsOf(state).some(({ target }) => target !== state)) {
    breaches.push(`${name} has no exit`);
  }
  const actions = [...state.entry, ...state.exit, ...rows.flatMap((row) => row.actions)];
  if (actions.some((action) => typeof action === 'function')) {
    breaches.push(`${name}: an inline action`);
  }
  if (rows.some(({ guard }) => isInline(guard))) breaches.push(`${name}: an inline guard`);
  const invokes = [state.config.invoke ?? []].flat() as { id?: string }[];
  if (invokes.some(({ id }) => id === undefined)) breaches.push(`${name}: an invoke without an id`);
  if (tags.includes('holdsDevice')) breaches.push(...earlyExits(state));
  return breaches;
}

/** Moves out of a state, its ancestors' included. */
function exitsOf(state: AnyStateNode): ChartRow[] {
  const own = rowsOf(state).filter(({ target }) => target !== null);
  return state.parent === undefined ? own : [...own, ...exitsOf(state.parent)];
}

/** Moves to a state that does not hold the device any more, before a fact or an idle guard. */
function earlyExits(state: AnyStateNode): string[] {
  return exitsOf(state)
    .filter(({ event, guard, target }) => {
      if (target === state || target?.tags.includes('holdsDevice')) return false;
      if (event === '') return !idleGuards.includes(guard as string);
      return !retireFacts.test(event);
    })
    .map(({ event }) => `${nameOf(state)} holds the device and is left by ${event || 'always'}`);
}

function isInline(guard: unknown): boolean {
  if (typeof guard !== 'function') return false;
  if (!('guards' in guard)) return true;
  return (guard.guards as unknown[]).some(isInline);
}

function unreachable(root: AnyStateNode, states: readonly AnyStateNode[]): string[] {
  const reached = new Set<AnyStateNode>();
  const visit = (state: AnyStateNode | undefined): void => {
    if (state === undefined || reached.has(state)) return;
    reached.add(state);
    visit(state.parent);
    visit(state.initial?.target[0] as AnyStateNode | undefined);
    for (const { target } of rowsOf(state)) if (target !== null) visit(target);
  };
  visit(root);
  return states
    .filter((state) => !reached.has(state))
    .map((state) => `${nameOf(state)} cannot be reached`);
}

/** The events that the machine's source declares as its `Event` union. */
export function declaredEvents(source: string): string[] {
  const union = /export type Event =([\s\S]*?);\n(?:\n|$)/.exec(source)?.[1] ?? '';
  return [...union.matchAll(/type: '([^']+)'/g)].map(([, type]) => type!);
}

function unhandled(states: readonly AnyStateNode[], source: string): string[] {
  const handled = new Set(states.flatMap(rowsOf).map(({ event }) => event));
  return declaredEvents(source)
    .filter((event) => !handled.has(event))
    .map((event) => `event ${event} is declared and nowhere handled`);
}
