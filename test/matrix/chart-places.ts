/**
 * The rows of the matrix: every state of every machine of the build, and whether an actor can be
 * found there between two events. One that is left by an eventless transition without a guard is
 * passed in the very step that enters it, whatever the context says.
 */
import type { AnyStateNode } from 'xstate';
import { loadMachines, rowsOf, statesOf } from '../../actors/machine-charts.js';
import type { Place } from './follower.js';

export interface ChartPlace extends Place {
  /** An actor waits there, has ended there, or passes through. */
  readonly kind: 'rests' | 'ends' | 'passes';
}

export async function chartPlaces(): Promise<ChartPlace[]> {
  const machines = await loadMachines();
  return machines.flatMap(({ machine }) =>
    statesOf(machine.root)
      .filter((state) => state.parent !== undefined && Object.keys(state.states).length === 0)
      .map((state) => ({ machine: machine.id, state: state.path.join('.'), kind: kindOf(state) })),
  );
}

function kindOf(state: AnyStateNode): ChartPlace['kind'] {
  if (state.type === 'final') return 'ends';
  const eventless = rowsOf(state).filter(({ event }) => event === '');
  return eventless.some(({ guard }) => guard === undefined) ? 'passes' : 'rests';
}
