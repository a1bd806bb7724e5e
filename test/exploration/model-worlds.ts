/**
 * Charts of a model that have no partner among the products, or meet only some of what may befall
 * them there: a specialization and its users, a preparation and its compiles, a gather, a
 * generation, the memory of rows.
 */
import { gather } from '../../actors/model/gather.js';
import { generation } from '../../actors/model/generation.js';
import { preparation } from '../../actors/model/preparation.js';
import { rowMemory } from '../../actors/model/row-memory.js';
import { specialization } from '../../actors/model/specialization.js';
import type { ChartWorld } from './chart-world.js';
import { alone, event, plus, type Counts } from './lone-chart.js';

const status = { code: 'unavailable', message: 'it failed' } as const;

/** Leases count its users; whatever was asked for is joined, a failure leaves nothing. */
const specializationWorld = (isChoice: boolean): ChartWorld<Counts> =>
  alone({
    name: isChoice ? 'specialization of a choice' : 'specialization',
    table: specialization.table,
    input: { isChoice },
    counts: { uses: 3, users: 0, running: 0, evictions: 1, onDevice: 0 },
    does: {
      resolveChoice: plus({ running: 1, onDevice: 1 }),
      compileStage: plus({ running: 1 }),
      placeStage: plus({ running: 1, onDevice: 1 }),
      unloadStage: (counts) => void (counts['onDevice'] = 0),
    },
    moves: ({ uses, users, running, evictions }, at) => [
      ...(uses! > 0 && evictions! > 0 ? [event('specialization.use', { uses: -1, users: 1 })] : []),
      ...(users! > 0 ? [event('specialization.release', { users: -1 })] : []),
      ...(evictions! > 0 && at !== 'keyed'
        ? [event('specialization.evict', { evictions: -1 })]
        : []),
      ...(running! > 0
        ? [
            event(decided[at] ?? 'stage.placed', { running: -1 }),
            event('stage.refused', { running: -1 }, { status }),
          ]
        : []),
    ],
    breach: ({ running, users, onDevice, evictions }, at) => {
      const isDue = evictions === 0 && users === 0;
      if (at === 'ready' && isDue) return 'nobody uses it, it was asked to leave, and it stays';
      if (at !== null) return null;
      if (running! > 0) return 'it ends before what it asked for has come';
      return onDevice === 0 ? null : `I8: ${onDevice} is left on the device`;
    },
    isEnd: ({ running, users, evictions }, at) =>
      at === null || (running === 0 && users === 0 && evictions! > 0),
  });

/** What is told when a step has succeeded. */
const decided: Readonly<Record<string, string>> = {
  resolving: 'choice.resolved',
  compiling: 'stage.compiled',
};

/** Every accepted compile or load is joined before it ends. */
const preparationWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'preparation',
    table: preparation.table,
    counts: { uncounted: 0, running: 0, cancels: 1, told: 0, declaring: 1 },
    does: {
      compileArtefacts: plus({ uncounted: 1, running: 2 }),
      placeArtefacts: plus({ uncounted: 1, running: 2 }),
      handOver: plus({ told: 1 }),
      announceFailed: plus({ told: 1 }),
      announceCancelled: plus({ told: 1 }),
    },
    moves: ({ uncounted, running, cancels, declaring }) => [
      ...(declaring! > 0
        ? [
            event('stages.declared', { declaring: -1 }),
            event('package.refused', { declaring: -1 }, { status }),
          ]
        : []),
      ...(uncounted! > 0 ? [event('artefacts.started', { uncounted: -1 }, { count: 2 })] : []),
      ...(running! > 0 && uncounted === 0
        ? [
            event('artefact.ready', { running: -1 }),
            event('artefact.refused', { running: -1 }, { status }),
          ]
        : []),
      ...(cancels! > 0 ? [event('preparation.cancel', { cancels: -1 })] : []),
    ],
    breach: ({ told, running }, at) => {
      if (at !== null) return told === 0 ? null : 'it tells its end and goes on';
      if (running! > 0) return 'it ends before what it asked for has come';
      return told === 1 ? null : `I12: its end is told ${told} times`;
    },
    isEnd: (_, at) => at === null,
  });

/** The files that it reads are given back once, when the queue has retired it. */
const gatherWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'gather',
    table: gather.table,
    counts: { files: 1, reading: 0, started: 0, read: 0, answers: 0 },
    does: {
      readRanges: plus({ reading: 1 }),
      answerQueue: plus({ answers: 1 }),
      releaseFiles: plus({ files: -1 }),
    },
    moves: ({ reading, started, read, answers }) => [
      ...(started === 0 ? [event('gather.started', { started: 1 })] : []),
      ...(started === 1 && read === 0 ? [event('gather.read', { read: 1 })] : []),
      ...(reading! > 0 ? [event('ranges.read', { reading: -1 })] : []),
      // The queue retires it when it was never begun, was not read, or has been answered.
      ...(read === 0 || answers! > 0 ? [event('gather.retired')] : []),
    ],
    breach: ({ files, answers }, at) => {
      if (answers! > 1) return 'I2: the queue is answered twice';
      return (at === null) === (files === 0) ? null : 'F: its files go before it, or stay';
    },
    isEnd: (_, at) => at === null,
  });

