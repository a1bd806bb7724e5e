/**
 * What recording costs while it is off: nothing is allocated by any function that makes or keeps a
 * record. Seen by V8's sampling heap profiler; the same profile with a recorder shows them all.
 */
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machineActor } from '../../../runtime/system/machine-actor.js';
import { RingRecorder } from '../../../runtime/system/ring-recorder.js';
import type { Recorder } from '../../../runtime/system/recorder.js';
import { createMachine } from 'xstate';
import { actor, Lab } from './lab.js';

const MESSAGES = 5_000;
/** Bytes between two samples: small, so that no function that allocates is missed. */
const INTERVAL = 128;
/** Functions that make records, in files that this thread runs. */
const MAKERS = ['#recordTurn', 'transition', 'record'];

// What a function allocates that was inlined counts for its caller: when that happens is chance.
setFlagsFromString('--no-turbo-inlining');

interface Node {
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly selfSize: number;
  readonly children: readonly Node[];
}

const door = createMachine({
  id: 'door',
  initial: 'open',
  states: { open: { on: { push: 'closed' } }, closed: { on: { push: 'open' } } },
});

function sumByMaker(node: Node, sums: Map<string, number>): Map<string, number> {
  const { functionName, url } = node.callFrame;
  if (url.includes('/runtime/system/') && MAKERS.includes(functionName)) {
    sums.set(functionName, (sums.get(functionName) ?? 0) + node.selfSize);
  }
  for (const child of node.children) sumByMaker(child, sums);
  return sums;
}

/** Bytes that those functions allocated while machines took messages. */
async function profiled(recorder: Recorder | null): Promise<Map<string, number>> {
  const lab = new Lab({ system: { recorder } });
  lab.system().spawn(
    'door',
    machineActor(door, () => ({ effects: {} })),
    null,
  );
  lab.system().spawn(
    'plain',
    actor(() => {}),
    null,
  );
  const push = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      lab.system().tell('main:/door', 'push');
      lab.system().tell('main:/plain', 'word');
      if (index % 100 === 99) lab.settle();
    }
  };
  push(1_000);
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  push(MESSAGES);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  return sumByMaker(profile.head as unknown as Node, new Map());
}

test('without a recorder nothing is allocated for one', async () => {
  assert.equal([...(await profiled(null))], []);
});

test('the same profile sees each of them where there is one', async () => {
  const sums = await profiled(new RingRecorder(1_000_000));
  for (const maker of MAKERS) {
    assert.ok((sums.get(maker) ?? 0) > 0, `${maker} is seen to allocate`);
  }
});

test.run();
