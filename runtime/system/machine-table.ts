/**
 * A machine compiled to a table, once. Without parallel states and history the active states are
 * always one path from the root to a leaf, so all that a transition does (which states it leaves
 * and enters, in which order their actions run, where it ends) is known before any event arrives.
 *
 * Holds: stepping the table equals xstate's own `transition`, proved by property tests over
 * generated machines and over every machine of the repository. Used by: `machine-step.ts`.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { StatusError } from '../base/errors.js';
import { compileAction, type CompiledAction } from './machine-action.js';
import { compileGuard, type CompiledGuard } from './machine-guard.js';
import type { MachineEvent } from './machine-event.js';
import { destinationOf, planInitial, planTransition, staying } from './machine-path.js';
import type { Destination, NodeEntry, TransitionDefinition } from './machine-path.js';

export type StateValue = string | { readonly [state: string]: StateValue };

/** A leaf of the machine: where it rests between events. */
export interface CompiledState {
  /** Path of the leaf, joined by dots. */
  readonly name: string;
  readonly value: StateValue;
  readonly tags: ReadonlySet<string>;
  /** Candidates by exact event type, in the order in which they are asked. */
  readonly on: Map<string, CompiledTransition[]>;
  /** For event types that the machine does not name. */
  readonly wildcards: { readonly prefix: string; readonly transitions: CompiledTransition[] }[];
  readonly always: CompiledTransition[];
}

export interface CompiledTransition {
  readonly guard: CompiledGuard | null;
  readonly plan: Plan;
}

/** What a transition or the start does, in order. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly target: CompiledState;
  /** The plan entered a final state of the root: the machine is done. */
  readonly done: FinalOutput | null;
  /** Actions after the output was computed: exits of all that was active when it was done. */
  readonly after: readonly CompiledAction[];
}

export type PlanStep =
  | { readonly kind: 'action'; readonly action: CompiledAction }
  /** A nested final state was entered: its parent's `onDone` event. */
  | {
      readonly kind: 'done';
      readonly type: string;
      readonly output: OutputFunction | null;
    };

export type OutputFunction = (context: unknown, event: MachineEvent) => unknown;

export interface FinalOutput {
  /** Of the final state, and of the machine given the final state's. */
  readonly state: OutputFunction | null;
  readonly machine: OutputFunction | null;
  readonly eventType: string;
}

export interface MachineTable {
  readonly id: string;
  readonly initial: Plan;
  readonly context: (input: unknown) => unknown;
  /** Names of the actions that the host must carry out. */
  readonly effects: ReadonlySet<string>;
  /** Eventless and raised steps in one go, at most. */
  readonly stepsMax: number;
}

/** More than this is a loop of eventless transitions. */
const STEPS_MAX = 1000;

export function compileMachine(machine: AnyStateMachine): MachineTable {
  return new Compiler(machine).compile();
}

