/**
 * A guard of a machine as a plain function. Guards are named questions, possibly with parameters,
 * combined by xstate's `not`, `and` and `or`. Whatever else a machine may carry is refused when it
 * is compiled, with the place and the reason.
 */
import { and, not, or, type AnyStateMachine } from 'xstate';
import { StatusError } from '../base/errors.js';
import type { MachineEvent } from './machine-event.js';

export type CompiledGuard = (context: unknown, event: MachineEvent) => boolean;

type GuardImplementation = (
  args: { context: unknown; event: MachineEvent },
  params: unknown,
) => boolean;
/** What `not('x')` and its kin return: a function that carries how to evaluate it. */
interface Combinator {
  readonly check: unknown;
  readonly guards: readonly unknown[];
}

const checkOf = (guard: unknown): unknown => (guard as Combinator).check;
const checkNot = checkOf(not('x'));
const checkAnd = checkOf(and(['x']));
const checkOr = checkOf(or(['x']));

export function compileGuard(
  machine: AnyStateMachine,
  guard: unknown,
  where: string,
): CompiledGuard {
  if (typeof guard === 'string') return named(machine, { type: guard }, where);
  if (typeof guard === 'function') {
    if ('check' in guard) return combined(machine, guard as unknown as Combinator, where);
    const inline = guard as GuardImplementation;
    return (context, event) => inline({ context, event }, undefined);
  }
  return named(machine, guard as NamedGuard, where);
}

interface NamedGuard {
  readonly type: string;
  readonly params?: unknown;
}

function named(machine: AnyStateMachine, guard: NamedGuard, where: string): CompiledGuard {
  const implementation: unknown = machine.implementations.guards[guard.type];
  if (implementation === undefined) {
    throw new StatusError('failedPrecondition', `guard "${guard.type}" has no definition`, {
      where,
    });
  }
  // A name may stand for a combination of other names.
  if (typeof implementation !== 'function' || 'check' in implementation) {
    return compileGuard(machine, implementation, where);
  }
  const ask = implementation as GuardImplementation;
  const { params } = guard;
  if (typeof params !== 'function') return (context, event) => ask({ context, event }, params);
  return (context, event) => ask({ context, event }, params({ context, event }));
}

function combined(machine: AnyStateMachine, guard: Combinator, where: string): CompiledGuard {
  const parts = guard.guards.map((part) => compileGuard(machine, part, where));
  switch (guard.check) {
    case checkNot:
      return (context, event) => !parts[0]!(context, event);
    case checkAnd:
      return (context, event) => parts.every((part) => part(context, event));
    case checkOr:
      return (context, event) => parts.some((part) => part(context, event));
    default:
      throw new StatusError('unimplemented', 'only not, and, or combine guards here', { where });
  }
}
