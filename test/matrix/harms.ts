/**
 * What may befall a server while an actor is in some state: the columns of the matrix. Each is done
 * to a simulated server between two steps of it, and says whether there was anything to do it to.
 */
import { DEVICE_THREAD, PREPARATION_THREAD } from '../../actors/edge/simulated-threads.js';
import type { IntruderGround } from '../simulation/intruder.js';

export const harms = [
  'client cancel',
  'deadline',
  'unregister',
  'device lost',
  'out of memory',
  'model thread dies',
  'preparation thread dies',
  'device thread dies',
] as const;
export type Harm = (typeof harms)[number];

const MODEL_THREAD = 'model-0';

/** Threads that have the news first, where it shall come before anything else happens. */
export const toldBy: Readonly<Record<Harm, readonly string[]>> = {
  'client cancel': ['main'],
  deadline: ['main'],
  unregister: ['main'],
  'device lost': [DEVICE_THREAD, 'main'],
  'out of memory': [],
  'model thread dies': [MODEL_THREAD, 'main'],
  'preparation thread dies': [PREPARATION_THREAD, 'main'],
  'device thread dies': [DEVICE_THREAD, 'main'],
};

export interface HarmOptions {
  readonly harm: Harm;
  /** The actor that it shall befall. */
  readonly actor: string;
  /** Of callers, only one leaves: whoever the actor works for, where that can be seen. */
  readonly isSingle: boolean;
}

/** False when there was nothing to harm. */
export function strike(ground: IntruderGround, options: HarmOptions): boolean {
  const { server, traffic, texts } = ground;
  switch (options.harm) {
    case 'client cancel':
      // Of operators, too: whoever asks for something may go.
      if (options.isSingle) return leaveOne(ground, options.actor);
      return traffic.leaveAll() + texts.leaveAll() > 0;
    case 'deadline':
      return passDeadline(ground);
    case 'unregister':
      return unregister(ground, options.actor);
    case 'device lost':
      if (server.shadow === null || server.shadow.device.lost !== null) return false;
      server.loseDevice();
      return true;
    case 'out of memory':
      server.exhaustMemory();
      return true;
    case 'model thread dies':
      return kill(ground, MODEL_THREAD);
    case 'preparation thread dies':
      return kill(ground, PREPARATION_THREAD);
    case 'device thread dies':
      return kill(ground, DEVICE_THREAD);
  }
}

function kill({ server }: IntruderGround, thread: string): boolean {
  if (!server.world.isAlive(thread)) return false;
  server.kill(thread);
  return true;
}

/** Later than now by so little that nothing else happens in between. */
export const MOMENT_MS = 1e-6;

/** The run was given a deadline for all calls that is due a moment from now. */
function passDeadline({ server, traffic, texts }: IntruderGround): boolean {
  const { time } = server.world;
  const open = traffic.expireAll() + texts.expireAll();
  time.advanceTo(time.nowMs + MOMENT_MS);
  return open > 0;
}

/** The model that the actor's address names, or every model. */
function unregister({ traffic }: IntruderGround, actor: string): boolean {
  const named = /\/(?:models|preparations|deployments)\/([a-z]+)/.exec(actor)?.[1];
  const known = new Set(
    traffic.history.flatMap(({ step }) => (step.kind === 'register' ? [step.model] : [])),
  );
  const models = named === undefined ? [...known] : [named];
  for (const model of models) traffic.send({ kind: 'unregister', model, atMs: 0 });
  return models.length > 0;
}

function leaveOne({ server, traffic, texts }: IntruderGround, actor: string): boolean {
  const { pendingAsks } = server.threads.main;
  const owners = ownersIn(server, actor);
  const isIts = ({ correlation }: { readonly correlation: string }): boolean =>
    owners.has(pendingAsks.find(correlation)?.holder ?? '');
  return traffic.leaveOne(isIts) || texts.leaveOne(isIts);
}

/** The actor, and the requests and sessions that it says it works for. */
function ownersIn(server: IntruderGround['server'], actor: string): ReadonlySet<string> {
  const described = describeActor(server, actor);
  const { members = [], sessions = [] } = described?.details ?? {};
  return new Set([actor, ...members.map(({ request }) => request), ...sessions]);
}

interface Described {
  readonly machine: string;
  readonly state: string;
  readonly details?: {
    readonly members?: readonly { readonly request: string }[];
    readonly sessions?: readonly string[];
  } | null;
}

/** What an actor says of itself; null for one that is not there. */
export function describeActor(server: IntruderGround['server'], actor: string): Described | null {
  for (const system of server.systems.values()) {
    for (const cell of system.cells) {
      if (cell.address === actor) return (cell.describe(true) as Described | undefined) ?? null;
    }
  }
  return null;
}
