/**
 * What the local device costs besides arithmetic, with two compute workers: one empty dispatch in
 * the middle of a command program (each waits for the one before it), and a work from its
 * submission to its retirement, as the device thread sees it.
 */
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import type { ExecutableImage } from '../../runtime/hal/executable.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { compiled } from '../conformance/compiled.js';
import * as b from '../generators/typed-builder.js';
import { DeviceFixture } from '../runtime/hal/device-fixture.js';
import { median, printReport } from './report.js';

const { t } = b;
const dispatches = 1000;
const runs = 300;

/** `count` dispatches of a kernel whose only lane reads and writes one word: a hazard each. */
function empty(count: number): ExecutableImage {
  const k = new b.KernelBuilder('empty', 1);
  const words = k.view('words', 'inout', b.storage('i32'));
  const lane = k.local('lane', t.i32);
  const body = b.block(words.set(b.i32(0), b.i32(1)));
  const kernel = k.build(b.block(k.parallel(lane, { from: b.i32(0), to: b.i32(1) }, body)));
  const steps = Array.from({ length: count }, () => b.dispatch(0, [b.wholeRoot(0)], 1));
  return compiled(b.commandProgram({ roots: [b.root('inout')], kernels: [kernel], steps }));
}

const ports = systemPorts('bench');
// The compute workers run every launch: what a device thread alone costs is another matter.
const device = await openLocalDevice({
  ...{ ports, threads: 2, memoryBytes: 64 * 1024 * 1024, brief: false },
});
const fixture = new DeviceFixture(device, ports, { keepAlive: true });
device.load('one', empty(1));
device.load('many', empty(dispatches));
const root = fixture.place(16);

/** Microseconds from the submission to the retirement, each. */
async function times(executable: string, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let run = 0; run < count; run += 1) {
    const started = performance.now();
    const { failure } = await fixture.work([fixture.launch(executable, [root])]).retired;
    found.push((performance.now() - started) * 1000);
    if (failure) throw new Error(failure.message);
  }
  return found;
}

await times('one', 2000);
await times('many', 20);
const one: number[] = [];
const many: number[] = [];
for (let round = 0; round < 5; round += 1) {
  one.push(...(await times('one', runs)));
  many.push(...(await times('many', 20)));
}
await fixture.close();
const retire = median(one);
printReport({
  name: 'device',
  rows: [
    {
      name: 'empty dispatch, two workers',
      value: (median(many) - retire) / (dispatches - 1),
      unit: 'us',
      better: 'lower',
      goal: 5,
    },
    { name: 'submit to retire', value: retire, unit: 'us', better: 'lower', goal: 100 },
  ],
});
