/**
 * One compute worker as the device thread sees it: started, sent programs, ended. Its end, wanted
 * or not, is reported exactly once. The team owns it and starts another in its place.
 */
import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
} from 'node:worker_threads';
import type { ComputeInput, ComputeMessage, ComputeReport } from './control-block.js';

export interface ComputeWorkerOptions extends Omit<ComputeInput, 'port'> {
  readonly onReady: (worker: ComputeWorker) => void;
  /** `error` is what the thread threw, if it did. */
  readonly onExit: (worker: ComputeWorker, error: Error | null) => void;
}

export class ComputeWorker {
  readonly index: number;
  readonly #thread: Worker;
  readonly #port: MessagePort;

  constructor(options: ComputeWorkerOptions) {
    const { onReady, onExit, worker, control, memory, launch } = options;
    const { port1, port2 } = new MessageChannel();
    this.index = worker;
    this.#port = port1;
    const input: ComputeInput = { worker, control, memory, launch, port: port2 };
    this.#thread = new Worker(new URL('./compute.thread.js', import.meta.url), {
      name: `compute-${worker}`,
      workerData: input,
      transferList: [port2],
    });
    let failure: Error | null = null;
    this.#thread.once('message', () => onReady(this));
    this.#thread.on('error', (error) => (failure = error as Error));
    this.#thread.once('exit', () => {
      this.#port.close();
      onExit(this, failure);
    });
  }

  /** Lies in the worker's port when this returns: it is taken before the next launch. */
  post(message: ComputeMessage): void {
    this.#port.postMessage(message);
  }

  /** What the worker has told about launch `launch`, if it could not run its share. */
  takeError(launch: number): string | null {
    let error: string | null = null;
    for (
      let next = receiveMessageOnPort(this.#port);
      next;
      next = receiveMessageOnPort(this.#port)
    ) {
      const report = next.message as ComputeReport;
      if (report.launch === launch) error = report.error;
    }
    return error;
  }

  async terminate(): Promise<void> {
    await this.#thread.terminate();
  }
}
