import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLocalDevice } from '../../../../runtime/hal/local/local-device.js';
import { compiledConformance, countedTwice } from '../../../conformance/compiled.js';
import { deviceConformance } from '../../../conformance/device.js';
import { foundationConformance } from '../../../conformance/foundations.js';
import { moveConformance } from '../../../conformance/moves.js';
import { gatherConformance } from '../../../conformance/gathers.js';
import { invocationConformance } from '../../../conformance/invocations.js';
import { DeviceFixture, testPorts, toWords, u32 } from '../device-fixture.js';
import { stuck } from '../programs.js';
import { tripled } from '../submissions.js';

const MEMORY_BYTES = 64 * 1024 * 1024;

interface OpenOptions {
  readonly memoryBytes?: number;
  readonly poison?: boolean;
  readonly brief?: boolean;
}

/** Without `brief` its workers run every launch, however small: most tests are about them. */
const open = async (options: OpenOptions = {}) => {
  const ports = testPorts();
  const { memoryBytes = MEMORY_BYTES, poison, brief = false } = options;
  const device = await openLocalDevice({ ports, threads: 2, memoryBytes, brief });
  return new DeviceFixture(device, ports, { poison });
};
const openBrief = (options: OpenOptions = {}) => open({ ...options, brief: true });

deviceConformance('the local device', open);
invocationConformance('the local device', open);
foundationConformance('the local device', open);
moveConformance('the local device', open);
gatherConformance('the local device', open);
compiledConformance('the local device', open);
foundationConformance('the local device with brief launches', openBrief);
moveConformance('the local device with brief launches', openBrief);
compiledConformance('the local device with brief launches', openBrief);

test('a worker killed inside a barrier fails that work and strands nobody', async () => {
  const fixture = await open();
  fixture.device.load('stuck', stuck());
  const [input, output] = [fixture.place(4), fixture.place(4)];
  for (const worker of [1, 0]) {
    const work = fixture.work([fixture.launch('stuck', [input, output])]);
    const next = fixture.invoke(tripled([worker]));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await fixture.device.killWorker(worker);
    const { failure } = await work.retired;
    assert.is(failure?.code, 'unavailable');
    assert.match(failure!.message, /a compute worker ended while it ran stuck/);
    assert.equal(toWords((await next).retired!.snapshot), [worker * 3 + 1]);
  }
  await fixture.close();
});

test('a worker killed inside a compiled program frees the others from its barriers', async () => {
  const fixture = await open();
  // One workgroup of some hundred milliseconds: one worker is in it, the other in the barrier. On a
  // machine that is busy the work may be over before the worker is: then once more.
  fixture.device.load('long', countedTwice(1, 120_000_000));
  const root = fixture.place(16);
  for (const worker of [0, 1]) {
    let code: string | undefined;
    for (let attempt = 0; attempt < 20 && code === undefined; attempt++) {
      const work = fixture.work([fixture.launch('long', [root])]);
      await new Promise((resolve) => setTimeout(resolve, 10));
      await fixture.device.killWorker(worker);
      code = (await work.retired).failure?.code;
    }
    assert.is(code, 'unavailable');
  }
  assert.equal(toWords((await fixture.invoke(tripled([5]))).retired!.snapshot), [16]);
  await fixture.close();
});

test('a worker killed while idle is replaced and nothing fails', async () => {
  const fixture = await open();
  await fixture.invoke(tripled([1]));
  await fixture.device.killWorker(0);
  const story = await fixture.invoke(tripled([2]));
  assert.equal(toWords(story.retired!.snapshot), [7]);
  await fixture.close();
});

test('workers that keep ending make the device lost; everything accepted fails once', async () => {
  const fixture = await open();
  fixture.device.load('stuck', stuck());
  const [input, output] = [fixture.place(4), fixture.place(4)];
  const lost = new Promise<string>((resolve) =>
    fixture.device.onLost((status) => resolve(status.message)),
  );
  const works = Array.from({ length: 6 }, () =>
    fixture.work([fixture.launch('stuck', [input, output])]),
  );
  const killing = (async () => {
    while (fixture.device.lost === null) {
      await fixture.device.killWorker(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  assert.match(await lost, /compute workers ended in a row/);
  const outcomes = await Promise.all(works.map(({ retired }) => retired));
  assert.ok(outcomes.every(({ failure }) => failure?.code === 'unavailable'));
  await killing;
  assert.throws(() => fixture.work([]), /the local device is lost/);
  await fixture.close();
});

test('closing with work in flight fails it and ends all threads', async () => {
  const fixture = await open();
  fixture.device.load('stuck', stuck());
  const [input, output] = [fixture.place(4), fixture.place(4)];
  const work = fixture.work([fixture.launch('stuck', [input, output])]);
  await fixture.close();
  assert.is((await work.retired).failure?.message, 'the device is closed');
});

test('settings outside the limits are refused with limit and knob', async () => {
  const ports = testPorts();
  for (const [options, message] of [
    [{ threads: 0 }, /1 to 64 compute workers; --threads asks for 0/],
    [{ threads: 65 }, /--threads asks for 65/],
    [{ threads: 1, memoryBytes: 2 ** 32 }, /32-bit addresses .* --memory asks for 4294967296/],
  ] as const) {
    let caught: Error | null = null;
    await openLocalDevice({ ports, ...options }).catch((error: Error) => (caught = error));
    assert.match(caught!.message, message);
  }
});

test('memory grows under accepted work without moving it', async () => {
  const fixture = await open();
  const first = fixture.place(4);
  await fixture.write(first, u32(41));
  const before = fixture.pool.slabBytes;
  const large = fixture.place(32 * 1024 * 1024);
  assert.ok(fixture.pool.slabBytes > before);
  const target = { ...large, offset: large.offset + large.length - 4, length: 4 };
  await fixture.work([fixture.launch('triple', [first, target])]).retired;
  assert.equal(toWords(await fixture.read(target)), [124]);
  await fixture.close();
});

test.run();
