/** Both transports pass one suite; what is particular to each follows. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemPorts } from '../../../runtime/base/ports.js';
import type { Message } from '../../../runtime/system/envelope.js';
import { ActorSystem } from '../../../runtime/system/system.js';
import { SimulatedWorld } from '../../../runtime/system/transports/simulated.js';
import { ThreadsTransport } from '../../../runtime/system/transports/threads.js';
import { farKinds, startFarActors } from './far-actors.js';
import { actor, collector, Lab, seeds } from './lab.js';
import { transportCases, type TransportBench } from './transport-suite.js';

function simulatedBench(seed: number): TransportBench {
  const world = new SimulatedWorld({ seed, delayMaxMs: 4 });
  const near = new ActorSystem({ thread: 'near', ...world.thread('near') });
  startFarActors(new ActorSystem({ thread: 'far', kinds: farKinds(), ...world.thread('far') }));
  return {
    near,
    soonMs: 1e6,
    killFar: async () => world.kill('far'),
    until: async (isTrue) => {
      for (let round = 0; round < 1000 && !isTrue(); round++) {
        world.run({ untilMs: world.time.nowMs + 1 });
        await Promise.resolve();
        await Promise.resolve();
      }
      assert.ok(isTrue(), 'it happens');
    },
  };
}

for (const { name, run } of transportCases) {
  test(`simulated: ${name}`, async () => {
    for (const seed of seeds(10)) await run(simulatedBench(seed));
  });
}

interface ThreadsBench extends TransportBench {
  close(): Promise<void>;
}

function threadsBench(): ThreadsBench {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./far.thread.js', import.meta.url), {
    workerData: { port: port2 },
    transferList: [port2],
  });
  const ports = systemPorts('near');
  const transport = new ThreadsTransport();
  const near = new ActorSystem({ thread: 'near', ports, transport });
  transport.connect('far', port1);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    near,
    soonMs: ports.clock.now() + 20_000,
    killFar: async () => {
      worker.postMessage('die');
      await exited;
    },
    until: async (isTrue) => {
      while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
    },
    close: async () => {
      near.shutdown();
      await worker.terminate();
    },
  };
}

for (const { name, run } of transportCases) {
  test(`threads: ${name}`, async () => {
    const bench = threadsBench();
    try {
      await run(bench);
    } finally {
      await bench.close();
    }
  });
}

test('threads: a long queue of turns leaves the event loop its turns', async () => {
  const transport = new ThreadsTransport();
  const system = new ActorSystem({ thread: 'near', ports: systemPorts('near'), transport });
  let turns = 0;
  let turnsAtLoop = -1;
  system.spawn(
    'busy',
    actor((self) => {
      turns += 1;
      if (turns < 5000) self.tell(self.address, 'again');
    }),
    null,
  );
  system.tell('near:/busy', 'go');
  setImmediate(() => (turnsAtLoop = turns));
  while (turns < 5000) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(turnsAtLoop >= 0 && turnsAtLoop < 5000, `it came after ${turnsAtLoop} turns`);
  system.shutdown();
});

test('threads: an envelope for a peer that has just gone is answered', async () => {
  const { port1 } = new MessageChannel();
  const transport = new ThreadsTransport();
  const ports = systemPorts('near');
  const system = new ActorSystem({ thread: 'near', ports, transport });
  transport.connect('far', port1);
  const options = { deadlineMs: ports.clock.now() + 60_000 };
  const asked = system.request('far:/x', 'question', 1, options);
  transport.disconnect('far');
  const error = (await asked.catch((reason: unknown) => reason)) as Error;
  assert.match(error.message, /thread/);
  assert.is(system.deadLetters.counts().threadLost, 1);
  system.shutdown();
});

test('threads: what a peer still has in hand ends with the system', async () => {
  const { port1 } = new MessageChannel();
  const transport = new ThreadsTransport();
  const ports = systemPorts('near');
  const system = new ActorSystem({ thread: 'near', ports, transport });
  transport.connect('far', port1);
  const options = { deadlineMs: ports.clock.now() + 60_000 };
  const asked = system.request('far:/x', 'question', 1, options);
  await new Promise((resolve) => setTimeout(resolve, 10));
  system.shutdown();
  assert.match(((await asked.catch((reason: unknown) => reason)) as Error).message, /shut down/);
});

/** A run in which threads talk, fail and die: its trace and what was received. */
function run(seed: number): { trace: readonly string[]; received: string[] } {
  const received: Message[] = [];
  const lab: Lab = new Lab({
    seed,
    threads: ['a', 'b', 'c'],
    delayMaxMs: 7,
    onStep: (step, world) => {
      if (step.kind === 'deliver' && step.envelope?.payload === 'poison') world.kill(step.thread);
    },
  });
  for (const thread of ['a', 'b', 'c']) {
    lab.system(thread).spawn('sink', collector(received), null);
    lab.system(thread).spawn(
      'talker',
      actor((self, { payload }) => {
        for (const to of ['a', 'b', 'c']) self.tell(`${to}:/sink`, 'item', payload);
        const next = (payload as number) - 1;
        if (next > 0) self.startTimer('next', self.address.length % 3, 'go', next);
      }),
      null,
    );
    lab.system(thread).tell(`${thread}:/talker`, 'go', 6);
  }
  lab.world.run({ untilMs: 6 });
  lab.system('a').tell('c:/sink', 'item', 'poison');
  lab.settle();
  return {
    trace: lab.world.trace,
    received: received.map(({ id, from, to, payload }) => `${id} ${from} ${to} ${payload}`),
  };
}

test('simulated: a seed replays exactly, another seed does not', () => {
  for (const seed of seeds(20)) {
    const first = run(seed);
    assert.equal(run(seed), first, `seed ${seed}`);
    assert.ok(
      first.trace.some((line) => line.includes('died')),
      'thread c died',
    );
    assert.is.not(run(seed + 1000).trace.join('\n'), first.trace.join('\n'));
  }
});

test.run();
