/**
 * The server and its one device, from the start: who waits until it is ready, models that are
 * registered and removed, a device that does not open, is lost and opens again, a drain.
 *
 * Laws: whoever waits for the start or for the drain is answered once (I12); deployments hear of
 * each loss and each opening while they live, and their count is what lives; the device is closed
 * once.
 */
import { server } from '../../actors/system/server.js';
import { ChartWorld, type ChartKind, type ChartState, type Draft } from './chart-world.js';
import { DEVICE, DeviceCharts, type DeviceAccount } from './device-charts.js';

export interface ServersScope {
  readonly name: string;
  readonly losses: number;
  readonly refusals: number;
  readonly registrations: number;
  readonly starters: number;
  readonly drains: number;
}

interface Outside extends DeviceAccount {
  budget: Omit<ServersScope, 'name'>;
  /** Who waits for the start, and for the drain. */
  starting: number;
  draining: number;
  /** Models that live, and those that are being made or have gone without the server's knowing. */
  models: number;
  unheard: number;
  gone: number;
  /** What deployments believe of the device. */
  isTold: boolean;
  isTimed: boolean;
  isClosed: boolean;
}

type Here = Draft<Outside>;
type Change = readonly [string, (draft: Here) => void];

const SERVER = 'server';

const servers: ChartKind<Outside> = {
  table: server.table,
  effects: {
    keepStarter: (draft) => void (draft.outside.starting += 1),
    answerStarters: (draft) => void (draft.outside.starting = 0),
    failStarters: (draft) => void (draft.outside.starting = 0),
    keepDrainer: (draft) => void (draft.outside.draining += 1),
    answerDrainers: (draft) => void (draft.outside.draining = 0),
    registerDeployment(draft) {
      draft.outside.models += 1;
      draft.outside.unheard += 1;
    },
    strandDeployments: (draft) => void (draft.outside.isTold = false),
    restoreDeployments: (draft) => void (draft.outside.isTold = true),
    drainDeployments: (draft) => void (draft.outside.isTimed = true),
    closeDevices(draft) {
      if (draft.outside.isClosed) draft.fault('the device is closed twice');
      Object.assign(draft.outside, { isClosed: true, queue: 'none', timer: null });
    },
  },
  // The thread of the device ends with it.
  ended: ({ outside }) => void Object.assign(outside, { queue: 'none', timer: null }),
};

const theDevice = new DeviceCharts<Outside>({
  opened: (draft) => draft.step(SERVER, { type: 'device.opened' }),
  refused: (draft, status) => draft.step(SERVER, { type: 'device.refused', status }),
  lost: (draft, status) => draft.step(SERVER, { type: 'device.lost', status }),
});

function spend(draft: Here, what: keyof Outside['budget']): void {
  (draft.outside.budget as Record<typeof what, number>)[what] -= 1;
}

function serverMoves({ charts, outside }: ChartState<Outside>): Change[] {
  const { budget, unheard, gone, models, isTimed } = outside;
  if (charts[SERVER] === undefined) return [];
  const list: Change[] = [];
  const step = (type: string, change: (outside: Outside) => void = () => undefined): Change => [
    type,
    (draft) => {
      change(draft.outside);
      draft.step(SERVER, { type });
    },
  ];
  const may = (type: string, what: keyof Outside['budget']): void => {
    if (budget[what] === 0) return;
    list.push([
      type,
      (draft) => {
        spend(draft, what);
        draft.step(SERVER, { type });
      },
    ]);
  };
  // Whoever starts it asks; nobody does who has seen it drain.
  if (charts[SERVER].at !== 'draining') may('server.await', 'starters');
  may('deployment.register', 'registrations');
  may('server.drain', 'drains');
  if (unheard > 0) list.push(step('deployment.created', (all) => (all.unheard -= 1)));
  if (models > unheard + gone) {
    list.push(['a model ends', (draft) => void (draft.outside.gone += 1)]);
  }
  if (gone > 0) {
    const removed = (all: Outside): void => {
      all.gone -= 1;
      all.models -= 1;
    };
    list.push(step('deployment.removed', removed));
  }
  if (isTimed) list.push(step('drain.expired', (all) => (all.isTimed = false)));
  return list;
}

/** What must hold between any two events. */
function breach({ charts, outside }: ChartState<Outside>): string | null {
  const { starting, draining, models, unheard, device, isTold } = outside;
  const chart = charts[SERVER];
  if (chart === undefined) {
    return starting + draining === 0
      ? null
      : `I12: ${starting + draining} wait for a server that ended`;
  }
  if (starting > 0 && chart.at !== 'starting')
    return `I12: ${starting} wait for a start that has been`;
  if (draining > 0 && chart.at === 'ready') return `I12: ${draining} wait for a drain that is none`;
  const { deployments } = chart.context as { readonly deployments: number };
  if (deployments !== models - unheard) return `I8: ${deployments} models are counted of ${models}`;
  return chart.at !== 'ready' || device === isTold ? null : 'models do not know of their device';
}

export function serversWorld({ name, ...budget }: ServersScope): ChartWorld<Outside> {
  return new ChartWorld<Outside>({
    name: `device × server: ${name}`,
    threadOf: () => 'main',
    kinds: { server: servers, device: theDevice.kind },
    outside: {
      ...{ budget, starting: 0, draining: 0, models: 0, unheard: 0, gone: 0 },
      ...{ device: false, queue: 'none', timer: null },
      ...{ isTold: true, isTimed: false, isClosed: false },
    },
    start(draft) {
      draft.spawn(SERVER, 'server', { devices: 1 });
      draft.spawn(DEVICE, 'device', {});
    },
    moves: (state) =>
      state.charts[SERVER] === undefined
        ? []
        : [...serverMoves(state), ...(state.charts[DEVICE] ? theDevice.moves(state.outside) : [])],
    breach,
    isEnd({ charts, outside }) {
      const { draining, starting, unheard, gone, queue, budget: left } = outside;
      if (charts[SERVER] === undefined) return true;
      const isStill = draining + starting + unheard + gone === 0 && left.registrations === 0;
      return charts[SERVER].at === 'ready' && isStill && queue === 'open';
    },
    harmed: {
      'client cancel': ({ outside }) => outside.starting + outside.draining + outside.models > 0,
      deadline: ({ outside }) => outside.starting + outside.draining + outside.models > 0,
      unregister: ({ outside }) => outside.models > 0,
      'device lost': ({ outside }) => outside.queue === 'open',
    },
  });
}