/** What is counted ends, its preparer comes back, and it retires only when nothing is open. */
const generationWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'generation',
    table: generation.table,
    counts: {
      ...{ loading: 0, asked: 2, requests: 0, cohorts: 0, compiles: 0, told: 0, preparers: 0 },
      ...{ deaths: 1, timers: 0, losses: 1, drains: 1, released: 0, device: 1 },
    },
    does: {
      loadControl: plus({ loading: 1 }),
      startPreparer: plus({ preparers: 1 }),
      startBackoff: plus({ timers: 1 }),
      acceptRequest: plus({ requests: 1 }),
      releaseStages: plus({ released: 1 }),
      announceFailed: plus({ told: 1 }),
      announceRetired: plus({ told: 1 }),
      announceLost: plus({ told: 1 }),
    },
    moves: (counts) => {
      const { loading, asked, requests, cohorts, compiles } = counts;
      const { preparers, deaths, timers, losses, drains } = counts;
      const isUp = loading === 0;
      return [
        ...(isUp
          ? []
          : [
              event('control.loaded', { loading: -1 }),
              event('control.refused', { loading: -1 }, { status }),
            ]),
        ...(isUp && asked! > 0 ? [event('request.submit', { asked: -1 })] : []),
        ...(requests! > 0 && cohorts === 0 ? [event('cohort.formed', { cohorts: 1 })] : []),
        ...(cohorts! > 0 && compiles === 0
          ? [event('specialization.request', { compiles: 1 })]
          : []),
        ...(compiles! > 0 ? [event('specialization.decided', { compiles: -1 })] : []),
        ...(cohorts! > 0 ? [event('cohort.ended', { cohorts: -1 })] : []),
        ...(requests! > 0 ? [event('request.ended', { requests: -1 })] : []),
        ...(preparers! > 0 && deaths! > 0
          ? [event('preparer.lost', { preparers: -1, deaths: -1 })]
          : []),
        ...(timers! > 0 ? [event('preparer.due', { timers: -1 })] : []),
        ...(losses! > 0 ? [event('device.lost', { losses: -1, device: -1 }, { status })] : []),
        ...(isUp && drains! > 0 ? [event('generation.drain', { drains: -1 })] : []),
      ];
    },
    breach: ({ told, preparers, timers, requests, cohorts, compiles, released, losses }, at) => {
      if (at !== null && told! > 0) return 'it tells its end and goes on';
      if (at !== null) return preparers! + timers! === 1 ? null : 'H: its preparer stays away';
      if (told !== 1) return `I12: its end is told ${told} times`;
      if (losses === 0) return null;
      if (requests! + cohorts! + compiles! > 0) return 'it retires under what it has accepted';
      return released === 1 ? null : 'I8: its stages stay on the device';
    },
    isEnd: ({ requests, cohorts, compiles, drains, timers, loading }, at) =>
      at === null || (requests! + cohorts! + compiles! + timers! + loading! === 0 && drains! > 0),
    harmed: { 'device lost': ({ device }) => device! > 0 },
  });

/** Storage of rows is there while turns run, and leaves only while they rest. */
const rowMemoryWorld = (): ChartWorld<Counts> =>
  alone({
    name: 'rows of a text generation',
    table: rowMemory.table,
    counts: { uses: 2, asking: 0, there: 0, wants: 1, evictions: 2, withdrawals: 1, retires: 1 },
    does: {
      askRoom: plus({ asking: 1 }),
      releaseStorage: plus({ there: -1 }),
    },
    moves: ({ uses, asking, there, wants, evictions, withdrawals, retires }, at) => [
      ...(uses! > 0 && ['absent', 'resting'].includes(at) ? [event('rows.use', { uses: -1 })] : []),
      ...(asking! > 0
        ? [
            event('rows.placed', { asking: -1, there: 1 - there! }),
            event('rows.refused', { asking: -1 }, { isThere: there! > 0 }),
          ]
        : []),
      ...(withdrawals! > 0 && asking! > 0 ? [event('rows.withdraw', { withdrawals: -1 })] : []),
      ...(['inUse', 'wanted'].includes(at) ? [event('rows.rest')] : []),
      ...(wants! > 0 && at !== 'wanted' ? [event('rows.want', { wants: -1 })] : []),
      ...(evictions! > 0 && there! > 0 && ['waiting', 'resting'].includes(at)
        ? [event('rows.evict', { evictions: -1 })]
        : []),
      ...(retires! > 0 ? [event('rows.retire', { retires: -1 })] : []),
    ],
    breach: ({ there }, at) => {
      const due = { absent: 0, inUse: 1, wanted: 1, resting: 1 }[at ?? ''] ?? there;
      return there === due ? null : `I1: ${there} storages are there, and it is ${at}`;
    },
    isEnd: ({ asking }, at) => at === null || (asking === 0 && ['absent', 'resting'].includes(at)),
  });

export const modelWorlds = (): readonly ChartWorld<Counts>[] => [
  specializationWorld(false),
  specializationWorld(true),
  preparationWorld(),
  gatherWorld(),
  generationWorld(),
  rowMemoryWorld(),
];
