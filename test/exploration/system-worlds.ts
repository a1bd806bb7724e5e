/** Charts of the server and its devices, each alone, from its start to its end. */
import { deviceQueue } from '../../actors/model/device-queue.js';
import { device } from '../../actors/system/device.js';
import { server } from '../../actors/system/server.js';
import type { ChartWorld } from './chart-world.js';
import { alone, event, plus, type Counts } from './lone-chart.js';

const status = { code: 'unavailable', message: 'it failed' } as const;

/** What it has accepted ends before it closes, lost or not; what it refuses is told so. */
const queueWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'device queue',
    table: deviceQueue.table,
    counts: {
      ...{ opening: 0, driver: 0, asked: 3, open: 0, told: 0, running: 0 },
      ...{ losses: 1, closes: 1, closed: 0 },
    },
    does: {
      openDriver: plus({ opening: 1 }),
      acceptSubmission: plus({ running: 1 }),
      warmBanks: plus({ running: 1 }),
      refuseSubmission: plus({ told: 1 }),
      refuseBanks: plus({ told: 1 }),
      closeDriver(counts) {
        counts['closed']! += 1;
        counts['driver'] = 0;
      },
    },
    moves: ({ opening, asked, running, losses, closes }, at) => [
      ...(opening! > 0
        ? [
            event('driver.opened', { opening: -1, driver: 1 }),
            event('driver.refused', { opening: -1 }, { status }),
          ].filter(() => at === 'opening')
        : []),
      ...(asked! > 0
        ? [
            event('work.submit', { asked: -1, open: 1 }),
            event('banks.warm', { asked: -1, open: 1 }),
          ]
        : []),
      ...(running! > 0 ? [event('work.ended', { running: -1, told: 1 })] : []),
      ...(losses! > 0 && (at === 'ready' || at === 'closing')
        ? [event('driver.lost', { losses: -1, driver: -1 }, { status })]
        : []),
      ...(closes! > 0 ? [event('device.close', { closes: -1 })] : []),
    ],
    breach: ({ open, told, running, closed }, at) => {
      if (open !== told! + running!) return `I2: ${open} asked, ${told} told, ${running} run`;
      if (at !== null) return closed === 0 ? null : 'its driver is closed before it';
      return running === 0 && closed === 1 ? null : 'I1: it closes under its work';
    },
    isEnd: ({ running, closes, losses }, at) =>
      at === null || (at === 'ready' && running === 0 && closes! + losses! > 0),
    harmed: { 'device lost': ({ driver }) => driver! > 0 },
  });

/** One that was open is opened again; each loss and each opening is told once. */
const deviceWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'device',
    table: device.table,
    counts: { opening: 0, queues: 0, losses: 2, refusals: 2, backoff: 0, steady: 0, told: 0 },
    does: {
      openQueue: plus({ opening: 1 }),
      announceOpened: plus({ told: 1 }),
      announceLost: plus({ told: -1 }),
      startBackoff: plus({ backoff: 1 }),
    },
    moves: ({ opening, queues, losses, refusals, backoff }, at) => [
      ...(opening! > 0 ? [event('device.opened', { opening: -1, queues: 1 })] : []),
      ...(opening! > 0 && refusals! > 0
        ? [event('device.refused', { opening: -1, refusals: -1 }, { status })]
        : []),
      ...(opening! > 0 && losses! > 0
        ? [event('device.lost', { opening: -1, losses: -1 }, { status })]
        : []),
      ...(queues! > 0 && losses! > 0
        ? [event('device.lost', { queues: -1, losses: -1 }, { status })]
        : []),
      ...(backoff! > 0 && at === 'recovering' ? [event('reopen.due', { backoff: -1 })] : []),
      ...(at === 'open' ? [event('device.settled')] : []),
    ],
    breach: ({ queues, told }) =>
      queues === told ? null : `${queues} queues are open, ${told} are told of`,
    isEnd: ({ opening }, at) => at === null || (at === 'open' && opening === 0),
    harmed: { 'device lost': ({ queues }) => queues! > 0 },
  });

/** It starts or says why not; a drain ends, and whoever asked for it hears of that once. */
const serverWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'server',
    table: server.table,
    input: { devices: 2 },
    counts: {
      ...{ opening: 2, isUp: 0, starters: 0, awaits: 1, models: 0, registrations: 2, losses: 1 },
      ...{ drainers: 0, drains: 2, isTimed: 0, isClosed: 0, created: 0, told: 0 },
    },
    does: {
      keepStarter: plus({ starters: 1 }),
      registerDeployment: plus({ created: 1 }),
      keepDrainer: plus({ drainers: 1 }),
      drainDeployments: plus({ isTimed: 1 }),
      closeDevices: plus({ isClosed: 1 }),
    },
    moves: ({ opening, awaits, registrations, created, models, losses, drains, isTimed }, at) => [
      ...(opening! > 0 && at === 'starting'
        ? [
            event('device.opened', { opening: -1 }),
            event('device.refused', { opening: -1 }, { status }),
          ]
        : []),
      ...(awaits! > 0 && at !== 'draining' ? [event('server.await', { awaits: -1 })] : []),
      ...(registrations! > 0 ? [event('deployment.register', { registrations: -1 })] : []),
      ...(created! > 0 ? [event('deployment.created', { created: -1, models: 1 })] : []),
      ...(models! > 0 ? [event('deployment.removed', { models: -1 })] : []),
      ...(losses! > 0 && at !== 'starting'
        ? [event('device.lost', { losses: -1 }, { status })]
        : []),
      ...(at !== 'starting' ? [event('device.opened')] : []),
      ...(drains! > 0 ? [event('server.drain', { drains: -1 })] : []),
      ...(isTimed! > 0 ? [event('drain.expired', { isTimed: -1 })] : []),
    ],
    breach: ({ isClosed }) => (isClosed! > 1 ? 'its devices are closed twice' : null),
    isEnd: ({ created, drains, registrations }, at) =>
      at === null || (at === 'ready' && drains === 2 && created === 0 && registrations === 0),
  });

export const systemWorlds = (): readonly ChartWorld<Counts>[] => [
  queueWorld(),
  deviceWorld(),
  serverWorld(),
];
