import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LocalMemory } from '../../../../runtime/hal/local/local-memory.js';
import { openSimulatedDevice } from '../../../../runtime/hal/simulated/simulated-device.js';
import { compiledConformance } from '../../../conformance/compiled.js';
import { deviceConformance } from '../../../conformance/device.js';
import { foundationConformance } from '../../../conformance/foundations.js';
import { moveConformance } from '../../../conformance/moves.js';
import { gatherConformance } from '../../../conformance/gathers.js';
import { invocationConformance } from '../../../conformance/invocations.js';
import { DeviceFixture, testPorts, toWords } from '../device-fixture.js';
import { appended, tripled } from '../submissions.js';

const open = async (options: { memoryBytes?: number; poison?: boolean } = {}) => {
  const ports = testPorts();
  const { memoryBytes, poison } = options;
  return new DeviceFixture(openSimulatedDevice({ ports, memoryBytes }), ports, {
    poison,
    keepAlive: true,
  });
};

deviceConformance('the simulated device', open);
invocationConformance('the simulated device', open);
foundationConformance('the simulated device', open);
moveConformance('the simulated device', open);
gatherConformance('the simulated device', open);
compiledConformance('the simulated device', open);

const openManual = () => {
  const ports = testPorts();
  const device = openSimulatedDevice({ ports, completion: 'manual' });
  return new DeviceFixture(device, ports, { poison: true });
};

/** Completes whatever is pending, the newest first, until nothing is. */
function completeAll({ device }: ReturnType<typeof openManual>): void {
  while (device.completion.pending.length > 0) {
    device.completion.complete(device.completion.pending.length - 1, null);
  }
}

test('independent works may complete in any order, each with its own bytes', () => {
  const fixture = openManual();
  const stories = [1, 2, 3].map((value) => fixture.start(tripled([value])));
  assert.is(fixture.device.completion.pending.length, 3);
  completeAll(fixture);
  assert.equal(
    stories.map((story) => toWords(story.retired!.snapshot)),
    [[4], [7], [10]],
  );
  fixture.ledger.assertZero();
});

test('an injected failure fails its invocation and scribbles what it would have written', () => {
  const fixture = openManual();
  const story = fixture.start(
    tripled([1], { buffers: [0, 1].map(() => ({ bytes: 4, lifetime: 'invocation' })) }),
  );
  const { completion } = fixture.device;
  completion.complete(0, null);
  assert.is(completion.pending[0]?.op, 'execute');
  completion.complete(0, { code: 'dataLoss', message: 'the device has failed' });
  assert.equal(story.events, ['accepted', 'failed']);
  assert.is(story.failed?.message, 'the device has failed');
  fixture.ledger.assertZero();
});

test('a lost device fails what was accepted exactly once and accepts nothing more', () => {
  const fixture = openManual();
  const stories = [1, 2, 3].map((value) => fixture.start(tripled([value])));
  const losses: string[] = [];
  fixture.device.onLost((status) => losses.push(status.message));
  fixture.device.completion.complete(1, null);
  fixture.device.lose({ code: 'unavailable', message: 'the device is gone' });
  fixture.device.lose({ code: 'unavailable', message: 'again' });
  for (const story of stories) assert.equal(story.events, ['accepted', 'failed']);
  assert.equal(losses, ['the device is gone']);
  fixture.ledger.assertZero();
  const late = fixture.start(tripled([4]));
  assert.equal(late.events, ['failed']);
  assert.is(late.failed?.message, 'the device is gone');
});

test('what waits for admission fails when the device is lost', () => {
  const ports = testPorts();
  const device = openSimulatedDevice({ ports, completion: 'manual', memoryBytes: 1024 });
  const fixture = new DeviceFixture(device, ports);
  const words = Array.from({ length: 100 }, () => 1);
  const stories = [0, 1, 2].map(() => fixture.start(tripled(words)));
  assert.equal(
    stories.map(({ events }) => events.join()),
    ['accepted', '', ''],
  );
  device.lose({ code: 'unavailable', message: 'gone' });
  assert.equal(
    stories.map(({ events }) => events.join()),
    ['accepted,failed', 'failed', 'failed'],
  );
  fixture.ledger.assertZero();
});

