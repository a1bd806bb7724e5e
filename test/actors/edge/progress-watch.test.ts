/** Who is blamed for standing still, on a clock that stands still itself: and who never is. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressWatch, STUCK_MS } from '../../../actors/edge/progress-watch.js';
import type { DevicePulse } from '../../../actors/model/device-queue.js';
import type { GenerationPulse } from '../../../actors/model/generation-base.js';
import type { ActorPulse } from '../../../runtime/system/describe.js';
import { manualPorts } from '../../http/manual-ports.js';

const COHORT = 'model-0:/m/cohorts/1';
/** Less than this lies between a wedge and red. */
const RED_WITHIN_MS = 5_000;

class Bench {
  device: DevicePulse = { what: 'device', open: 0, progress: '0', invocations: [] };
  generation: GenerationPulse = {
    what: 'generation',
    model: 'm',
    ready: 0,
    formed: 0,
    hasRoom: true,
    inFlight: [],
    compiling: 0,
  };
  silent = '';
  asked = 0;
  readonly ports = manualPorts();
  readonly watch = new ProgressWatch({
    topology: { pulse: (thread) => this.#pulse(thread) },
    watched: { model: ['model-0'], devices: [{ name: 'local', thread: 'device' }] },
    ports: this.ports,
  });

  constructor() {
    this.watch.start();
  }

  #pulse(thread: string): Promise<readonly ActorPulse[] | null> {
    this.asked += 1;
    if (thread === this.silent) return new Promise(() => {});
    const pulse = thread === 'device' ? this.device : this.generation;
    return Promise.resolve([{ address: `${thread}:/one`, pulse }]);
  }

  /** Half a second at a time, as its timer has it. */
  async pass(ms: number, meanwhile: () => void = () => {}): Promise<readonly string[]> {
    for (let passed = 0; passed < ms; passed += 500) {
      meanwhile();
      this.ports.advance(500);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
    return this.watch.reasons;
  }
}

const red = RED_WITHIN_MS - 500;
const wedged = async (change: (bench: Bench) => void): Promise<readonly string[]> => {
  const bench = new Bench();
  assert.equal(await bench.pass(2_000), []);
  change(bench);
  return bench.pass(red);
};

test('nothing waits: nobody is blamed for doing nothing', async () => {
  assert.equal(await new Bench().pass(60_000), []);
});

test('a thread that does not answer is named, asked once, and forgiven when it answers', async () => {
  const bench = new Bench();
  bench.silent = 'model-0';
  const [reason, ...others] = await bench.pass(red);
  assert.match(reason!, /^thread model-0 has not answered for/);
  assert.equal(others, []);
  const asked = bench.asked;
  await bench.pass(1_000);
  assert.is(bench.asked - asked, 2, 'only the other one is asked');
});

test('a device with work that does not move', async () => {
  const device = { what: 'device', open: 2, progress: '7', invocations: [COHORT] } as const;
  const reasons = await wedged((bench) => (bench.device = device));
  assert.is(reasons.length, 1);
  assert.match(reasons[0]!, /the device has made no progress for .* 2 invocations wait/);
});

test('one that is slow and moves is left in peace', async () => {
  const bench = new Bench();
  let moved = 0;
  const reasons = await bench.pass(60_000, () => {
    moved += 0.2;
    const progress = String(Math.floor(moved));
    bench.device = { what: 'device', open: 1, progress, invocations: [COHORT] };
  });
  assert.equal(reasons, []);
});

const generation = (change: Partial<GenerationPulse>) => (bench: Bench) => {
  bench.generation = { ...bench.generation, ...change };
};

test('a scheduler that has room and forms nothing', async () => {
  const reasons = await wedged(generation({ ready: 3 }));
  assert.is(reasons.length, 1);
  assert.match(reasons[0]!, /the scheduler of model m .* 3 inputs or turns are ready/);
});

test('a cohort that neither ends nor comes to the device', async () => {
  const reasons = await wedged(generation({ formed: 1, inFlight: [COHORT], hasRoom: false }));
  assert.match(reasons[0]!, new RegExp(`${COHORT} neither ended nor came to the device`));
});

test('one whose cohorts the device has, or a compiler works for, is not to blame', async () => {
  const inFlight = { ready: 9, formed: 2, inFlight: [COHORT], hasRoom: false };
  assert.equal(await wedged(generation({ ...inFlight, compiling: 1 })), []);
  const bench = new Bench();
  generation(inFlight)(bench);
  let step = 0;
  const reasons = await bench.pass(60_000, () => {
    step += 1;
    bench.device = { what: 'device', open: 1, progress: `${step}`, invocations: [COHORT] };
  });
  assert.equal(reasons, []);
});

test('a watcher that was held up itself blames nobody for the time', async () => {
  const bench = new Bench();
  generation({ ready: 3 })(bench);
  bench.silent = 'device';
  await bench.pass(1_000);
  bench.silent = '';
  // Twenty seconds in which this thread did nothing, and answers lie in its queue.
  bench.ports.advance(20_000);
  assert.equal(bench.watch.reasons, []);
  assert.ok(STUCK_MS < 20_000);
});

test('who waits for an answer hears of what is stuck as soon as it is', async () => {
  const bench = new Bench();
  const never = new Promise<readonly string[]>(() => {});
  const told = bench.watch.orStuck(never);
  generation({ ready: 1 })(bench);
  await bench.pass(red);
  assert.match((await told)[0]!, /scheduler/);
  assert.match((await bench.watch.orStuck(never))[0]!, /scheduler/);
  const fine = new Bench();
  assert.equal(await fine.watch.orStuck(Promise.resolve(['a reason'])), ['a reason']);
  fine.watch.stop();
  assert.is(fine.ports.pending(), 0);
});

test.run();
