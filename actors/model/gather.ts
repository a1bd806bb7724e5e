/**
 * The actor of one gather: hosts `gather.machine.ts`. The queue of the device drives it through
 * `DeviceGathers`; the reading threads carry out the read.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { Gather, GatherEntry, Gathers, GatherTarget } from '../../runtime/hal/gather.js';
import type { ReadRanges } from '../../runtime/parameters/read-ranges.task.js';
import type { SourceLease, SourceTable } from '../../runtime/parameters/source-table.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { FILES } from '../protocol.js';
import { machine } from './gather.machine.js';

/**
 * As long as a timer can: a disk that does not answer holds the storage, because a read that comes
 * late would write into what others own by then. A reading thread that ends answers at once.
 */
const READ_DEADLINE_MS = 2 ** 31 - 1;

type ReadDone = (failure: StatusRecord | null) => void;

/** Set by the queue before it says `gather.read`. */
interface ReadStart {
  descriptors: Uint8Array;
  target: GatherTarget;
  done: ReadDone;
}

interface GatherInput {
  readonly entry: GatherEntry;
  readonly sources: SourceLease;
  readonly start: Partial<ReadStart>;
}

export const gather = machineActor(machine, (self: ActorSelf, input: GatherInput): MachineHost => {
  const { entry, sources } = input;
  const start = input.start as ReadStart;
  let failure: StatusRecord | null = null;
  let isReading = false;
  return {
    effects: {
      readRanges() {
        isReading = true;
        const file = sources.sources[entry.source]!.files[entry.shard]!;
        const { descriptors, target } = start;
        const read: ReadRanges = { file, entry, descriptors, target };
        const call = { task: 'read-ranges', input: read };
        const deadlineMs = self.now() + READ_DEADLINE_MS;
        self.ask(FILES, 'task.run', call, { deadlineMs, as: 'ranges' });
      },
      answerQueue() {
        isReading = false;
        start.done(failure);
      },
      releaseFiles: () => sources.release(),
    },
    replies: {
      ranges: (reply: Reply) => {
        failure =
          reply.outcome === 'value'
            ? null
            : (reply.status ?? toStatus(new Error('a read without an answer')));
        return { type: 'ranges.read' };
      },
    },
    /** The device ends, and this actor with it: the queue waits for nothing. */
    stopped({ kind }) {
      if (kind === 'finished') return;
      if (isReading) start.done({ code: 'unavailable', message: 'the device has ended' });
      sources.release();
    },
  };
});

/** Makes an actor of each gather that the device accepts. */
export class DeviceGathers implements Gathers {
  readonly #self: ActorSelf;
  readonly #sources: SourceTable;
  #accepted = 0;

  constructor(self: ActorSelf, sources: SourceTable) {
    this.#self = self;
    this.#sources = sources;
  }

  check(scope: string, entry: GatherEntry): void {
    const { source, shard, key } = entry;
    if (this.#sources.find(scope).sources[source]?.files[shard] !== undefined) return;
    throw new StatusError(
      'notFound',
      `${scope} has no shard ${shard} of source ${source} ('${key}')`,
    );
  }

  accept(scope: string, entry: GatherEntry): Gather {
    const sources = this.#sources.find(scope);
    sources.retain();
    this.#accepted += 1;
    const self = this.#self;
    const start: Partial<ReadStart> = {};
    const input: GatherInput = { entry, sources, start };
    const address = self.spawn(`gathers/${this.#accepted}`, gather, input);
    return {
      started: () => self.tell(address, 'gather.started', {}),
      read(descriptors, target, done) {
        Object.assign(start, { descriptors, target, done });
        self.tell(address, 'gather.read', {});
      },
      retired: () => self.tell(address, 'gather.retired', {}),
    };
  }
}
