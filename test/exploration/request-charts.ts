/**
 * What the effects of requests, cohorts, generations and device queues do in a world of charts,
 * with the real scheduler: where each offered member is, who was answered what, what the device
 * has.
 */
import { deviceQueue } from '../../actors/model/device-queue.js';
import { generation } from '../../actors/model/generation.js';
import { Scheduler, type Offer } from '../../actors/policy/scheduler.js';
import { cohort } from '../../actors/serving/cohort.js';
import { finiteRequest } from '../../actors/serving/finite-request.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { ChartKind, Draft } from './chart-world.js';

export interface RequestsScope {
  readonly name: string;
  /** Members of each request. */
  readonly requests: readonly number[];
  readonly cancels: number;
  /** Control calls that fail for one member, stages that are missing, works that fail. */
  readonly rejections: number;
  readonly stages: number;
  readonly failures: number;
  readonly losses: number;
  readonly drains: boolean;
}

type Waiting = Omit<Offer, 'tag'>;

export interface Outside {
  budget: Omit<RequestsScope, 'name' | 'requests'> & { drained: boolean };
  queue: Waiting[];
  willForm: boolean;
  cohorts: Record<string, Waiting[]>;
  /** Where each offered member is; one that is not here was collected or dropped. */
  offers: Record<string, string>;
  answers: Record<string, string>;
  cancelled: Record<string, boolean>;
  /** Works that the device has taken, and whether they run. */
  works: Record<string, 'waits' | 'runs'>;
  /** Compiles that a cohort waits for, or waited for when it left. */
  compiles: string[];
  isLost: boolean;
}

export type Here = Draft<Outside>;

export const COHORTS_MAX = 2;
const UNITS_MAX = 2;
export const GENERATION = 'generation';
export const DEVICE = 'device';
export const bad = { code: 'invalidArgument', message: 'a member is at fault' } as const;
export const broken = { code: 'internal', message: 'the device failed' } as const;
export const gone = { code: 'unavailable', message: 'the device was lost' } as const;

const keyOf = (request: string, member: number): string => `${request}#${member}`;
const asOffer = (waiting: Waiting): Offer => ({ ...waiting, tag: 0n });

const openMembers = (draft: Here, request: string): string[] =>
  Object.keys(draft.outside.offers).filter((key) => key.startsWith(`${request}#`));

/** What a request's effects do. */
export const requests: ChartKind<Outside> = {
  table: finiteRequest.table,
  effects: {
    offerMembers(draft, { name, context }) {
      const { members } = context as { members: number };
      for (let member = 0; member < members; member++) offer(draft, name, member, false);
    },
    offerAlone(draft, { name, event }) {
      offer(draft, name, (event as unknown as { member: number }).member, true);
    },
    withdrawMembers: (draft, { name }) =>
      draft.tell(name, GENERATION, { type: 'members.withdrawn', request: name }),
    deliverRows: (draft, { name }) => answer(draft, name, 'rows'),
    replyFailure: (draft, { name }) => answer(draft, name, 'failure'),
    replyCancelled: (draft, { name }) => answer(draft, name, 'cancelled'),
    announceEnd: (draft, { name }) =>
      draft.tell(name, GENERATION, { type: 'request.ended', request: name }),
  },
  ended(draft, name) {
    const open = openMembers(draft, name);
    if (open.length > 0) draft.fault(`I4: ${name} ends while ${open.join(', ')} are out`);
    if (draft.outside.answers[name] === undefined) draft.fault(`I12: ${name} ends unanswered`);
  },
};

function offer(draft: Here, request: string, member: number, alone: boolean): void {
  const key = keyOf(request, member);
  if (key in draft.outside.offers) draft.fault(`I4: ${key} is offered twice`);
  draft.outside.offers[key] = 'offered';
  const age = Number(request.slice(1));
  const members = [{ request, member, units: 1, age, alone }];
  draft.tell(request, GENERATION, { type: 'members.offered', members });
}

function answer(draft: Here, request: string, what: string): void {
  const { answers, cancelled } = draft.outside;
  if (answers[request] !== undefined) draft.fault(`I12: ${request} is answered again: ${what}`);
  if (what === 'rows' && cancelled[request]) draft.fault(`I3: ${request} is answered with rows`);
  answers[request] = what;
}

export const generations: ChartKind<Outside> = {
  table: generation.table,
  effects: {
    keepMembers(draft, { event }) {
      const scheduler = schedulerOf(draft);
      for (const one of (event as unknown as { members: Waiting[] }).members) {
        draft.outside.offers[keyOf(one.request, one.member)] = 'waits';
        scheduler.offer(asOffer(one));
      }
      keepQueue(draft, scheduler);
    },
    dropMembers(draft, { event }) {
      const { request } = event as unknown as { request: string };
      const scheduler = schedulerOf(draft);
      const count = scheduler.withdraw(request);
      keepQueue(draft, scheduler);
      for (const key of openMembers(draft, request)) {
        if (draft.outside.offers[key] === 'waits') delete draft.outside.offers[key];
      }
      if (count > 0) draft.tell(GENERATION, request, { type: 'members.dropped', count });
      for (const [name, members] of Object.entries(draft.outside.cohorts)) {
        const left = members.filter((one) => one.request === request).length;
        if (left > 0) draft.tell(GENERATION, name, { type: 'members.left', count: left });
      }
    },
    gatherOffers(draft) {
      const { outside } = draft;
      if (outside.willForm || Object.keys(outside.cohorts).length >= COHORTS_MAX) return;
      outside.willForm = true;
      draft.tell(GENERATION, GENERATION, { type: 'offers.gathered' });
    },
    formCohorts: (draft) => formCohorts(draft),
    forgetCohort(draft, { event }) {
      delete draft.outside.cohorts[(event as unknown as { cohort: string }).cohort];
    },
    lendSpecialization(draft, { event }) {
      draft.outside.compiles.push((event as unknown as { cohort: string }).cohort);
    },
    announceRetired(draft) {
      const { outside } = draft;
      const open = Object.keys(outside.offers).length + Object.keys(outside.works).length;
      if (open > 0 || outside.compiles.length > 0) draft.fault('I8: it retires and holds work');
    },
    announceLost(draft) {
      // Whatever it is the parent of ends with it: the system answers for requests.
      for (const name of Object.keys(draft.state.charts)) {
        if (name === DEVICE || name === GENERATION) continue;
        delete draft.state.charts[name];
        if (name.startsWith('r')) draft.outside.answers[name] ??= 'failure';
      }
      Object.assign(draft.outside, { queue: [], offers: {}, cohorts: {}, compiles: [] });
      for (const pair of Object.keys(draft.state.mail)) {
        if (!pair.endsWith(`>${DEVICE}`)) delete draft.state.mail[pair];
      }
    },
  },
};

