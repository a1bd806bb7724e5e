/**
 * What a finite request waits for: its preparation, its place in the queue by the very policy that
 * forms cohorts, and what the cohort that holds it or goes before it waits for in turn.
 */
import type { Waiting } from '../../../http/observing.js';
import type { GenerationDetails, WaitingMember } from '../../model/generation.js';
import type { SpecializationDetails } from '../../model/specialization.js';
import { Scheduler } from '../../policy/scheduler.js';
import type { CohortDetails } from '../../serving/cohort.js';
import type { RequestDetails } from '../../serving/finite-request.js';
import { deviceWaits } from './device-waits.js';
import { waiting, type SeenActor, type World } from './world.js';

export function finiteWaits(world: World, request: SeenActor): Waiting[] {
  const { preparer } = request.details as RequestDetails;
  if (request.state === 'preparing' || request.state === 'abandoning') {
    return preparation(world, preparer, 'prepare_request');
  }
  const generation = world.details<GenerationDetails>(request.parent);
  if (generation === null) return [];
  const isOwn = ({ request: owner }: { request: string }): boolean => owner === request.address;
  // It is done when the last of its members is.
  const own = generation.waiting.findLast(isOwn);
  if (own !== undefined) return queueWaits(world, generation, own);
  const held = generation.cohorts.find((address) =>
    world.details<CohortDetails>(address)?.members.some(isOwn),
  );
  return held === undefined ? [] : cohortWaits(world, held);
}

export function preparation(world: World, preparer: string, entry: string): Waiting[] {
  const before = world.find(preparer)?.mailbox ?? 0;
  const thread = preparer.slice(0, preparer.indexOf(':'));
  return [
    waiting('preparing', {
      text: `its input is being prepared on thread ${thread}; ${before} more calls wait there`,
      unblockedBy: `the end of ${entry} on thread ${thread}`,
      details: { thread, preparer, before },
    }),
    ...world.silence(preparer),
  ];
}

function queueWaits(world: World, generation: GenerationDetails, own: WaitingMember): Waiting[] {
  const { cohorts, cohortsMax } = generation;
  const oldest = cohorts[0];
  const place = placeInQueue(generation, own);
  if (oldest === undefined || cohorts.length < cohortsMax) return [place];
  return [place, ...cohortWaits(world, oldest)];
}

/** Why it is not in a cohort, by what would be in the next. */
function placeInQueue(generation: GenerationDetails, own: WaitingMember): Waiting {
  const { waiting: queue, unitsMax, cohorts, cohortsMax } = generation;
  const next = nextCohort(generation);
  const oldest = queue[0]!;
  const before = queue.indexOf(own);
  const details = { before, units: own.units, tag: own.tag, unitsMax, cohorts, next: next.length };
  const slot = `one of the ${cohortsMax} cohorts in flight to end`;
  const turn = before === 0 ? slot : `its turn: ${before} inputs are before it`;
  if (own.alone) {
    const text = 'it has to run alone, because a call that it shared has failed';
    return waiting('alone', { text, unblockedBy: turn, details });
  }
  if (next.includes(own)) {
    const text =
      cohorts.length < cohortsMax
        ? 'it is in the next cohort, which is about to form'
        : `it is in the next cohort; ${cohorts.length} are in flight, at most ${cohortsMax} may be`;
    return waiting('cohort', { text, unblockedBy: slot, details });
  }
  if (oldest.alone) {
    const text = 'the oldest that waits has to run alone, because a call that it shared has failed';
    return waiting('alone', { text, unblockedBy: turn, details });
  }
  if (own.tag !== oldest.tag) {
    const text = `its tag ${own.tag} is not that of the next cohort (${oldest.tag}): they share no call`;
    return waiting('tag', {
      text,
      unblockedBy: turn,
      details: { ...details, nextTag: oldest.tag },
    });
  }
  const taken = next.reduce((sum, { units }) => sum + units, 0);
  const text = `its ${own.units} units do not fit: older inputs take ${taken} of the ${unitsMax} of the next cohort`;
  return waiting('units', { text, unblockedBy: turn, details: { ...details, taken } });
}

/** By the scheduler itself. */
function nextCohort({ waiting: queue, unitsMax }: GenerationDetails): readonly WaitingMember[] {
  const scheduler = new Scheduler();
  queue.forEach((offer, age) => scheduler.offer({ ...offer, tag: BigInt(offer.tag), age }));
  return scheduler.take(unitsMax).map(({ age }) => queue[age]!);
}

export function cohortWaits(world: World, address: string): Waiting[] {
  const cohort = world.find(address);
  if (cohort === undefined) return world.silence(address);
  const { device, specializations } = cohort.details as CohortDetails;
  switch (cohort.state) {
    case 'admitting':
    case 'executing':
      return deviceWaits(world, device, address);
    case 'specializing':
      return specializing(world, cohort, specializations);
    default:
      return [
        waiting('control', {
          text: `the control program runs for ${address} (${cohort.state})`,
          unblockedBy: `the end of its call on thread ${cohort.thread}`,
          details: { cohort: address, state: cohort.state },
        }),
      ];
  }
}

const made: Readonly<Record<string, string>> = {
  keyed: 'has been asked for',
  resolving: 'has its banks and files planned',
  compiling: 'is being compiled',
  placing: 'is being loaded by the device',
};

function specializing(world: World, cohort: SeenActor, keys: readonly string[]): Waiting[] {
  const siblings = world.actors.filter(({ kind, parent }) => {
    return kind === 'specialization' && parent === cohort.parent;
  });
  return siblings.flatMap(({ address, state, details }) => {
    const { key, stages, preparer } = details as SpecializationDetails;
    if (!keys.includes(key) || made[state] === undefined) return [];
    const text = `it waits for the specialization ${stages.join(', ')}, which ${made[state]}`;
    const unblockedBy = `specialization ${address} to be ready`;
    const told = { specialization: address, key, stages, state, cohort: cohort.address };
    const silence = state === 'resolving' ? world.silence(preparer) : [];
    return [waiting('specialization', { text, unblockedBy, details: told }), ...silence];
  });
}
