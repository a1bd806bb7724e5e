/**
 * An action of a machine as a table entry: an assignment, which changes the context; a raised
 * event, which the same step handles; or an effect, which only has a name and is carried out by the
 * actor that hosts the machine. Other built-ins of xstate are refused: messages, timers and
 * children belong to the actor.
 */
import type { AnyStateMachine } from 'xstate';
import { StatusError } from '../base/errors.js';
import type { MachineEvent } from './machine-event.js';

interface ActionArguments {
  readonly context: unknown;
  readonly event: MachineEvent;
}

type Parameters = unknown;

export type CompiledAction =
  | {
      readonly kind: 'assign';
      /** As the machine calls it; none for one that is written in place. */
      readonly name?: string;
      readonly assign: (context: unknown, event: MachineEvent) => object;
    }
  | {
      readonly kind: 'raise';
      readonly name?: string;
      readonly raise: (context: unknown, event: MachineEvent) => MachineEvent;
    }
  | {
      readonly kind: 'effect';
      readonly type: string;
      readonly params: (context: unknown, event: MachineEvent) => Parameters;
    };

type Assigner = (args: ActionArguments, params: Parameters) => unknown;

/** The parts of xstate's `assign(…)` and `raise(…)` that carry their meaning. */
interface Builtin {
  readonly type: string;
  readonly assignment?: Assigner | Record<string, unknown>;
  readonly event?: unknown;
  readonly delay?: unknown;
}

export function compileAction(
  machine: AnyStateMachine,
  action: unknown,
  where: string,
): CompiledAction {
  if (typeof action === 'function') {
    if ('resolve' in action) return builtin(action as unknown as Builtin, () => undefined, where);
    throw refused('an inline function is no action here: name it', where);
  }
  const named = typeof action === 'string' ? { type: action } : (action as { type: string });
  const implementation: unknown = (machine.implementations.actions as Record<string, unknown>)[
    named.type
  ];
  const params = parametersOf(named as { params?: unknown });
  if (typeof implementation === 'function' && 'resolve' in implementation) {
    const { type: name } = named;
    return { ...builtin(implementation as unknown as Builtin, params, where), name };
  }
  return { kind: 'effect', type: named.type, params };
}

type ParametersOf = (context: unknown, event: MachineEvent) => Parameters;

function parametersOf({ params }: { params?: unknown }): ParametersOf {
  if (typeof params !== 'function') return () => params;
  return (context, event) => params({ context, event });
}

type BuiltinAction = Exclude<CompiledAction, { kind: 'effect' }>;

function builtin(action: Builtin, params: ParametersOf, where: string): BuiltinAction {
  if (action.type === 'xstate.assign') {
    const { assignment } = action;
    if (typeof assignment === 'function') {
      return {
        kind: 'assign',
        assign: (context, event) =>
          assignment({ context, event }, params(context, event)) as object,
      };
    }
    return { kind: 'assign', assign: assignFields(assignment!, params) };
  }
  if (action.type === 'xstate.raise' && action.delay === undefined) {
    const { event: raised } = action;
    if (typeof raised !== 'function') {
      return { kind: 'raise', raise: () => raised as MachineEvent };
    }
    return {
      kind: 'raise',
      raise: (context, event) => raised({ context, event }, params(context, event)),
    };
  }
  throw refused(
    `the action ${action.type} is the business of the actor, not of its machine`,
    where,
  );
}

function assignFields(
  assignment: Record<string, unknown>,
  params: ParametersOf,
): (context: unknown, event: MachineEvent) => object {
  const fields = Object.entries(assignment);
  return (context, event) => {
    const update: Record<string, unknown> = {};
    for (const [name, value] of fields) {
      update[name] =
        typeof value === 'function'
          ? (value as Assigner)({ context, event }, params(context, event))
          : value;
    }
    return update;
  };
}

function refused(message: string, where: string): StatusError {
  return new StatusError('unimplemented', message, { where });
}
