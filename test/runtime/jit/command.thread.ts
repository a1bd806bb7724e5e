/** A compute worker for tests: instantiates the module and runs its share once. */
import { workerData } from 'node:worker_threads';

interface Input {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly worker: number;
  readonly workers: number;
  readonly args: number;
}
const { module, memory, worker, workers, args } = workerData as Input;
const instance = new WebAssembly.Instance(module, { env: { memory } });
(instance.exports['run'] as (w: number, n: number, a: number) => void)(worker, workers, args);
