/**
 * Any mix of readers on real threads: joins, cancels in every phase, sessions with forks, rewinds
 * and checkpoints, evictions (few rows, hardly more pages than one needs), drawn and greedy texts.
 * Whatever is said is what is said alone, bit for bit, and when all is closed nothing is held.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { continued, END } from '../../oracles/tiny-text.js';
import { pause } from '../faults/traffic.js';
import { runServer } from '../running-server.js';
import { Texts, type Said } from '../texts.js';
import { serveSized } from './text-packages.js';

const CONTEXT = 64;
const MOST = 10;
const MODEL = 'small';
const server = await runServer([]);
const texts = new Texts(server);
const { text } = server;

test.before(() => serveSized(server, MODEL, { rows: 4, context: CONTEXT, pages: 17, states: 6 }));
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

const beginnings = ['one and the same beginning', 'one and the', 'something else: longer', 'x'];
const step = fc.record({
  op: fc.constantFrom('say', 'say', 'say', 'fork', 'rewind', 'mark'),
  more: fc.array(fc.integer({ min: 97, max: 122 }), { minLength: 1, maxLength: 3 }),
  seed: fc.option(fc.integer({ min: 1, max: 3 })),
  /** Milliseconds after which it leaves. */
  leaves: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 2 }),
});
const reader = fc.record({
  keeps: fc.boolean(),
  beginning: fc.constantFrom(...beginnings),
  waits: fc.integer({ min: 0, max: 20 }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});
type Reader = typeof reader extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Reader['steps'][number];

/** What a reader heard to the end, and of which row. */
interface Heard {
  readonly row: readonly number[];
  readonly seed: number | null;
  readonly ids: readonly number[];
}

const codes: Record<string, number> = {};

class Client {
  readonly heard: Heard[] = [];

  async play({ keeps, beginning, waits, steps }: Reader): Promise<void> {
    await pause(waits);
    const ids = [...Buffer.from(beginning)];
    if (!keeps) return void (await this.#say(null, ids, steps[0]!));
    const session = await text.openSession(MODEL, texts.options()).catch(refused);
    if (session === null) return;
    await this.#session(session.id, ids, steps);
  }

  async #session(id: string, first: readonly number[], steps: readonly Step[]): Promise<void> {
    let ids: readonly number[] = [];
    let more = first;
    for (const one of steps) {
      const room = CONTEXT - ids.length - more.length - one.more.length - MOST;
      if (room < 0) break;
      const said = await this.#say(id, [...more, ...one.more], one, ids);
      // Cut short: what came after that is not told here.
      if (said === null) break;
      ids = [...ids, ...more, ...one.more, ...said];
      more = [];
      ids = await this.#change(id, ids, one);
    }
    await text.changeSession(id, { op: 'close' }, texts.options());
  }

  async #change(id: string, ids: readonly number[], { op }: Step): Promise<readonly number[]> {
    const options = texts.options();
    if (op === 'rewind') {
      const tokens = Math.floor(ids.length / 2);
      await text.changeSession(id, { op, tokens }, options);
      return ids.slice(0, tokens);
    }
    if (op === 'mark') await text.changeSession(id, { op: 'checkpoint' }, options);
    if (op !== 'fork') return ids;
    const fork = await text.changeSession(id, { op }, options).catch(refused);
    if (fork === null) return ids;
    const own: Step = { op: 'say', more: [], seed: null, leaves: null };
    if (ids.length + 1 + MOST <= CONTEXT) await this.#say(fork.id, [120], own, ids);
    await text.changeSession(fork.id, { op: 'close' }, options);
    return ids;
  }

  /** All that was said, the end included; null when it was cut short. */
  async #say(
    session: string | null,
    ids: readonly number[],
    { seed, leaves }: Step,
    before: readonly number[] = [],
  ): Promise<readonly number[] | null> {
    const abort = new AbortController();
    if (leaves !== null) setTimeout(() => abort.abort(), leaves);
    const row = [...before, ...ids];
    const body = { ...asked(ids, seed), session };
    const said = await texts.say(MODEL, body, abort.signal).catch(refused);
    if (said === null) return null;
    this.heard.push({ row, seed, ids: said.ids });
    return whole(said);
  }
}

const asked = (ids: readonly number[], seed: number | null) => ({
  prompt: { kind: 'tokens', ids } as const,
  maxTokens: MOST,
  sampling: seed === null ? { temperature: 0 } : { temperature: 1, seed },
});

const whole = ({ ids, result }: Said): readonly number[] =>
  result.outputTokens > ids.length ? [...ids, END] : ids;

function refused(error: unknown): null {
  const { code } = error as { code: string };
  codes[code] = (codes[code] ?? 0) + 1;
  // Nobody else's turn, no row: the caller left, or all rows are taken.
  assert.ok(code === 'cancelled' || code === 'resourceExhausted', String(error));
  return null;
}

const alone = new Map<string, readonly number[]>();

async function saidAlone({ row, seed }: Heard): Promise<readonly number[]> {
  if (seed === null) return continued(row, MOST).filter((id) => id !== END);
  const key = `${seed} ${row.join(' ')}`;
  const known = alone.get(key) ?? (await texts.say(MODEL, asked(row, seed))).ids;
  alone.set(key, known);
  return known;
}

/** Every row can be had again, and nothing is open. */
async function holdsNothing(): Promise<void> {
  // A cancelled turn is answered at once, and over when its epoch has retired.
  for (let round = 0; ; round += 1) {
    const { inFlight, waiting } = await server.serving.modelState(MODEL);
    if (inFlight + waiting === 0) break;
    assert.ok(round < 4_000, `${inFlight} in flight, ${waiting} waiting`);
    await pause(10);
  }
  const opened = await Promise.all([1, 2, 3].map(() => text.openSession(MODEL, texts.options())));
  await Promise.all(
    opened.map(({ id }) => text.changeSession(id, { op: 'close' }, texts.options())),
  );
}

test('whoever shares it, a text is what it is alone', async () => {
  let count = 0;
  const mix = fc.array(reader, { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(mix, async (readers) => {
      const clients = readers.map(() => new Client());
      await Promise.all(clients.map((client, at) => client.play(readers[at]!)));
      for (const heard of clients.flatMap((client) => client.heard)) {
        assert.equal(heard.ids, await saidAlone(heard));
        count += 1;
      }
      await holdsNothing();
    }),
    { numRuns: 24, seed: 6, endOnFailure: true, includeErrorInReport: true },
  );
  assert.ok(count > 60, `${count} texts`);
  assert.ok((codes['cancelled'] ?? 0) > 5, JSON.stringify(codes));
});

test.run();
