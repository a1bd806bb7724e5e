/**
 * Random schedules against the queue: works with random bytes, waits and timelines, completed and
 * failed in random order. The oracle is a plain model of memory and of what must have failed.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import { systemPorts } from '../../../runtime/base/ports.js';
import type { DeviceRange } from '../../../runtime/hal/buffer.js';
import type { DeviceCommand } from '../../../runtime/hal/command.js';
import type { Done } from '../../../runtime/hal/driver.js';
import { Fence } from '../../../runtime/hal/fence.js';
import { Queue } from '../../../runtime/hal/queue.js';
import { Timeline } from '../../../runtime/hal/timeline.js';

const CELLS = 6;
const broken: StatusRecord = { code: 'internal', message: 'broken' };
const cell = (index: number): DeviceRange => ({ slab: 0, offset: index * 4, length: 4 });

interface Plan {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** Earlier works to wait for, as distances back. */
  readonly waits: readonly number[];
  readonly timeline: number;
  readonly fails: boolean;
  /** Steps of completion before this work is submitted. */
  readonly steps: number;
}

const cells = fc.uniqueArray(fc.nat(CELLS - 1), { maxLength: 2 });
const planOf: fc.Arbitrary<Plan> = fc.record({
  reads: cells,
  writes: cells,
  waits: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 2 }),
  timeline: fc.nat(3),
  fails: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
  steps: fc.nat(3),
});

/** Starts commands at once and completes them when it is told which. */
class HandDriver {
  readonly started: { command: DeviceCommand; done: Done }[] = [];

  start(command: DeviceCommand, done: Done): void {
    this.started.push({ command, done });
  }

  complete(choice: number): void {
    if (this.started.length === 0) return;
    const [entry] = this.started.splice(choice % this.started.length, 1);
    assert.ok(entry?.command.op === 'call');
    entry.command.run(entry.done);
  }
}

class Schedule {
  readonly driver = new HandDriver();
  readonly queue = new Queue(this.driver, systemPorts('queue').clock);
  readonly timelines = Array.from({ length: 4 }, (_, i) => new Timeline(`t${i}`));
  readonly memory = Array<number>(CELLS).fill(0);
  readonly retired: (StatusRecord | null)[][] = [];
  readonly fences: Fence[] = [];
  readonly ran: boolean[] = [];
  readonly plans: Plan[] = [];

  submit(plan: Plan): void {
    const id = this.plans.push(plan) - 1;
    this.retired.push([]);
    this.ran.push(false);
    const wait = Fence.join(...plan.waits.map((back) => this.fences[id - back] ?? null));
    const request = {
      label: `work ${id}`,
      wait,
      timeline: this.timelines[plan.timeline]!,
      commands: [this.command(id, plan)],
      onRetired: ({ failure }: { failure: StatusRecord | null }) => {
        this.retired[id]!.push(failure);
      },
    };
    this.fences.push(this.queue.submit(request));
  }

  /** Reads and writes when it completes, so an order that was not kept shows in the sums. */
  command(id: number, plan: Plan): DeviceCommand {
    const [reads, writes] = [plan.reads.map(cell), plan.writes.map(cell)];
    const run = (done: Done): void => {
      this.ran[id] = true;
      if (plan.fails) return done(broken);
      const sum = plan.reads.reduce((total, index) => total + this.memory[index]!, id + 1);
      for (const index of plan.writes) this.memory[index] = sum % 65_521;
      done(null);
    };
    return { op: 'call', reads, writes, run };
  }
}

/** Which works must fail, by what they wait for alone. */
function mustFail(plans: readonly Plan[]): boolean[] {
  const failed: boolean[] = [];
  const lastOf = new Map<number, number>();
  plans.forEach((plan, id) => {
    const previous = lastOf.get(plan.timeline);
    lastOf.set(plan.timeline, id);
    const waits = plan.waits.map((back) => id - back).filter((other) => other >= 0);
    const causes = previous === undefined ? waits : [...waits, previous];
    failed[id] = plan.fails || causes.some((other) => failed[other]);
  });
  return failed;
}

