/**
 * Requests, the cohorts that take their members, their generation and the queue of the device, with
 * the real scheduler: a request of two members and one of one, which fit two at a time. Callers
 * leave, calls of the control program fail for one member, stages compile or do not, the device
 * fails a work, is lost, the generation drains.
 *
 * Laws: each offer has one end (I4), each request one answer (I12), none after its cancel (I3),
 * each work one end (I2), the oldest member is in the next cohort (I10), at the end nothing is left
 * (I8).
 */
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { ChartWorld, type ChartState } from './chart-world.js';
import {
  bad,
  broken,
  COHORTS_MAX,
  cohorts,
  DEVICE,
  devices,
  endWork,
  GENERATION,
  generations,
  gone,
  requests,
  type Here,
  type Outside,
  type RequestsScope,
} from './request-charts.js';

type World = ChartState<Outside>;
type Change = readonly [string, (draft: Here) => void];

function moves(state: World): Change[] {
  const { outside, charts } = state;
  const { budget } = outside;
  const list: Change[] = [];
  const spend = (what: 'cancels' | 'rejections' | 'stages' | 'failures' | 'losses', by: Here) => {
    (by.outside.budget as Record<typeof what, number>)[what] -= 1;
  };
  for (const [name, { at }] of Object.entries(charts)) {
    if (name.startsWith('r')) {
      if (budget.cancels > 0 && !outside.cancelled[name] && !outside.answers[name]) {
        list.push([
          `${name} leaves`,
          (draft) => {
            spend('cancels', draft);
            draft.outside.cancelled[name] = true;
            draft.step(name, { type: 'request.cancel' });
          },
        ]);
      }
      if (at === 'preparing' || at === 'abandoning') {
        list.push([`${name} prepared`, (draft) => draft.step(name, { type: 'members.prepared' })]);
        if (budget.rejections > 0) {
          list.push([
            `${name} refused`,
            (draft) => {
              spend('rejections', draft);
              draft.step(name, { type: 'members.refused', status: bad });
            },
          ]);
        }
      }
    } else if (name.startsWith('c') && at === 'preparing')
      list.push(...control(name, budget, spend));
  }
  outside.compiles.forEach((name, i) => {
    const decide = (draft: Here, event: MachineEvent): void => {
      draft.outside.compiles.splice(i, 1);
      draft.tell(GENERATION, name, event);
      draft.tell(GENERATION, GENERATION, { type: 'specialization.decided' });
    };
    list.push([
      `stage of ${name} ready`,
      (draft) => decide(draft, { type: 'specialization.ready' }),
    ]);
    if (budget.failures === 0) return;
    list.push([
      `stage of ${name} fails`,
      (draft) => {
        spend('failures', draft);
        decide(draft, { type: 'specialization.failed', status: bad });
      },
    ]);
  });
  list.push(...deviceMoves(state, spend));
  if (budget.drains && !budget.drained) {
    list.push([
      'drain',
      (draft) => {
        draft.outside.budget.drained = true;
        draft.step(GENERATION, { type: 'generation.drain' });
      },
    ]);
  }
  return list;
}

type Spend = (what: 'cancels' | 'rejections' | 'stages' | 'failures' | 'losses', by: Here) => void;

/** What the control program says of a cohort that it prepares. */
function control(name: string, budget: Outside['budget'], spend: Spend): Change[] {
  const list: Change[] = [
    [`${name} packed`, (draft) => draft.step(name, { type: 'batch.prepared' })],
  ];
  if (budget.stages > 0) {
    list.push([
      `${name} lacks a stage`,
      (draft) => {
        spend('stages', draft);
        draft.step(name, { type: 'batch.undeclared', missing: 1 });
      },
    ]);
  }
  if (budget.rejections > 0) {
    list.push([
      `${name} traps`,
      (draft) => {
        spend('rejections', draft);
        draft.step(name, { type: 'batch.rejected', status: bad });
      },
    ]);
  }
  return list;
}

function deviceMoves({ outside, charts }: World, spend: Spend): Change[] {
  const list: Change[] = [];
  const { budget, works, isLost } = outside;
  for (const [name, phase] of Object.entries(works)) {
    if (phase === 'waits') {
      list.push([
        `${name} admitted`,
        (draft) => {
          draft.outside.works[name] = 'runs';
          draft.tell(DEVICE, name, { type: 'work.accepted' });
        },
      ]);
    } else if (isLost) {
      const lost = { type: 'work.failed', status: gone };
      list.push([`${name} is lost`, (draft) => endWork(draft, name, lost)]);
    } else {
      list.push([`${name} runs`, (draft) => endWork(draft, name, { type: 'work.retired' })]);
      if (budget.failures > 0) {
        list.push([
          `${name} breaks`,
          (draft) => {
            spend('failures', draft);
            endWork(draft, name, { type: 'work.failed', status: broken });
          },
        ]);
      }
    }
  }
  if (budget.losses > 0 && !isLost && charts[DEVICE]?.at === 'ready') {
    list.push([
      'the device is lost',
      (draft) => {
        spend('losses', draft);
        draft.outside.isLost = true;
        draft.step(DEVICE, { type: 'driver.lost', status: gone });
      },
    ]);
  }
  return list;
}

export function requestsWorld(scope: RequestsScope): ChartWorld<Outside> {
  const { name, requests: sizes, ...budget } = scope;
  return new ChartWorld<Outside>({
    name: `request × cohort × queue: ${name}`,
    threadOf: (chart) => (chart === DEVICE ? 'device' : 'model'),
    kinds: { request: requests, generation: generations, cohort: cohorts, device: devices },
    outside: {
      ...{ budget: { ...budget, drained: false }, queue: [], willForm: false, cohorts: {} },
      ...{ offers: {}, answers: {}, cancelled: {}, works: {}, compiles: [] },
      isLost: false,
    },
    start(draft) {
      draft.spawn(DEVICE, 'device', {});
      draft.step(DEVICE, { type: 'driver.opened' });
      draft.spawn(GENERATION, 'generation', {});
      draft.step(GENERATION, { type: 'control.loaded' });
      sizes.forEach((members, i) => {
        draft.step(GENERATION, { type: 'request.submit' });
        draft.spawn(`r${i + 1}`, 'request', { members, isPrepared: false });
      });
    },
    moves,
    breach({ outside }) {
      const inFlight = Object.keys(outside.cohorts).length;
      return inFlight > COHORTS_MAX ? `${inFlight} cohorts are in flight` : null;
    },
    isEnd({ charts, outside }) {
      const isAnswered = sizes.every((_, i) => outside.answers[`r${i + 1}`] !== undefined);
      const { works, offers, queue, compiles } = outside;
      const rest = [Object.keys(works), Object.keys(offers), queue, compiles];
      const isIdle = rest.every(({ length }) => length === 0);
      const left = Object.entries(charts).filter(([name]) => /^[rc]/.test(name));
      const at = charts[GENERATION]?.at ?? 'gone';
      const isDrained = !outside.budget.drained || at === 'gone';
      const inFlight = (charts[DEVICE]?.context as { inFlight: number } | undefined)?.inFlight ?? 0;
      const isRest = at === 'gone' || at === 'prepared';
      return isAnswered && isIdle && left.length === 0 && isRest && isDrained && inFlight === 0;
    },
  });
}
