/** The real application with its console over a socket, over actors and records of a test. */
import { chartOf, loadMachines } from '../../actors/machine-charts.js';
import type { Tree, WireRecord } from '../../http/console/wire.js';
import type { ActorList, RecordEvent } from '../../http/observing.js';
import type { FakeObserving } from '../http/fake-observing.js';
import type { HarnessOptions } from '../http/harness.js';
import { withServer } from '../http/listening.js';

export class ScriptedServer {
  readonly url: string;
  readonly observing: FakeObserving;
  readonly #events: RecordEvent[] = [];
  #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(url: string, observing: FakeObserving) {
    this.url = url;
    this.observing = observing;
    observing.records = (from) => this.#reader(from ?? this.#events.length);
  }

  show(tree: Tree): void {
    this.observing.list = tree as ActorList;
  }

  /** One event with these records, and so many that were lost. */
  tell(records: readonly WireRecord[], lost = 0): void {
    const text = JSON.stringify({ nowMs: 0, lost, records });
    this.#events.push({ id: this.#events.length + 1, text });
    this.#wake();
  }

  close(): void {
    this.#isOver = true;
    this.#wake();
  }

  #reader(from: number): ReturnType<FakeObserving['records']> {
    let next = from;
    let isClosed = false;
    return {
      next: async () => {
        while (next >= this.#events.length && !isClosed && !this.#isOver) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        return isClosed || this.#isOver ? null : this.#events[next++]!;
      },
      close: () => {
        isClosed = true;
        this.#wake();
      },
    };
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export function withScriptedServer(
  work: (server: ScriptedServer) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  return withServer(async ({ observing }, listener) => {
    observing.chartList = (await loadMachines()).map(chartOf);
    const server = new ScriptedServer(listener.url, observing);
    try {
      await work(server);
    } finally {
      server.close();
    }
  }, options);
}