test('under any schedule each work retires once, in an order that keeps every hazard', () => {
  fc.assert(
    fc.property(
      fc.array(planOf, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 }),
      (plans, choices) => {
        const schedule = new Schedule();
        let next = 0;
        const step = (): void => schedule.driver.complete(choices[next++ % choices.length]!);
        for (const plan of plans) {
          schedule.submit(plan);
          for (let i = 0; i < plan.steps; i += 1) step();
        }
        while (schedule.driver.started.length > 0) step();

        assert.is(schedule.queue.inFlight, 0);
        assert.ok(
          schedule.retired.every((outcomes) => outcomes.length === 1),
          'once each',
        );
        const failedOf = (id: number): boolean => schedule.retired[id]![0] !== null;
        const failed = mustFail(plans);
        const readsFailed = (id: number): boolean => !failed[id] && failedOf(id);
        plans.forEach((plan, id) => {
          if (failed[id]) assert.ok(failedOf(id), `work ${id} must fail`);
          if (failedOf(id) && !plan.fails)
            assert.is(schedule.ran[id], false, 'a dependent never ran');
          // More may fail only because they read what a failed work in flight was to write.
          if (readsFailed(id)) {
            const cause = plans.slice(0, id).some((earlier, other) => {
              const reads = earlier.writes.some((index) => plan.reads.includes(index));
              const waits = plan.waits.includes(id - other) || earlier.timeline === plan.timeline;
              return failedOf(other) && (reads || waits);
            });
            assert.ok(cause, `work ${id} has no reason to fail`);
          }
        });
        // What succeeded had the effect of running alone, in order of acceptance.
        const memory = Array<number>(CELLS).fill(0);
        plans.forEach((plan, id) => {
          if (failedOf(id)) return;
          const sum = plan.reads.reduce((total, index) => total + memory[index]!, id + 1);
          for (const index of plan.writes) memory[index] = sum % 65_521;
        });
        assert.equal(schedule.memory, memory);
        for (const timeline of schedule.timelines) {
          assert.ok(timeline.reached <= timeline.issued);
          if (!timeline.failure) assert.is(timeline.reached, timeline.issued);
        }
      },
    ),
    { numRuns: 400 },
  );
});

test('a command that throws fails its work and the queue goes on', () => {
  const driver = {
    start: (command: DeviceCommand, done: Done): void => {
      if (command.op === 'fill') throw new Error('no such memory');
      done(null);
    },
  };
  const queue = new Queue(driver, systemPorts('queue').clock);
  const outcomes: (string | null)[] = [];
  for (const op of ['fill', 'upload'] as const) {
    queue.submit({
      label: op,
      wait: null,
      timeline: new Timeline('t'),
      commands: [
        op === 'fill'
          ? { op, target: cell(0), byte: 0 }
          : { op, target: cell(1), bytes: new Uint8Array(4) },
      ],
      onRetired: ({ failure }) => outcomes.push(failure?.message ?? null),
    });
  }
  assert.equal(outcomes, ['no such memory', null]);
});

test('a queue that refuses says why, and what it accepted still retires', () => {
  const driver = new HandDriver();
  const queue = new Queue(driver, systemPorts('queue').clock);
  const request = { label: 'w', wait: null, timeline: new Timeline('t') };
  const outcomes: unknown[] = [];
  const command: DeviceCommand = { op: 'call', reads: [], writes: [], run: (done) => done(null) };
  queue.submit({
    ...request,
    commands: [command],
    onRetired: ({ failure }) => outcomes.push(failure),
  });
  queue.refuse({ code: 'unavailable', message: 'closing' });
  assert.throws(() => queue.submit({ ...request, commands: [], onRetired: () => {} }), /closing/);
  driver.complete(0);
  assert.equal(outcomes, [null]);
});

test.run();
