/** What a console looks at, in memory: answers what it was given and keeps what it was told. */
import type {
  ActorList,
  Explanation,
  MachineChart,
  ObservedRequest,
  Observing,
  RecordEvent,
  RecordReader,
} from '../../http/observing.js';
import { StatusError } from '../../runtime/base/errors.js';

export class FakeObserving implements Observing {
  chartList: readonly MachineChart[] = [];
  list: ActorList = { nowMs: 0, threads: [], actors: [] };
  requestList: readonly ObservedRequest[] = [];
  explanations: readonly Explanation[] = [];
  isRecording = false;
  /** Given to each reader, then its end. */
  events: readonly RecordEvent[] = [];
  lines: readonly string[] = [];
  /** What readers asked for. */
  readonly froms: (number | null)[] = [];
  closed = 0;

  async charts(): Promise<readonly MachineChart[]> {
    return this.chartList;
  }

  async tree(): Promise<ActorList> {
    return this.list;
  }

  async requests(): Promise<readonly ObservedRequest[]> {
    return this.requestList;
  }

  async explain(requestId: string): Promise<readonly Explanation[]> {
    const found = this.explanations.filter(({ request }) => request === requestId);
    if (found.length > 0) return found;
    throw new StatusError('notFound', `no request with the id ${requestId} is being answered`);
  }

  async setRecording(isOn: boolean): Promise<void> {
    this.isRecording = isOn;
  }

  records(from: number | null): RecordReader {
    this.froms.push(from);
    const left = [...this.events];
    return {
      next: async () => left.shift() ?? null,
      close: () => void (this.closed += 1),
    };
  }

  close(): void {
    this.closed += 1;
  }

  trace(form: 'loom' | 'chrome'): Iterable<string> {
    return this.lines.map((line) => `${form} ${line}`);
  }
}
