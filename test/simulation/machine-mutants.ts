/**
 * Single changes to the machines that run: a transition taken out, a guard that always allows, an
 * action (an assignment or an effect) left out. Made in the compiled tables, where every actor of
 * the process steps them, and taken back afterwards.
 */
import { bank } from '../../actors/model/bank.js';
import { deployment } from '../../actors/model/deployment.js';
import { deviceQueue } from '../../actors/model/device-queue.js';
import { gather } from '../../actors/model/gather.js';
import { generation } from '../../actors/model/generation.js';
import { preparation } from '../../actors/model/preparation.js';
import { rowMemory } from '../../actors/model/row-memory.js';
import { specialization } from '../../actors/model/specialization.js';
import { cohort } from '../../actors/serving/cohort.js';
import { epoch } from '../../actors/serving/epoch.js';
import { finiteRequest } from '../../actors/serving/finite-request.js';
import { session } from '../../actors/serving/session.js';
import { device } from '../../actors/system/device.js';
import { server } from '../../actors/system/server.js';
import type { CompiledAction } from '../../runtime/system/machine-action.js';
import type { CompiledGuard } from '../../runtime/system/machine-guard.js';
import type {
  CompiledState,
  CompiledTransition,
  MachineTable,
  Plan,
} from '../../runtime/system/machine-table.js';

export interface Mutant {
  readonly name: string;
  /** Id of the machine that it changes; null: a book. */
  readonly machine: string | null;
  /** The transition that it changes; null when it changes something else. */
  readonly place: string | null;
  /** Makes the change; what it returns takes it back. */
  apply(): () => void;
}

type Change = Omit<Mutant, 'machine'>;

/** A transition of a machine, with the list that holds it. */
interface Place {
  readonly name: string;
  readonly list: CompiledTransition[];
  readonly transition: CompiledTransition;
}

const tables = [
  server,
  device,
  deployment,
  preparation,
  generation,
  specialization,
  deviceQueue,
  gather,
  bank,
  cohort,
  finiteRequest,
  session,
  epoch,
  rowMemory,
].map(({ table }) => table);

export function machineMutants(): Mutant[] {
  return tables.flatMap((table) => {
    const changes = [
      ...actionMutants(`${table.id} start`, null, table.initial),
      ...placesOf(table).flatMap((place) => [
        ...transitionMutants(place),
        ...actionMutants(place.name, place.name, place.transition.plan),
      ]),
    ];
    return changes.map((change) => ({ ...change, machine: table.id }));
  });
}

/** Counts how often each transition is taken while `run` runs. */
export function transitionCounts(run: () => void): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const undo = tables.flatMap(placesOf).map(({ name, transition }) => {
    counts.set(name, 0);
    const { guard } = transition;
    return setGuard(transition, (context, event) => {
      if (guard !== null && !guard(context, event)) return false;
      counts.set(name, counts.get(name)! + 1);
      return true;
    });
  });
  try {
    run();
  } finally {
    for (const back of undo) back();
  }
  return counts;
}

function placesOf(table: MachineTable): Place[] {
  const states = new Set<CompiledState>();
  const places: Place[] = [];
  const visit = (state: CompiledState): void => {
    if (states.has(state)) return;
    states.add(state);
    for (const [event, list] of [...state.on, ['always', state.always] as const]) {
      list.forEach((transition, i) => {
        const turn = list.length > 1 ? ` #${i + 1}` : '';
        places.push({ name: `${table.id} ${state.name} on ${event}${turn}`, list, transition });
        visit(transition.plan.target);
      });
    }
  };
  visit(table.initial.target);
  return places;
}

function transitionMutants({ name, list, transition }: Place): Change[] {
  const removal: Change = {
    name: `${name}: removed`,
    place: name,
    apply() {
      const at = list.indexOf(transition);
      list.splice(at, 1);
      return () => void list.splice(at, 0, transition);
    },
  };
  if (transition.guard === null) return [removal];
  const always = (): boolean => true;
  return [
    removal,
    { name: `${name}: without its guard`, place: name, apply: () => setGuard(transition, always) },
  ];
}

function actionMutants(name: string, place: string | null, { steps }: Plan): Change[] {
  const list = steps as Plan['steps'][number][];
  return list.map((step, i) => {
    const { action } = step as Extract<typeof step, { kind: 'action' }>;
    const what = action.kind === 'effect' ? action.type : actionName(action, i);
    return {
      name: `${name}: without ${what}`,
      place,
      apply() {
        const at = list.indexOf(step);
        list.splice(at, 1);
        return () => void list.splice(at, 0, step);
      },
    };
  });
}

function actionName(action: CompiledAction, at: number): string {
  return (action.kind === 'assign' && action.name) || `${action.kind} ${at + 1}`;
}

function setGuard(transition: CompiledTransition, guard: CompiledGuard): () => void {
  const open = transition as { guard: CompiledGuard | null };
  const before = open.guard;
  open.guard = guard;
  return () => void (open.guard = before);
}