function schedulerOf(draft: Here): Scheduler {
  const scheduler = new Scheduler();
  for (const one of draft.outside.queue) scheduler.offer(asOffer(one));
  return scheduler;
}

function keepQueue({ outside }: Here, scheduler: Scheduler): void {
  outside.queue = scheduler.waiting.map(({ request, member, units, age, alone }) => {
    return { request, member, units, age, alone };
  });
}

function formCohorts(draft: Here): void {
  const { outside } = draft;
  outside.willForm = false;
  while (Object.keys(outside.cohorts).length < COHORTS_MAX) {
    const scheduler = schedulerOf(draft);
    const [oldest] = outside.queue;
    const members = scheduler.take(UNITS_MAX);
    if (members.length === 0) return;
    const isFirst = members.some(
      ({ request, member }) => request === oldest!.request && member === oldest!.member,
    );
    if (!isFirst) draft.fault('I10: the oldest member is left out');
    keepQueue(draft, scheduler);
    const name = freeName(draft);
    outside.cohorts[name] = members.map(({ tag: _, ...one }) => one);
    for (const { request, member } of members) {
      outside.offers[keyOf(request, member)] = name;
      draft.tell(GENERATION, request, { type: 'member.joined', member });
    }
    draft.tell(GENERATION, GENERATION, { type: 'cohort.formed' });
    draft.spawn(name, 'cohort', { members: members.length });
  }
}

/** Names come again when nothing is left of who had them: fewer states differ in names only. */
function freeName(draft: Here): string {
  const { charts, mail } = draft.state;
  const { cohorts: known, works, compiles } = draft.outside;
  for (let i = 1; ; i++) {
    const name = `c${i}`;
    const isMailed = Object.keys(mail).some((pair) => pair.endsWith(`>${name}`));
    const isKnown = name in charts || name in known || name in works || compiles.includes(name);
    const isTold = JSON.stringify(mail).includes(`"${name}"`);
    if (!isMailed && !isKnown && !isTold) return name;
  }
}

/** A member of a cohort goes back to its owner. */
function release(draft: Here, cohortName: string, event: (member: number) => MachineEvent): void {
  const { cohorts, offers } = draft.outside;
  for (const { request, member } of cohorts[cohortName] ?? []) {
    const key = keyOf(request, member);
    if (offers[key] !== cohortName) draft.fault(`I4: ${key} of ${cohortName} is ${offers[key]}`);
    delete offers[key];
    draft.tell(cohortName, request, event(member));
  }
}

const collected = (failure: object | null) => (member: number) =>
  ({ type: 'member.collected', member, failure }) as MachineEvent;

export const cohorts: ChartKind<Outside> = {
  table: cohort.table,
  effects: {
    requestSpecializations: (draft, { name }) =>
      draft.tell(name, GENERATION, { type: 'specialization.request', cohort: name }),
    submitInvocation: (draft, { name }) =>
      draft.tell(name, DEVICE, { type: 'work.submit', cohort: name }),
    collectMembers: (draft, { name }) => release(draft, name, collected(null)),
    failMembers: (draft, { name, context }) =>
      release(draft, name, collected((context as { failure: object }).failure)),
    returnMembers: (draft, { name }) =>
      release(draft, name, (member) => ({ type: 'member.returned', member })),
    announceEnd: (draft, { name }) =>
      draft.tell(name, GENERATION, { type: 'cohort.ended', cohort: name }),
  },
};

export const devices: ChartKind<Outside> = {
  table: deviceQueue.table,
  effects: {
    acceptSubmission(draft, { event }) {
      const { cohort: name } = event as unknown as { cohort: string };
      if (name in draft.outside.works) draft.fault(`I2: ${name} is submitted twice`);
      draft.outside.works[name] = 'waits';
    },
    refuseSubmission(draft, { event }) {
      const { cohort: name } = event as unknown as { cohort: string };
      draft.tell(DEVICE, name, { type: 'work.failed', status: gone });
    },
    announceLost: (draft) => draft.tell(DEVICE, GENERATION, { type: 'device.lost', status: gone }),
    refuseWaiting(draft) {
      for (const [name, phase] of Object.entries(draft.outside.works)) {
        if (phase === 'waits') endWork(draft, name, { type: 'work.failed', status: gone });
      }
    },
  },
};

export function endWork(draft: Here, name: string, event: MachineEvent): void {
  delete draft.outside.works[name];
  draft.tell(DEVICE, name, event);
  draft.tell(DEVICE, DEVICE, { type: 'work.ended' });
}
