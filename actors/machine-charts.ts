/**
 * The machines of a build, and each as a chart in plain data for the console: read from the very
 * definitions that run, so that what is drawn cannot differ from what happens.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StateMachine, type AnyStateMachine, type AnyStateNode } from 'xstate';
import type { ChartTransition, MachineChart } from '../http/observing.js';
import { assert } from '../runtime/base/errors.js';

const suffix = '.machine.js';

export interface Machine {
  /** Path of the source below `actors/`, as in `serving/cohort.machine.ts`. */
  readonly path: string;
  readonly machine: AnyStateMachine;
}

export interface ChartRow {
  readonly state: AnyStateNode;
  /** Empty for an eventless transition. */
  readonly event: string;
  readonly guard: unknown;
  readonly actions: readonly unknown[];
  readonly target: AnyStateNode | null;
}

/** The folder of the sources: the nearest one above the build that holds the package. */
export function sourceRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    assert(dirname(folder) !== folder, 'a package.json above the build');
    folder = dirname(folder);
  }
  return folder;
}

/** Every machine of the build, by path. */
export function loadMachines(): Promise<Machine[]> {
  const build = import.meta.dirname;
  const sources = join(sourceRoot(), 'actors');
  // A build folder may still hold what the sources no longer have; an installed one has none.
  const isKept = (path: string): boolean => !existsSync(sources) || existsSync(join(sources, path));
  const files = readdirSync(build, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((file) => ({ file, path: file.replace(/\.js$/, '.ts') }))
    .filter(({ path }) => isKept(path));
  return Promise.all(
    files.map(({ file, path }) =>
      import(pathToFileURL(join(build, file)).href).then((exports: object): Machine => ({
        path,
        machine: machineIn(exports, path),
      })),
    ),
  );
}

function machineIn(exports: object, path: string): AnyStateMachine {
  const machines = Object.values(exports).filter((value) => value instanceof StateMachine);
  assert(machines.length === 1, `one exported machine in ${path}`);
  return machines[0] as unknown as AnyStateMachine;
}

/** Every state, parents before children. */
export function statesOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(statesOf)];
}

/** Every transition that a state declares itself. */
export function rowsOf(state: AnyStateNode): ChartRow[] {
  const declared = [...state.transitions].flatMap(([event, list]) =>
    list.map((transition) => ({ event, transition })),
  );
  const eventless = (state.always ?? []).map((transition) => ({ event: '', transition }));
  return [...declared, ...eventless].map(({ event, transition }) => ({
    state,
    event,
    guard: transition.guard,
    actions: transition.actions,
    target: (transition.target?.[0] as AnyStateNode | undefined) ?? null,
  }));
}

interface Combinator {
  readonly name: string;
  readonly guards: readonly unknown[];
}

/** `isOpen`, or `and(isOpen, not(isFull))`. */
export function guardName(guard: unknown): string {
  if (typeof guard === 'function' && 'guards' in guard) {
    const { name, guards } = guard as unknown as Combinator;
    return `${name}(${guards.map(guardName).join(', ')})`;
  }
  return nameOfPart(guard);
}

export function nameOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part === 'function') return '(inline)';
  return (part as { type: string }).type;
}

/** States are named as records and descriptions name them. */
export function chartOf({ path, machine }: Machine): MachineChart {
  const { root } = machine;
  const states = statesOf(root).filter((state) => state.parent !== undefined);
  const initial = root.initial?.target[0] as AnyStateNode | undefined;
  return {
    id: machine.id,
    path,
    description: root.description ?? '',
    initial: initial === undefined ? '' : pathName(initial),
    states: states.map((state) => ({
      name: pathName(state),
      description: state.description ?? '',
      type: typeOf(state),
      tags: [...(state.tags as string[])],
    })),
    transitions: states.flatMap((state) => rowsOf(state).map(transitionOf)),
  };
}

const pathName = (state: AnyStateNode): string => state.path.join('.');

function typeOf({ type, states }: AnyStateNode): 'atomic' | 'compound' | 'final' {
  if (type === 'final') return 'final';
  return Object.keys(states).length > 0 ? 'compound' : 'atomic';
}

function transitionOf({ state, event, guard, actions, target }: ChartRow): ChartTransition {
  return {
    from: pathName(state),
    event,
    guard: guard === undefined ? null : guardName(guard),
    actions: actions.map(nameOfPart),
    to: target === null ? null : pathName(target),
  };
}
