/**
 * Steps that several states of the deployment's chart share: lists of its actions, and transitions
 * made of them. Names only; `deployment.machine.ts` defines what they mean.
 */

/** Starts the preparation of the newest package; what it yields, started on its model thread. */
export const begin = ['countGeneration', 'startPreparation'] as const;
export const load = ['keepCandidate', 'noteCandidate', 'startGeneration'] as const;
export const switchOver = ['noteSwitched', 'switchGeneration'] as const;
/** A generation has ended, however that came: nothing of it stays on the device. */
export const gone = ['releaseGeneration', 'dropLiving', 'forgetGeneration'] as const;
/** The device was lost and with it whatever lives. */
export const strand = ['noteDeviceLost', 'noteFailure', 'abandonGenerations'] as const;
export const strandServing = [...strand, 'dropServing'] as const;
export const fail = ['noteFailure', 'answerFailed'] as const;
export const revert = ['revertPackage', 'noteReverted'] as const;
export const want = ['keepPackage', 'noteUnproven'] as const;
export const supersede = [
  'supersedeRegistrations',
  ...want,
  'markQueued',
  'cancelPreparation',
] as const;

/** Holds in every state: replaced generations leave. */
export const living = {
  'generation.retired': { actions: gone },
  'generation.failed': { actions: gone },
  'generation.lost': { actions: gone },
} as const;
/** None serves and the device works. */
export const working = { ...living, 'request.submit': { actions: 'refuseRequest' } } as const;
/** None lives, and the device may be away. */
export const waiting = {
  'request.submit': { actions: 'refuseRequest' },
  'device.opened': { actions: ['noteDevice', 'keepDevice'] },
} as const;
/** None serves, and the device may be away. */
export const refusing = { ...living, ...waiting } as const;
export const forwarding = { ...living, 'request.submit': { actions: 'forwardRequest' } } as const;
/** On the way to `removed`. */
export const ending = {
  ...refusing,
  'device.lost': { actions: strand },
  'deployment.register': { actions: 'refuseRegistration' },
  'deployment.unregister': { actions: 'awaitRemoval' },
} as const;

/** A generation went down while the candidate loads and none serves, and while one serves. */
const retiring = { guard: 'isRetiring', actions: gone } as const;
const queued = {
  guard: 'isQueued',
  target: 'preparing',
  actions: [...gone, ...fail, ...begin],
} as const;
const neverLoaded = [
  { guard: 'hasServed', target: 'recovering', actions: [...gone, ...fail, ...revert] },
  { target: 'failed', actions: [...gone, 'noteFailure'] },
] as const;
export const notLoaded = [retiring, queued, ...neverLoaded] as const;
export const lostLoading = [
  retiring,
  queued,
  { guard: 'mayRecover', target: 'recovering', actions: [...gone, 'noteFailure'] },
  ...neverLoaded,
] as const;
const neverSwitched = [
  { guard: 'isQueued', target: 'replacing', actions: [...gone, ...fail, ...begin] },
  { target: 'serving', actions: [...gone, ...fail, ...revert] },
] as const;
export const notSwitched = [retiring, ...neverSwitched] as const;
export const lostSwitching = [
  retiring,
  { guard: 'isCurrent', target: 'loading', actions: [...gone, 'noteFailure'] },
  ...neverSwitched,
] as const;

/** A preparation failed while none serves. */
export const notPrepared = [
  { guard: 'isStranded', target: 'recovering' },
  { guard: 'isQueued', actions: ['releasePreparation', ...begin] },
  {
    guard: 'mayRecover',
    target: 'recovering',
    actions: ['releasePreparation', 'noteFailure'],
  },
  {
    guard: 'hasServed',
    target: 'recovering',
    actions: ['releasePreparation', ...fail, ...revert],
  },
  { target: 'failed', actions: ['releasePreparation', 'noteFailure'] },
] as const;
/** The candidate is there: it takes over, even where a newer package waits. */
export const loaded = [
  {
    guard: 'isQueued',
    target: 'replacing',
    actions: [...switchOver, 'answerReady', ...begin],
  },
  { target: 'serving', actions: switchOver },
] as const;