test('what waits behind kept results fails too when the device is lost', () => {
  const ports = testPorts();
  const device = openSimulatedDevice({ ports, completion: 'manual', memoryBytes: 1024 });
  const fixture = new DeviceFixture(device, ports);
  void fixture.createStorage('row', 768);
  const waiting = fixture.start(tripled([1, 2]));
  assert.equal(waiting.events, []);
  device.lose({ code: 'unavailable', message: 'gone' });
  assert.equal(waiting.events, ['failed']);
  fixture.runner.release('row');
  fixture.ledger.assertZero();
});

test('works that share a workspace run one after another', () => {
  const fixture = openManual();
  const [input, workspace] = [fixture.place(4), fixture.place(1024)];
  for (let i = 0; i < 2; i += 1) {
    fixture.work([fixture.launch('echo', [input, fixture.place(1024)], { workspace })]);
  }
  assert.is(fixture.device.completion.pending.length, 1);
  completeAll(fixture);
  assert.is(fixture.device.queue.inFlight, 0);
});

test('rows are written in order of acceptance whatever completes first', () => {
  const fixture = openManual();
  void fixture.createStorage('row', 4);
  const stories = [1, 2, 3].map((value) => fixture.start(appended('row', value)));
  completeAll(fixture);
  const last = stories.at(-1)!.retired!.snapshot;
  assert.equal(toWords(last), [(1 * 31 + 2) * 31 + 3]);
  fixture.runner.release('row');
  fixture.ledger.assertZero();
});

test('an executor can stand in for the program', () => {
  const ports = testPorts();
  const seen: string[] = [];
  const device = openSimulatedDevice({
    ports,
    completion: 'manual',
    execute: (launch, view) => {
      seen.push(launch.executable.info.name);
      view(launch.roots[1]!).fill(1);
      return null;
    },
  });
  const fixture = new DeviceFixture(device, ports);
  const story = fixture.start(tripled([5]));
  completeAll(fixture);
  assert.equal(toWords(story.retired!.snapshot), [0x01010101]);
  assert.equal(seen, ['triple']);
});

test('memory that is handed on is zero, as far as anybody was shown it', async () => {
  const memory = new LocalMemory({ workers: 1, memoryBytes: 65_536 });
  const take = (): void => {
    openSimulatedDevice({ ports: testPorts(), memory, memoryBytes: 65_536 });
  };
  take();
  memory.grow(0, 65_536);
  memory.fill({ slab: 0, offset: 512, length: 1024 }, 0xff);
  const { buffer, offset } = memory.window({ slab: 0, offset: 8192, length: 4 });
  new Uint8Array(buffer).fill(0xee, offset, offset + 4);
  take();
  assert.is(memory.slabBytes(), 0);
  memory.grow(0, 65_536);
  const all = memory.view({ slab: 0, offset: 0, length: 65_536 });
  assert.not(all.some((byte) => byte !== 0));
});

test('a range of the local memory is filled whole, and nothing beside it', () => {
  const memory = new LocalMemory({ workers: 1, memoryBytes: 65_536 });
  memory.grow(0, 1024);
  const ranges = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(255));
  fc.assert(
    fc.property(fc.array(ranges, { maxLength: 6 }), (fills) => {
      const all = memory.view({ slab: 0, offset: 0, length: 1024 });
      const expected = Uint8Array.from(all);
      for (const [offset, length, byte] of fills) {
        memory.fill({ slab: 0, offset, length }, byte);
        for (let i = 0; i < length; i++) expected[offset + i] = byte;
      }
      assert.equal(Uint8Array.from(all), expected);
    }),
  );
});

test.run();
