/** The collector of records over threads that answer, do not, or are started anew. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecorderHub } from '../../../actors/edge/recorder-hub.js';
import type { Collected } from '../../../actors/edge/record-history.js';
import { RingRecorder, type RecordBatch } from '../../../runtime/system/ring-recorder.js';
import { manualPorts } from '../../http/manual-ports.js';
import { Lab } from '../../runtime/system/lab.js';

/** Threads as a topology gives them; each has a ring while it is told to record. */
class Threads {
  readonly rings = new Map<string, RingRecorder | null>();
  readonly asked: string[] = [];
  stuck = '';

  constructor(names: readonly string[]) {
    for (const name of names) this.rings.set(name, null);
  }

  get names(): string[] {
    return [...this.rings.keys()];
  }

  async record(name: string, isOn = true): Promise<void> {
    if (name === this.stuck) return new Promise(() => {});
    this.rings.set(name, isOn ? new RingRecorder(8) : null);
  }

  batch(name: string): Promise<RecordBatch | null> {
    this.asked.push(name);
    if (name === this.stuck) return new Promise(() => {});
    return Promise.resolve(this.rings.get(name)?.take() ?? null);
  }

  happen(name: string, atMs: number): void {
    this.rings.get(name)?.record({
      type: 'unexpected',
      atMs,
      actor: `${name}:/a`,
      state: 's',
      event: 'e',
    });
  }
}

interface Bench {
  readonly threads: Threads;
  readonly hub: RecorderHub;
  readonly seen: Collected[];
  /** One period, and what it sets off. */
  tick(): Promise<void>;
}

function bench(): Bench {
  const ports = manualPorts();
  const threads = new Threads(['one', 'two']);
  const hub = new RecorderHub({ system: new Lab().system(), topology: threads, ports });
  const seen: Collected[] = [];
  hub.add({ write: (_nowMs, collected) => void seen.push(collected) });
  const tick = async (): Promise<void> => {
    ports.advance(100);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { threads, hub, seen, tick };
}

const times = (seen: readonly Collected[]): number[] =>
  seen.flatMap(({ records }) => records.map((record) => ('atMs' in record ? record.atMs : -1)));

test('off, nobody is asked; on, records of all threads come in order of time', async () => {
  const { threads, hub, seen, tick } = bench();
  await tick();
  assert.equal(threads.asked, []);
  await hub.want('console', true);
  threads.happen('two', 2);
  threads.happen('one', 3);
  threads.happen('two', 1);
  await tick();
  await tick();
  assert.equal(times(seen), [1, 2, 3]);
  const count = threads.asked.length;
  await hub.want('console', false);
  assert.equal([...threads.rings.values()], [null, null], 'threads stop, too');
  const after = threads.asked.length;
  assert.ok(after > count, 'what they had was taken first');
  await tick();
  assert.is(threads.asked.length, after);
});

test('it is on until nobody wants it', async () => {
  const { hub } = bench();
  await hub.want('file', true);
  await hub.want('console', true);
  await hub.want('console', false);
  assert.ok(hub.isRecording);
  await hub.want('file', false);
  assert.not.ok(hub.isRecording);
});

test('a thread that is stuck delays no other, and is asked once', async () => {
  const { threads, hub, seen, tick } = bench();
  await hub.want('console', true);
  threads.stuck = 'one';
  for (const atMs of [1, 2, 3]) {
    threads.happen('two', atMs);
    await tick();
  }
  await tick();
  assert.equal(times(seen), [1, 2, 3]);
  assert.is(threads.asked.filter((name) => name === 'one').length, 1);
});

test('what gives way in a ring is counted', async () => {
  const { threads, hub, seen, tick } = bench();
  await hub.want('console', true);
  for (let atMs = 0; atMs < 12; atMs += 1) threads.happen('one', atMs);
  await tick();
  await tick();
  assert.is(
    seen.reduce((sum, { lost }) => sum + lost, 0),
    4,
  );
  assert.equal(times(seen), [4, 5, 6, 7, 8, 9, 10, 11]);
});

test('a thread that was started anew records again', async () => {
  const { threads, hub, seen, tick } = bench();
  await hub.want('console', true);
  threads.rings.set('one', null);
  await tick();
  await tick();
  threads.happen('one', 7);
  await tick();
  await tick();
  assert.equal(times(seen), [7]);
});

test.run();
