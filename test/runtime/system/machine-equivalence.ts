/** Compares one run of a machine's table with xstate's own pure transition function. */
import * as assert from 'uvu/assert';
import { initialTransition, transition, type AnyStateMachine } from 'xstate';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import type { MachineSnapshot, MachineStep } from '../../../runtime/system/machine-step.js';
import { compileMachine, type MachineTable } from '../../../runtime/system/machine-table.js';

/** What of a step can be seen from outside. */
interface Seen {
  readonly value: unknown;
  readonly context: unknown;
  readonly status: string;
  readonly output: unknown;
  readonly tags: readonly string[];
  readonly effects: readonly unknown[];
}

/** How many events were stepped before an end; -1 when the machine loops from its start. */
export function assertEquivalent(
  machine: AnyStateMachine,
  input: unknown,
  events: readonly MachineEvent[],
): number {
  const table = compileMachine(machine);
  const expected = attempt(() => theirStart(machine, input));
  const actual = attempt(() => startMachine(table, input));
  if (expected === null || actual === null) {
    assert.is(actual, expected, 'both loop from the start, or none does');
    return -1;
  }
  let theirs = expected.snapshot;
  let ours: MachineSnapshot = actual.snapshot;
  assert.equal(seenOf(actual), expected.seen);
  for (const [index, event] of events.entries()) {
    if (ours.status === 'done') return index;
    const next = stepBoth(machine, table, { theirs, ours }, event);
    if (next === null) return index;
    theirs = next.theirs;
    ours = next.ours;
  }
  return events.length;
}

interface Pair {
  readonly theirs: any;
  readonly ours: MachineSnapshot;
}

function stepBoth(
  machine: AnyStateMachine,
  table: MachineTable,
  { theirs, ours }: Pair,
  event: MachineEvent,
): Pair | null {
  const expected = attempt(() => theirStep(machine, theirs, event));
  const actual = attempt(() => stepMachine(table, ours, event));
  if (expected === null || actual === null) {
    assert.is(actual, expected, `both loop on ${event.type}, or none does`);
    return null;
  }
  assert.equal(seenOf(actual), expected.seen, `after ${event.type}`);
  const candidates = machine.getTransitionData(theirs, event);
  assert.is(actual.isExpected, candidates.length > 0, `${event.type} is expected`);
  return { theirs: expected.snapshot, ours: actual.snapshot };
}

function theirStart(machine: AnyStateMachine, input: unknown) {
  const [snapshot, actions] = initialTransition(machine, input as never);
  if (snapshot.status === 'error') throw snapshot.error;
  return { snapshot, seen: theirSeen(snapshot, actions) };
}

function theirStep(machine: AnyStateMachine, before: any, event: MachineEvent) {
  const [snapshot, actions] = transition(machine, before, event as never);
  return { snapshot, seen: theirSeen(snapshot, actions) };
}

function theirSeen(snapshot: any, actions: readonly any[]): Seen {
  return {
    value: snapshot.value,
    context: snapshot.context,
    status: snapshot.status,
    output: snapshot.output,
    tags: [...snapshot.tags].sort() as string[],
    effects: actions
      .filter(({ type }) => !type.startsWith('xstate.'))
      .map(({ type, params, info }) => ({
        type,
        params,
        context: info.context,
        event: info.event,
      })),
  };
}

function seenOf({ snapshot, effects }: MachineStep): Seen {
  const { state, context, status, output } = snapshot;
  return {
    value: state.value,
    context,
    status,
    output,
    tags: [...state.tags].sort(),
    effects: effects.map(({ type, params, context: at, event }) => ({
      type,
      params,
      context: at,
      event,
    })),
  };
}

/** Null when it does not come to rest. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    const { message } = error as Error;
    if (/Infinite loop|come to rest/.test(message)) return null;
    throw error;
  }
}
