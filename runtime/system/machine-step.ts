/**
 * Steps a compiled machine: one event in, the next snapshot and the effects to carry out. Pure, and
 * cheap enough (about a microsecond) that a lifecycle costs less than the messages that drive it.
 */
import { assert } from '../base/errors.js';
import type { CompiledAction } from './machine-action.js';
import type { MachineEvent } from './machine-event.js';
import { matches } from './machine-table.js';
import type {
  CompiledState,
  CompiledTransition,
  FinalOutput,
  MachineTable,
  Plan,
} from './machine-table.js';

export interface MachineSnapshot {
  readonly state: CompiledState;
  readonly context: unknown;
  readonly status: 'active' | 'done';
  readonly output: unknown;
}

/** An effect with the context and event at its place in the order of actions. */
export interface EffectCall {
  readonly type: string;
  readonly params: unknown;
  readonly context: unknown;
  readonly event: MachineEvent;
}

export interface MachineStep {
  readonly snapshot: MachineSnapshot;
  readonly effects: readonly EffectCall[];
  /** False when no transition was declared, or none allowed, for the event. */
  readonly isExpected: boolean;
}

export function startMachine(table: MachineTable, input?: unknown): MachineStep {
  const event: MachineEvent = { type: 'xstate.init', input };
  const run = new Run(table, table.context(input));
  run.take(table.initial, event);
  run.settle(event);
  return run.result(true);
}

export function stepMachine(
  table: MachineTable,
  snapshot: MachineSnapshot,
  event: MachineEvent,
): MachineStep {
  const run = new Run(table, snapshot.context, snapshot.state);
  const plan = run.select(event);
  if (plan !== null) run.take(plan, event);
  run.settle(event);
  return run.result(plan !== null);
}

/** One macrostep at work. */
class Run {
  readonly #table: MachineTable;
  readonly #effects: EffectCall[] = [];
  #state: CompiledState;
  #context: unknown;
  /** Raised and done events that the same macrostep handles. */
  #raised: MachineEvent[] | null = null;
  #isDone = false;
  #output: unknown = undefined;
  #hasChanged = false;

  constructor(table: MachineTable, context: unknown, state: CompiledState = table.initial.target) {
    this.#table = table;
    this.#context = context;
    this.#state = state;
  }

  result(isExpected: boolean): MachineStep {
    const status = this.#isDone ? 'done' : 'active';
    const snapshot: MachineSnapshot = {
      state: this.#state,
      context: this.#context,
      status,
      output: this.#output,
    };
    return { snapshot, effects: this.#effects, isExpected };
  }

  select(event: MachineEvent): Plan | null {
    const exact = this.#state.on.get(event.type);
    if (exact !== undefined) return this.#allowed(exact, event);
    for (const { prefix, transitions } of this.#state.wildcards) {
      const plan = matches(event.type, prefix) ? this.#allowed(transitions, event) : null;
      if (plan !== null) return plan;
    }
    return null;
  }

  /** Eventless transitions and raised events until nothing moves. */
  settle(first: MachineEvent): void {
    let event = first;
    let isEventlessDue = true;
    for (let steps = 0; !this.#isDone; steps++) {
      if (steps > this.#table.stepsMax) {
        assert(false, `machine ${this.#table.id} to come to rest; it loops at ${this.#state.name}`);
      }
      const { always } = this.#state;
      let plan: Plan | null =
        isEventlessDue && always.length > 0 ? this.#allowed(always, event) : null;
      const isEventless: boolean = plan !== null;
      if (plan === null) {
        const raised = this.#raised?.shift();
        if (raised === undefined) return;
        event = raised;
        plan = this.select(event);
      }
      this.#hasChanged = false;
      if (plan !== null) this.take(plan, event);
      // An eventless transition that changes nothing would be taken for ever.
      isEventlessDue = !isEventless || this.#hasChanged;
    }
  }

  take(plan: Plan, event: MachineEvent): void {
    for (const step of plan.steps) {
      if (step.kind === 'action') this.#act(step.action, event);
      else {
        const output = step.output === null ? undefined : step.output(this.#context, event);
        (this.#raised ??= []).push({ type: step.type, output });
      }
    }
    if (plan.target !== this.#state) {
      this.#state = plan.target;
      this.#hasChanged = true;
    }
    if (plan.done === null) return;
    this.#isDone = true;
    this.#output = this.#finalOutput(plan.done, event);
    for (const action of plan.after) this.#act(action, event);
  }

  #allowed(candidates: readonly CompiledTransition[], event: MachineEvent): Plan | null {
    for (const { guard, plan } of candidates) {
      if (guard === null || guard(this.#context, event)) return plan;
    }
    return null;
  }

  #act(action: CompiledAction, event: MachineEvent): void {
    const context = this.#context;
    switch (action.kind) {
      case 'assign':
        this.#context = Object.assign({}, context, action.assign(context, event));
        this.#hasChanged = true;
        break;
      case 'raise':
        (this.#raised ??= []).push(action.raise(context, event));
        break;
      case 'effect': {
        const { type, params } = action;
        this.#effects.push({ type, params: params(context, event), context, event });
      }
    }
  }

  #finalOutput({ state, machine, eventType }: FinalOutput, event: MachineEvent): unknown {
    if (machine === null) return undefined;
    const output = state === null ? undefined : state(this.#context, event);
    return machine(this.#context, { type: eventType, output });
  }
}