class Compiler {
  readonly #machine: AnyStateMachine;
  readonly #states = new Map<AnyStateNode, CompiledState>();
  readonly #actions = new Map<unknown, CompiledAction>();
  readonly #effects = new Set<string>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  compile(): MachineTable {
    const { root, config, options } = this.#machine;
    const leaves = leavesOf(root);
    for (const leaf of leaves) this.#states.set(leaf, newState(leaf));
    for (const leaf of leaves) this.#fill(leaf);
    const entered = planInitial(root);
    const { context } = config as { context?: unknown };
    const stepsMax = (options as { maxIterations?: number }).maxIterations ?? STEPS_MAX;
    return {
      id: this.#machine.id,
      initial: this.#plan([], destinationOf([], entered), entered),
      context: (input) =>
        typeof context === 'function' ? { ...context({ input }) } : (context ?? {}),
      effects: this.#effects,
      stepsMax: Number.isFinite(stepsMax) ? stepsMax : STEPS_MAX,
    };
  }

  #fill(leaf: AnyStateNode): void {
    const state = this.#states.get(leaf)!;
    const path = pathTo(leaf).reverse();
    const types = new Set(path.flatMap((node) => [...node.transitions.keys()]).filter(isExact));
    for (const type of types) {
      const found = path.flatMap((node) => candidatesOf(node, type));
      state.on.set(
        type,
        found.map((transition) => this.#transition(leaf, transition)),
      );
    }
    for (const node of path) {
      const descriptors = [...node.transitions.keys()].filter((type) => !isExact(type));
      for (const descriptor of descriptors.sort((a, b) => b.length - a.length)) {
        const transitions = node.transitions.get(descriptor)!.map((t) => this.#transition(leaf, t));
        state.wildcards.push({ prefix: descriptor.slice(0, -1), transitions });
      }
      for (const transition of node.always ?? []) {
        state.always.push(this.#transition(leaf, transition));
      }
    }
  }

  #transition(leaf: AnyStateNode, transition: TransitionDefinition): CompiledTransition {
    const where = `${transition.source.id} on ${transition.eventType || 'always'}`;
    if ((transition.target?.length ?? 0) > 1) throw refused('several targets', where);
    const { exit, enter } = planTransition(transition, leaf);
    const before = exit.flatMap((node) => this.#compiled(node.exit, `exit of ${node.id}`));
    const actions = this.#compiled(transition.actions, where);
    return {
      guard:
        transition.guard === undefined
          ? null
          : compileGuard(this.#machine, transition.guard, where),
      plan: this.#plan([...before, ...actions], destinationOf(staying(leaf, exit), enter), enter),
    };
  }

  #plan(
    before: readonly CompiledAction[],
    { leaf, path }: Destination,
    entered: readonly NodeEntry[],
  ): Plan {
    const steps: PlanStep[] = before.map((action) => ({ kind: 'action', action }));
    let done: FinalOutput | null = null;
    for (const { node, isDefault } of entered) {
      const initial = isDefault ? node.initial.actions : [];
      for (const action of this.#compiled([...node.entry, ...initial], `entry of ${node.id}`)) {
        steps.push({ kind: 'action', action });
      }
      if (node.type !== 'final') continue;
      const { parent } = node;
      if (parent === undefined) continue;
      const output = outputFunction(node.output);
      if (parent.parent === undefined) done = this.#finalOutput(node);
      else steps.push({ kind: 'done', type: `xstate.done.state.${parent.id}`, output });
    }
    const after =
      done === null
        ? []
        : [...path].reverse().flatMap((node) => this.#compiled(node.exit, `exit of ${node.id}`));
    return { steps, target: this.#states.get(leaf)!, done, after };
  }

  #finalOutput(node: AnyStateNode): FinalOutput {
    return {
      state: outputFunction(node.output),
      machine: outputFunction(this.#machine.root.output),
      eventType: `xstate.done.state.${node.id}`,
    };
  }

  #compiled(actions: readonly unknown[], where: string): CompiledAction[] {
    return actions.map((action) => {
      const known = this.#actions.get(action);
      if (known !== undefined) return known;
      const compiled = compileAction(this.#machine, action, `${this.#machine.id}: ${where}`);
      if (compiled.kind === 'effect') this.#effects.add(compiled.type);
      this.#actions.set(action, compiled);
      return compiled;
    });
  }
}

/** The leaves below a node. Refuses what the table has no form for. */
function leavesOf(node: AnyStateNode): AnyStateNode[] {
  if (node.type === 'parallel') throw refused('a parallel state', node.id);
  if (node.type === 'history') throw refused('a history state', node.id);
  if (node.invoke.length > 0) throw refused('an invoke: spawn from an effect instead', node.id);
  if (node.after.length > 0) throw refused('a delay: start a timer from an effect', node.id);
  const children = Object.values(node.states);
  return children.length === 0 ? [node] : children.flatMap(leavesOf);
}

function newState(leaf: AnyStateNode): CompiledState {
  const path = pathTo(leaf);
  const tags = new Set(path.flatMap((node) => node.tags as string[]));
  return {
    name: leaf.path.join('.'),
    value: valueOf(leaf.path),
    tags,
    on: new Map(),
    wildcards: [],
    always: [],
  };
}

function valueOf(path: readonly string[]): StateValue {
  const [first, ...rest] = path;
  if (first === undefined) return {};
  return rest.length === 0 ? first : { [first]: valueOf(rest) };
}

/** From the root to the node. */
function pathTo(node: AnyStateNode): AnyStateNode[] {
  return node.parent === undefined ? [node] : [...pathTo(node.parent), node];
}

const isExact = (descriptor: string): boolean => descriptor !== '*' && !descriptor.endsWith('.*');

/** Transitions of one node for an event type: the exact ones, then wildcards, longest first. */
function candidatesOf(node: AnyStateNode, type: string): TransitionDefinition[] {
  const wildcards = [...node.transitions.keys()]
    .filter((descriptor) => !isExact(descriptor) && matches(type, descriptor.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  return [type, ...wildcards].flatMap((key) => node.transitions.get(key) ?? []);
}

/** `prefix` is the descriptor without its star: empty, or ending with a dot. */
export function matches(type: string, prefix: string): boolean {
  return prefix === '' || type.startsWith(prefix) || `${type}.` === prefix;
}

function outputFunction(output: unknown): OutputFunction | null {
  if (output === undefined) return null;
  if (typeof output !== 'function') return () => output;
  return (context, event) => output({ context, event });
}

function refused(what: string, where: string): StatusError {
  return new StatusError('unimplemented', `machines here have no form for ${what}`, { where });
}
