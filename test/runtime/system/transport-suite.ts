/**
 * What every transport must do, as cases over two threads `near` and `far`. `far` runs the actors
 * of `far-actors.ts`; the suite speaks to them from `near`, so the same cases run on real threads
 * and in simulation.
 */
import * as assert from 'uvu/assert';
import type { StatusError } from '../../../runtime/base/errors.js';
import type { ActorFactory } from '../../../runtime/system/actor.js';
import type { Down, Message } from '../../../runtime/system/envelope.js';
import type { ActorSystem } from '../../../runtime/system/system.js';
import { actor, collector } from './lab.js';

export interface TransportBench {
  readonly near: ActorSystem;
  /** Absolute deadline that is far enough. */
  readonly soonMs: number;
  /** Lets things happen until `isTrue`. */
  until(isTrue: () => boolean): Promise<void>;
  /** Ends the far thread without warning. */
  killFar(): Promise<void>;
}

export interface TransportCase {
  readonly name: string;
  readonly run: (bench: TransportBench) => Promise<void>;
}

/** A request whose promise the bench drives to its end. */
async function ask(bench: TransportBench, kind: string, payload: unknown, to = 'far:/echo') {
  let isSettled = false;
  const asked = bench.near
    .request(to, kind, payload, { deadlineMs: bench.soonMs })
    .finally(() => (isSettled = true));
  asked.catch(() => {});
  await bench.until(() => isSettled);
  return asked;
}

const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: StatusError) => error.code);

export const transportCases: readonly TransportCase[] = [
  {
    name: 'a value goes there and back',
    run: async (bench) => {
      const payload = { text: 'x', list: [1, 2n, new Uint8Array([3])], nothing: undefined };
      assert.equal(await ask(bench, 'echo', payload), payload);
    },
  },
  {
    name: 'messages arrive in order, in bursts larger than a turn of the event loop',
    run: async (bench) => {
      const items = Array.from({ length: 3000 }, (_, index) => index);
      for (const item of items) bench.near.tell('far:/keeper', 'item', item);
      assert.equal(await ask(bench, 'items', null, 'far:/keeper'), items);
    },
  },
  {
    name: 'control overtakes data that waits',
    run: async (bench) => {
      for (const item of [1, 2, 3]) bench.near.tell('far:/keeper', 'item', item);
      bench.near.tell('far:/keeper', 'item', 'urgent', { lane: 'control' });
      const items = (await ask(bench, 'items', null, 'far:/keeper')) as unknown[];
      assert.equal(
        items.filter((item) => item !== 'urgent'),
        [1, 2, 3],
      );
      assert.ok(items.includes('urgent'));
    },
  },
  {
    name: 'a buffer moves: gone here, whole there, and back again',
    run: async (bench) => {
      const bytes = new Uint8Array(1000).fill(7);
      const { buffer } = bytes;
      let back: Uint8Array | null = null;
      void bench.near
        .request('far:/echo', 'move', bytes, { deadlineMs: bench.soonMs, transfer: [buffer] })
        .then((value) => (back = value as Uint8Array));
      await bench.until(() => back !== null);
      assert.is(bytes.length, 0);
      assert.is(back!.length, 1000);
      assert.ok(back!.every((byte) => byte === 7));
    },
  },
  {
    name: 'one buffer may travel in two messages of a burst',
    run: async (bench) => {
      const bytes = new Uint8Array([1, 2]);
      const transfer = [bytes.buffer];
      bench.near.tell('far:/keeper', 'item', bytes, { transfer });
      bench.near.tell('far:/keeper', 'item', bytes, { transfer });
      const items = (await ask(bench, 'items', null, 'far:/keeper')) as Uint8Array[];
      assert.equal(
        items.map((item) => [...item]),
        [
          [1, 2],
          [1, 2],
        ],
      );
    },
  },
  {
    name: 'what cannot be cloned fails alone',
    run: async (bench) => {
      bench.near.tell('far:/keeper', 'item', 1);
      const broken = outcome(ask(bench, 'echo', () => 1));
      bench.near.tell('far:/keeper', 'item', 2);
      assert.is(await broken, 'internal');
      assert.equal(await ask(bench, 'items', null, 'far:/keeper'), [1, 2]);
      assert.is(await outcome(ask(bench, 'answer with a function', null)), 'internal');
    },
  },
  {
    name: 'an unknown actor and an unknown thread are down',
    run: async (bench) => {
      assert.is(await outcome(ask(bench, 'echo', 1, 'far:/nobody')), 'unavailable');
      assert.is(await outcome(ask(bench, 'echo', 1, 'nowhere:/nobody')), 'unavailable');
    },
  },
  {
    name: 'a failure there is a down here, after what it said',
    run: async (bench) => {
      const received: Message[] = [];
      bench.near.spawn(
        'watcher',
        collector(received, (self) => {
          self.watch('far:/talker');
          self.tell('far:/talker', 'speak and fail', 'near:/watcher');
        }),
        null,
      );
      await bench.until(() => received.some(({ kind }) => kind === 'down'));
      assert.equal(
        received.map(({ kind }) => kind),
        ['said', 'said', 'down'],
      );
      assert.is((received[2]!.payload as Down).reason.kind, 'failed');
    },
  },
  {
    name: 'an actor spawned there answers its owner and ends with it',
    run: async (bench) => {
      const received: Message[] = [];
      const owner: ActorFactory = actor(
        (self, message) => (message.kind === 'end' ? self.stop() : void received.push(message)),
        { start: (self) => self.tell(self.spawnOn('far', 'job', 'job', { n: 1 }), 'report') },
      );
      bench.near.spawn('owner', owner, null);
      await bench.until(() => received.length > 0);
      assert.equal(received[0]!.payload, { input: { n: 1 } });
      bench.near.spawn(
        'watcher',
        collector(received, (self) => self.watch('far:/job')),
        null,
      );
      bench.near.tell('near:/owner', 'end');
      await bench.until(() => received.length > 1);
      assert.is((received[1]!.payload as Down).reason.kind, 'stopped');
    },
  },
  {
    name: 'the death of a thread ends its asks and watches, once',
    run: async (bench) => {
      const received: Message[] = [];
      bench.near.spawn(
        'watcher',
        collector(received, (self) => {
          self.watch('far:/echo');
          self.ask('far:/echo', 'never', null, { deadlineMs: bench.soonMs });
        }),
        null,
      );
      await ask(bench, 'echo', 1);
      await bench.killFar();
      await bench.until(() => received.length >= 2);
      bench.near.threadLost('far');
      assert.is(await outcome(ask(bench, 'echo', 2)), 'unavailable');
      assert.equal(received.map(({ kind }) => kind).sort(), ['down', 'reply']);
      assert.is(bench.near.pendingAsks.size, 0);
      assert.is(bench.near.watches.size, 0);
    },
  },
];
