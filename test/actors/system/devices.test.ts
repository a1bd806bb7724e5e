/**
 * A server with two devices in simulation: the real server, devices and deployments; what they
 * start on other threads is played. Under seeds that kill threads and refuse openings.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GenerationInput } from '../../../actors/model/generation-base.js';
import type { DeploymentSummary } from '../../../actors/model/deployment.js';
import type { PreparationOrder } from '../../../actors/model/preparation.js';
import type { PackageLocation } from '../../../actors/protocol.js';
import { server, type ServerSummary } from '../../../actors/system/server.js';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import type { ActorFactory } from '../../../runtime/system/actor.js';
import { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { modelPackage } from '../../runtime/packages/reference-model.js';
import { actor, Lab, seeds } from '../../runtime/system/lab.js';

const THREADS = ['main', 'model-0', 'preparation-0', 'device', 'device-2'];
const { document } = modelPackage('first-output');
const facts = { near: localFacts(), far: localFacts({ lanes: 32 }) };
const devices = [
  { name: 'near', driver: 'local', adapter: null, thread: 'device', facts: facts.near },
  { name: 'far', driver: 'webgpu', adapter: 'x', thread: 'device-2', facts: facts.far },
];
const status = { code: 'unavailable', message: 'refused' } as const;

const locationOf = (id: string, device: string): PackageLocation => ({
  id,
  base: id,
  document: { ...document, deployment: { ...document.deployment, device } },
  packageRoots: [],
});

class TwoDevices {
  readonly orders: PreparationOrder[] = [];
  readonly strandedOn: string[] = [];
  readonly lab: Lab;
  readonly #random: SeededRandom;
  isFaulty = false;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    const kinds = {
      deviceQueue: this.#queue,
      preparation: this.#preparation,
      generation: this.#generation,
    } as Readonly<Record<string, ActorFactory>>;
    this.lab = new Lab({ seed, threads: THREADS, kinds });
    this.lab.system().spawn('server', server, {
      modelThreads: ['model-0'],
      preparationThreads: ['preparation-0'],
      devices,
      waitingMax: 8,
      wallTime: () => 0,
    });
  }

  readonly #queue = ((self, { opened }: { opened: string }) => {
    const isOpening = !this.isFaulty || this.#random.next() < 0.5;
    if (isOpening) self.tell(opened, 'device.opened', {});
    else self.tell(opened, 'device.refused', { status });
    return { receive() {} };
  }) as ActorFactory;

  readonly #preparation = ((self, order: PreparationOrder) => {
    this.orders.push(order);
    const { location, generation, deployment } = order;
    const capacities = { batchUnits: 1, uploadBytes: 0, outputBytes: 0 };
    const prepared = {
      ...{ id: location.id, generation, contract: 'finite', capacities },
      ...{ stages: [], state: { image: new Uint8Array() } },
    };
    self.tell(deployment, 'preparation.prepared', { prepared });
    return { receive() {} };
  }) as ActorFactory;

  readonly #generation = ((self, { prepared, deployment, device }: GenerationInput) => {
    const { generation } = prepared;
    self.tell(deployment, 'generation.loaded', { generation });
    return actor((_self, { kind, payload }) => {
      if (kind !== 'device.lost') return;
      this.strandedOn.push(device);
      self.tell(deployment, 'generation.failed', { generation, ...(payload as object) });
      self.stop();
    })(self, null);
  }) as ActorFactory;

  kill(thread: string): void {
    this.lab.world.kill(thread);
    this.lab.start(thread);
  }

  ask<Answer>(to: string, kind: string, payload: unknown = {}): Promise<Answer> {
    const deadlineMs = this.lab.world.time.nowMs + 60_000;
    return this.lab.system().request(to, kind, payload, { deadlineMs }) as Promise<Answer>;
  }

  async settled<Answer>(asked: Promise<Answer>): Promise<Answer> {
    asked.catch(() => {});
    this.lab.settle();
    return asked;
  }

  register(id: string, device: string): Promise<DeploymentSummary> {
    const location = locationOf(id, device);
    return this.settled(this.ask('main:/server', 'deployment.register', { location, wait: true }));
  }

  async summaries(): Promise<readonly DeploymentSummary[]> {
    const { deployments } = await this.settled(
      this.ask<ServerSummary>('main:/server', 'server.describe'),
    );
    const asked = deployments.map(([, at]) => this.ask(at, 'deployment.describe'));
    return this.settled(Promise.all(asked)) as Promise<readonly DeploymentSummary[]>;
  }
}

const refusal = (promise: Promise<unknown>): Promise<{ code: string; message: string }> =>
  promise.then(
    () => assert.unreachable(),
    (error: unknown) => error as { code: string; message: string },
  ) as Promise<{ code: string; message: string }>;

test('a package is prepared for the device that it names, with its facts', async () => {
  const run = new TwoDevices(1);
  await run.settled(run.ask('main:/server', 'server.await'));
  const asked = ['auto', 'local', 'webgpu', 'webgpu:x', 'far'];
  for (const device of asked) await run.register(device.replace(':', '-'), device);
  assert.equal(
    run.orders.map(({ device }) => device),
    ['near', 'near', 'far', 'far', 'far'].map((name) =>
      name === 'near' ? 'device:/device' : 'device-2:/device',
    ),
  );
  assert.equal(
    run.orders.map((order) => order.facts.lanes),
    ['near', 'near', 'far', 'far', 'far'].map((name) => facts[name as 'near' | 'far'].lanes),
  );
  const named = (await run.summaries()).map(({ device }) => device);
  assert.equal(named, ['near', 'near', 'far', 'far', 'far']);
});

test('a model stays on its device, and an unknown one is refused with those that are open', async () => {
  const run = new TwoDevices(1);
  await run.settled(run.ask('main:/server', 'server.await'));
  await run.register('a', 'webgpu');
  await run.register('a', 'auto');
  assert.is(run.orders.at(-1)!.device, 'device-2:/device');
  const moved = await refusal(run.register('a', 'local'));
  assert.is(moved.code, 'failedPrecondition');
  assert.match(moved.message, "on the device 'far' and the package asks for 'near'");
  const unknown = await refusal(run.register('b', 'webgpu:y'));
  assert.is(unknown.code, 'failedPrecondition');
  assert.match(
    unknown.message,
    "'webgpu:y' (deployment.device) and this server runs 'near', 'far'",
  );
  assert.is((await run.summaries()).length, 1);
});

test('whatever becomes of one device, deployments on the other hear of nothing', async () => {
  for (const seed of seeds(100)) {
    const run = new TwoDevices(seed);
    const random = new SeededRandom(seed);
    await run.settled(run.ask('main:/server', 'server.await'));
    for (const id of ['a', 'b', 'c', 'd'])
      await run.register(id, 'ac'.includes(id) ? 'far' : 'near');
    const lost = devices[random.below(2)]!;
    run.isFaulty = true;
    for (let kills = 1 + random.below(4); kills > 0; kills--) {
      run.kill(lost.thread);
      run.lab.world.run({ stepsMax: random.below(200) });
    }
    run.isFaulty = false;
    run.lab.settle();
    const lostQueue = new RegExp(`^${lost.thread}:`);
    assert.ok(run.strandedOn.length > 0);
    assert.ok(run.strandedOn.every((device) => lostQueue.test(device)));
    for (const { id, state, generation, device } of await run.summaries()) {
      assert.is(state, 'serving', `seed ${seed}: ${id}`);
      assert.is(generation > 1, device === lost.name, `seed ${seed}: ${id} on ${device}`);
    }
    // Every order since is for a queue that lives on the same device.
    const last = new Map(run.orders.map((order) => [order.location.id, order.device]));
    const { devices: now } = await run.settled(
      run.ask<ServerSummary>('main:/server', 'server.describe'),
    );
    for (const { name, address, failure } of now) {
      assert.is(failure, null);
      const mine = name === 'far' ? ['a', 'c'] : ['b', 'd'];
      for (const id of mine) assert.is(last.get(id), address, `seed ${seed}: ${id}`);
    }
  }
});

test.run();
