/** What holds in every scenario, whatever it is about: of streams, and of a server at rest. */
import { asked, type Ground } from './ground.js';
import { bodiesOf, type Outcome, type Outcomes } from './outcome.js';
import type { Call, Expectation } from './scenario.js';

const PATIENCE_MS = 30_000;
const STEP_MS = 20;
/** What may be resident when nothing runs. */
const lasting = ['bank', 'generation', 'row'];

/** Each choice ends once and says nothing after; [DONE], or an error, is last and comes once. */
export const lawfulStreams: Expectation = {
  says: 'every stream is lawful',
  fault: (outcomes: Outcomes) => {
    for (const outcome of outcomes.all) {
      const fault = outcome.events.length === 0 ? null : streamFault(outcome);
      if (fault !== null) return `${outcome.name}: ${fault}`;
    }
    return null;
  },
};

function streamFault(outcome: Outcome): string | null {
  const { events, left, broke } = outcome;
  const last = events.at(-1)!.data;
  const dones = events.filter(({ data }) => data === '[DONE]').length;
  const bodies = bodiesOf(outcome);
  const errorAt = bodies.findIndex(({ error }) => error != null);
  if (errorAt >= 0 && (errorAt < bodies.length - 1 || dones > 0))
    return 'something follows an error';
  if (dones > 1 || (dones === 1 && last !== '[DONE]')) return '[DONE] is not last';
  const isWhole = dones === 1 || errorAt >= 0;
  if (!isWhole && !left && broke === null) return 'it ends with neither [DONE] nor an error';
  const ended = new Set<number>();
  for (const { index, finish_reason: finish } of bodies.flatMap(({ choices = [] }) => choices)) {
    if (ended.has(index)) return `choice ${index} goes on after its end`;
    if (finish != null) ended.add(index);
  }
  const open = bodies.flatMap(({ choices = [] }) => choices).find(({ index }) => !ended.has(index));
  return dones === 1 && open !== undefined ? `choice ${open.index} has no finish_reason` : null;
}

const get = (path: string): Call => ({ method: 'GET', path });

interface ModelList {
  readonly data: readonly { id: string; state: string; inFlight: number; waiting: number }[];
}

/** Waits until nothing is held any more; what still is when the patience ends, or null. */
export async function restFault(ground: Ground): Promise<string | null> {
  const { clock, timers } = ground;
  const endMs = clock.now() + PATIENCE_MS;
  for (;;) {
    const fault = await unrest(ground);
    if (fault === null || clock.now() > endMs) return fault;
    await new Promise<void>((done) => void timers.start(STEP_MS, done));
  }
}

async function unrest(ground: Ground): Promise<string | null> {
  const models = JSON.parse((await asked(ground, get('/admin/models'))).text) as ModelList;
  const busy = models.data.find(
    ({ state, inFlight, waiting }) => state !== 'serving' || inFlight > 0 || waiting > 0,
  );
  if (busy !== undefined) {
    const { id, state, inFlight, waiting } = busy;
    return `model ${id} is ${state}, ${inFlight} requests in flight, ${waiting} waiting`;
  }
  for (const line of (await asked(ground, get('/metrics'))).text.split('\n')) {
    const [, owner, bytes] = /^loom_device_bytes\{.*owner="(\w+)".*\} (\S+)$/.exec(line) ?? [];
    const [, held] = /^loom_stream_held_bytes(?:\{\})? (\S+)$/.exec(line) ?? [];
    if (Number(held ?? 0) > 0) return `streams hold ${held} bytes`;
    if (owner !== undefined && !lasting.includes(owner) && Number(bytes) > 0) {
      return `${bytes} bytes of the device are held by a ${owner}`;
    }
  }
  const ready = await asked(ground, get('/readyz'));
  return ready.status === 200 ? null : `the server is not ready: ${ready.text}`;
}
