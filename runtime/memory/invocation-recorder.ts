/**
 * Puts one admitted invocation into the queue: uploads, executions and moves in order, feedback on
 * a branch of its own, the final snapshot. Knows which work waits for what; knows nothing of who
 * pays.
 *
 * Holds: executions and moves of one invocation run in order on one timeline, so a fence of one of
 * them covers it and what came before, never what comes after. A feedback copy delays and fails
 * nobody else; the queue keeps later writers of its bytes behind it.
 */
import { assert, toStatus, type StatusRecord } from '../base/errors.js';
import { subRange, type DeviceRange } from '../hal/buffer.js';
import type { DeviceCommand } from '../hal/command.js';
import type { Device } from '../hal/device.js';
import type { Executable } from '../hal/executable.js';
import { Fence } from '../hal/fence.js';
import type { Gathers } from '../hal/gather.js';
import type { WorkOutcome, WorkRequest } from '../hal/queue.js';
import type { BufferRange, Submission, SubmissionCommand } from '../hal/submission.js';
import type { Timeline } from '../hal/timeline.js';
import { hostedBytes } from './hosted-bytes.js';

/** Ranges of an invocation, all placed. */
export interface InvocationBindings {
  /** By buffer index, of the submitted length. */
  readonly buffers: readonly DeviceRange[];
  readonly executables: ReadonlyMap<number, Executable>;
  readonly workspaces: ReadonlyMap<Executable, DeviceRange>;
  /** Fields of the banks that a program binds. */
  readonly banks: (executable: Executable) => readonly DeviceRange[];
  readonly gathers: Gathers | null;
  readonly snapshotBytes: number;
  readonly backEdges: number | null;
}

type Call = Extract<DeviceCommand, { op: 'call' }>;

interface Step extends Omit<WorkRequest, 'onRetired'> {
  readonly onRetired?: (failure: StatusRecord | null) => void;
}

export class InvocationRecorder {
  readonly #device: Device;
  readonly #submission: Submission;
  readonly #bindings: InvocationBindings;
  readonly #onEmpty: () => void;
  readonly #main: Timeline;
  readonly #works = new Map<number, Fence>();
  readonly #fences = new Map<number, Fence>();
  readonly feedback: { slot: number; bytes: Uint8Array }[] = [];
  readonly snapshot: Uint8Array;
  /** First cause of failure. */
  failure: StatusRecord | null = null;
  /** When the first execution started. */
  started: number | null = null;
  #joined: Fence | null = null;
  /** Since the last command of another kind. */
  readonly #moves: DeviceCommand[] = [];
  /** Accepted works that have not retired, and one for the recording itself. */
  #open = 1;

  /** `onEmpty` is called once, when everything that was recorded has retired. */
  constructor(
    device: Device,
    submission: Submission,
    options: { bindings: InvocationBindings; onEmpty: () => void },
  ) {
    this.#device = device;
    this.#submission = submission;
    this.#bindings = options.bindings;
    this.#onEmpty = options.onEmpty;
    this.#main = device.createTimeline(submission.invocation);
    this.snapshot = new Uint8Array(options.bindings.snapshotBytes);
  }

