/**
 * What http may look at: `Observing` over the threads' own descriptions and what they record.
 * Decides nothing and waits for no thread longer than a look takes.
 */
import type {
  ActorList,
  Explanation,
  ListedActor,
  MachineChart,
  ObservedRequest,
  Observing,
  RecordReader,
} from '../../http/observing.js';
import { StatusError } from '../../runtime/base/errors.js';
import type { Ports } from '../../runtime/base/ports.js';
import type { ActorDescription } from '../../runtime/system/describe.js';
import type { MachineDescription } from '../../runtime/system/machine-actor.js';
import { chartOf, loadMachines } from '../machine-charts.js';
import type { RecorderHub } from './recorder-hub.js';
import { RequestBook } from './request-book.js';
import { actorsOf, type ThreadView, type ThreadViews } from './thread-views.js';
import { lineOf, type TraceHeader } from './trace-file.js';
import { chromeText } from './trace-reader.js';
import type { OpenCalls } from './open-calls.js';

export interface ObservingPortOptions {
  readonly views: ThreadViews;
  readonly hub: RecorderHub;
  readonly calls: OpenCalls;
  readonly ports: Pick<Ports, 'clock'>;
}

export class ObservingPort implements Observing {
  readonly #options: ObservingPortOptions;
  #charts: Promise<readonly MachineChart[]> | null = null;

  constructor(options: ObservingPortOptions) {
    this.#options = options;
  }

  charts(): Promise<readonly MachineChart[]> {
    this.#charts ??= loadMachines().then((machines) => machines.map(chartOf));
    return this.#charts;
  }

  async tree(): Promise<ActorList> {
    const { views, ports } = this.#options;
    const threads = await views.look(false);
    return {
      nowMs: ports.clock.now(),
      threads: threads.map(({ thread, description }) => {
        return { name: thread, answers: description !== null };
      }),
      actors: threads.flatMap((view) => actorsOf(view).map((actor) => listed(actor, view))),
    };
  }

  async requests(): Promise<readonly ObservedRequest[]> {
    return (await this.#book()).requests();
  }

  async explain(requestId: string): Promise<readonly Explanation[]> {
    const found = (await this.#book()).explain(requestId);
    if (found.length > 0) return found;
    throw new StatusError('notFound', `no request with the id ${requestId} is being answered`, {
      param: 'request',
    });
  }

  get isRecording(): boolean {
    return this.#options.hub.isRecording;
  }

  async setRecording(isOn: boolean): Promise<void> {
    await this.#options.hub.want('console', isOn);
  }

  records(from: number | null): RecordReader {
    return this.#options.hub.history.reader(from);
  }

  *trace(form: 'loom' | 'chrome'): Iterable<string> {
    const { records } = this.#options.hub.history;
    if (form === 'chrome') return yield* chromeText(records);
    yield lineOf(traceHeader(this.#options.ports, []));
    for (const record of records) yield lineOf(record);
  }

  close(): void {
    this.#options.hub.history.close();
  }

  async #book(): Promise<RequestBook> {
    const { views, calls, ports } = this.#options;
    // Before the look: what is open then and not seen is on its way.
    const open = calls.all;
    return new RequestBook({
      threads: await views.look(true),
      calls: open,
      nowMs: ports.clock.now(),
    });
  }
}

export function traceHeader(
  { clock }: Pick<Ports, 'clock'>,
  threads: readonly string[],
): TraceHeader {
  return { loomTrace: 1, startMs: clock.now(), wallTimeMs: clock.wallTime(), threads };
}

function listed(actor: ActorDescription, { thread }: ThreadView): ListedActor {
  const { address, parent, mailbox, kind } = actor;
  const machine = actor.state as Partial<MachineDescription> | null;
  return {
    address,
    parent: parent.endsWith(':/') ? null : parent,
    thread,
    kind: machine?.machine ?? kind,
    state: typeof machine?.state === 'string' ? machine.state : null,
    mailbox: mailbox.data + mailbox.control,
    oldestMs: mailbox.oldestMs,
  };
}
