/** Credit by itself, and in both directions around a streaming dummy on the simulated device. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { Credit } from '../../../runtime/base/credit.js';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { SimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import { DeviceFixture, testPorts, toWords } from '../hal/device-fixture.js';
import { tripled } from '../hal/submissions.js';

test('credit is taken whole or not at all, and comes back', () => {
  const credit = new Credit(10, 'bytes');
  assert.is(credit.acquire(6), true);
  assert.is(credit.acquire(5), false);
  assert.is(credit.available, 4, 'a refusal takes nothing');
  assert.is(credit.acquire(4), true);
  assert.is(credit.acquire(0), true);
  credit.return(10);
  assert.ok(credit.isWhole);
});

test('what can never be taken is an error with the limit; giving back too much is a bug', () => {
  const credit = new Credit(10, 'frames of output');
  assert.throws(() => credit.acquire(11), /11 frames of output at once; at most 10 may be/);
  assert.throws(() => credit.return(1), /at most 0 frames of output/);
  assert.throws(() => credit.acquire(-1));
  assert.throws(() => credit.acquire(0.5));
  assert.throws(() => new Credit(0, 'bytes'));
});

const INPUT_BYTES = 48;
const OUTPUT_FRAMES = 3;

type Fixture = DeviceFixture<SimulatedDevice>;

/**
 * A stream as later profiles have them: packets come in while there is input credit, are copied
 * before the source is called again, and are read by device work in order; each gives one frame,
 * published while there is output credit.
 */
class StreamingDummy {
  readonly input = new Credit(INPUT_BYTES, 'bytes of input');
  readonly output = new Credit(OUTPUT_FRAMES, 'frames of output');
  /** Frames that the reader was given. */
  readonly published: number[][] = [];
  readonly #fixture: Fixture;
  readonly #packets: { bytes: Uint8Array; words: number[] }[] = [];
  readonly #frames: number[][] = [];
  #isRunning = false;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  /** False without credit: the client keeps the packet. */
  accept(packet: Uint8Array): boolean {
    if (!this.input.acquire(packet.length)) return false;
    const bytes = packet.slice();
    this.#packets.push({ bytes, words: toWords(bytes) });
    this.#pump();
    return true;
  }

  acknowledge(): void {
    this.output.return(1);
    this.#pump();
  }

  get isAtRest(): boolean {
    return !this.#isRunning && this.#packets.length + this.#frames.length === 0;
  }

  #pump(): void {
    while (this.#frames.length > 0 && this.output.acquire(1)) {
      this.published.push(this.#frames.shift()!);
    }
    // No further work while a frame waits for its reader: the device holds nothing for it.
    if (this.#isRunning || this.#frames.length > 0 || this.#packets.length === 0) return;
    const { bytes, words } = this.#packets.shift()!;
    this.#isRunning = true;
    this.#fixture.start(tripled(words), (story) => {
      this.#isRunning = false;
      this.input.return(bytes.length);
      this.#frames.push(toWords(story.retired!.snapshot));
      this.#pump();
    });
  }
}

/** One memory for all runs: each would reserve gigabytes of addresses until it is collected. */
const spareMemory = openSimulatedDevice({ ports: testPorts(), memoryBytes: 65_536 }).memory;

function openFixture(): Fixture {
  const ports = testPorts();
  const options = { completion: 'manual', memoryBytes: 65_536, memory: spareMemory } as const;
  return new DeviceFixture(openSimulatedDevice({ ports, ...options }), ports, { poison: true });
}

type Step =
  | { readonly op: 'send'; readonly stream: number; readonly words: number }
  | { readonly op: 'complete'; readonly choice: number }
  | { readonly op: 'read'; readonly stream: number };

const stream = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constant('send' as const), stream, words: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ op: fc.constant('complete' as const), choice: fc.nat(100) }),
  fc.record({ op: fc.constant('read' as const), stream }),
);

/** Two streams on one device, and what each was sent. */
class Traffic {
  readonly fixture = openFixture();
  readonly streams = [new StreamingDummy(this.fixture), new StreamingDummy(this.fixture)];
  readonly sent: number[][][] = [[], []];
  readonly read = [0, 0];
  /** The source's one packet, overwritten for every call. */
  readonly #source = new Uint32Array(12);
  #next = 1;

  take(step: Step): void {
    if (step.op === 'send') this.send(step.stream, step.words);
    else if (step.op === 'read') this.readOne(step.stream);
    else this.complete(step.choice);
    for (const { input, output, published } of this.streams) {
      assert.ok(input.taken <= INPUT_BYTES && output.taken <= OUTPUT_FRAMES);
      assert.ok(published.length >= output.taken);
    }
  }

  send(at: number, words: number): boolean {
    for (let i = 0; i < words; i += 1) this.#source[i] = this.#next++;
    const taken = this.streams[at]!.accept(new Uint8Array(this.#source.buffer, 0, words * 4));
    if (taken) this.sent[at]!.push([...this.#source.subarray(0, words)]);
    return taken;
  }

  readOne(at: number): boolean {
    if (this.read[at]! >= this.streams[at]!.published.length) return false;
    this.read[at]! += 1;
    this.streams[at]!.acknowledge();
    return true;
  }

  complete(choice: number): boolean {
    const { completion } = this.fixture.device;
    const count = completion.pending.length;
    if (count > 0) completion.complete(choice % count, null);
    return count > 0;
  }
}

test('streams keep their order and their bounds under any pace of both ends', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const traffic = new Traffic();
      for (const step of steps) traffic.take(step);
      while (traffic.complete(0) || traffic.readOne(0) || traffic.readOne(1));
      traffic.streams.forEach((one, at) => {
        assert.ok(one.isAtRest && one.input.isWhole && one.output.isWhole);
        const expected = traffic.sent[at]!.map((words) => words.map((word) => word * 3 + 1));
        assert.equal(one.published, expected);
      });
      traffic.fixture.ledger.assertZero();
    }),
    { numRuns: 200 },
  );
});

test('a reader that stalls holds what credit allows, no device memory, and nobody else', () => {
  const traffic = new Traffic();
  const [stalled, other] = traffic.streams as [StreamingDummy, StreamingDummy];
  for (let i = 0; i < 100; i += 1) {
    traffic.send(0, 4);
    traffic.send(1, 4);
    while (traffic.complete(0) || traffic.readOne(1));
  }
  assert.is(stalled.published.length, OUTPUT_FRAMES);
  assert.ok(stalled.input.taken <= INPUT_BYTES);
  assert.is(traffic.send(0, 12), false, 'its client is told to wait');
  assert.is(other.published.length, 100);
  traffic.fixture.ledger.assertZero();
});

test('input credit returns with the retirement of the work that read it, not before', () => {
  const traffic = new Traffic();
  const [one] = traffic.streams as [StreamingDummy];
  traffic.send(0, 12);
  assert.is(one.input.available, 0);
  // Upload, execution, snapshot: three works, and only the last one's end is retirement.
  for (const left of [0, 0, INPUT_BYTES]) {
    assert.is(traffic.complete(0), true);
    assert.is(one.input.available, left);
  }
});

test.run();