  /** Submits everything. A queue that refuses in the middle fails what is left. */
  record(): void {
    const { uploads, commands, snapshot } = this.#submission;
    const writes = uploads.map(({ target, bytes }): DeviceCommand => {
      return { op: 'upload', target: this.#range(target), bytes };
    });
    let offset = 0;
    const reads = snapshot.map((source): DeviceCommand => {
      const into = this.snapshot.subarray(offset, (offset += source.length));
      return { op: 'readback', source: this.#range(source), into };
    });
    try {
      if (writes.length > 0) {
        this.#submit({ label: 'the upload', timeline: this.#main, wait: null, commands: writes });
      }
      for (const command of commands) {
        if (command.op !== 'copy' && command.op !== 'fill') this.#submitMoves();
        this.#recordCommand(command);
      }
      this.#submitMoves();
      if (reads.length > 0) {
        const [timeline, wait] = [this.#main, this.#joined];
        this.#submit({ label: 'the snapshot', timeline, wait, commands: reads });
      }
    } catch (error) {
      const refusal = this.#device.queue.refusal;
      if (!refusal) throw error;
      this.failure ??= refusal;
    }
    this.#close();
  }

  #recordCommand(command: SubmissionCommand): void {
    switch (command.op) {
      case 'execute':
        return this.#recordExecute(command);
      case 'feedback': {
        const bytes = new Uint8Array(command.source.length);
        this.feedback.push({ slot: command.slot, bytes });
        const branch = this.#device.createTimeline(`${this.#submission.invocation} feedback`);
        const source = this.#range(command.source);
        this.#submit({
          label: 'feedback',
          timeline: branch,
          wait: known(this.#works, command.work),
          commands: [{ op: 'readback', source, into: bytes }],
        });
        return;
      }
      case 'copy': {
        const [source, target] = [this.#range(command.source), this.#range(command.target)];
        this.#moves.push({ op: 'copy', source, target });
        return;
      }
      case 'fill':
        this.#moves.push({ op: 'fill', target: this.#range(command.target), byte: command.byte });
        return;
      case 'fence':
        this.#fences.set(command.fence, known(this.#works, command.work));
        return;
      case 'gather':
        return this.#recordGather(command);
      case 'join':
        this.#joined = Fence.join(this.#joined, known(this.#fences, command.fence));
    }
  }

  /** Copies and fills that follow each other are one work: each costs as much as an execution. */
  #submitMoves(): void {
    if (this.#moves.length === 0) return;
    const commands = this.#moves.splice(0);
    this.#submit({ label: 'moves', timeline: this.#main, wait: this.#joined, commands });
  }

  /** A branch of its own: it copies its descriptors when its turn comes, then has ranges read. */
  #recordGather(command: Extract<SubmissionCommand, { op: 'gather' }>): void {
    const { entry, fence, wait } = command;
    const { gathers } = this.#bindings;
    const label = `a gather from '${entry.key}'`;
    assert(gathers && this.#submission.sources !== undefined, `${label} to have been checked`);
    const gather = gathers.accept(this.#submission.sources, entry);
    const descriptors = new Uint8Array(command.descriptors.length);
    const target = this.#range(command.target);
    const { length } = target;
    const staging = this.#device.memory.window(target)
      ? null
      : new Uint8Array(new SharedArrayBuffer(length));
    const run: Call['run'] = (done) => {
      // Windows move when memory grows; where there is none, threads write what is uploaded then.
      const seen = this.#device.memory.window(target);
      const into = seen ?? { buffer: staging!.buffer as SharedArrayBuffer, offset: 0 };
      gather.read(descriptors, { ...into, length }, done);
    };
    const started: Call['run'] = (done) => {
      gather.started();
      done(null);
    };
    const timeline = this.#device.createTimeline(`${this.#submission.invocation} gather`);
    const commands: DeviceCommand[] = [
      { op: 'call', run: started, reads: [], writes: [] },
      { op: 'readback', source: this.#range(command.descriptors), into: descriptors },
      // What no range is read to stays as it is.
      ...(staging ? [{ op: 'readback', source: target, into: staging } as const] : []),
      { op: 'call', run, reads: [], writes: [target] },
      ...(staging ? [{ op: 'upload', target, bytes: staging } as const] : []),
    ];
    const after = wait === null ? null : known(this.#fences, wait);
    const onRetired = (failure: StatusRecord | null): void => gather.retired(failure);
    this.#fences.set(fence, this.#submit({ label, timeline, wait: after, commands, onRetired }));
  }

  #recordExecute(command: Extract<SubmissionCommand, { op: 'execute' }>): void {
    const { executables, workspaces, banks, backEdges } = this.#bindings;
    const executable = executables.get(command.work);
    assert(executable, 'an executable for each work of the plan');
    const launch = {
      executable,
      roots: command.roots.map((root) => this.#range(root)),
      banks: banks(executable),
      workspace: workspaces.get(executable) ?? null,
      part: command.part,
      deployment: this.#submission.owner.deployment,
      backEdges,
      hosted: () => hostedBytes(executable.info, command.roots, this.#submission.uploads),
    };
    const label = executable.info.name;
    const commands: DeviceCommand[] = [{ op: 'execute', launch }];
    const fence = this.#submit({ label, timeline: this.#main, wait: this.#joined, commands });
    this.#works.set(command.work, fence);
  }

  #submit(work: Step): Fence {
    const { label, timeline, wait, commands } = work;
    this.#open += 1;
    const executes = commands.some(({ op }) => op === 'execute');
    const onRetired = ({ failure, started }: WorkOutcome): void => {
      this.failure ??= failure && (failure.cause ?? failure);
      if (executes) this.started ??= started;
      work.onRetired?.(failure);
      this.#close();
    };
    try {
      return this.#device.queue.submit({ label, wait, timeline, commands, onRetired });
    } catch (error) {
      this.#open -= 1;
      work.onRetired?.(toStatus(error));
      throw error;
    }
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#onEmpty();
  }

  #range({ buffer, offset, length }: BufferRange): DeviceRange {
    const range = this.#bindings.buffers[buffer];
    assert(range, 'a range for each buffer of the plan');
    return subRange(range, offset, length);
  }
}

function known(fences: ReadonlyMap<number, Fence>, id: number): Fence {
  const fence = fences.get(id);
  assert(fence, 'only ids that the plan has checked');
  return fence;
}
