/**
 * Entry of every thread that hosts actors. Loads the program named in `workerData` and exposes its
 * control plane on the worker's own port; knows nothing of what the program does.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { expose } from 'comlink';
import { assert } from '../base/errors.js';
import { useOptimizedWasm } from '../jit/v8-flags.js';
import { endpointOf } from './endpoint.js';
import type { StartProgram, ThreadInput } from './thread-control.js';

assert(parentPort !== null, 'to run in a worker thread');
useOptimizedWasm();
const input = workerData as ThreadInput;
const module = (await import(input.program)) as { startProgram: StartProgram };
const control = await module.startProgram(input);
expose(control, endpointOf(parentPort));
parentPort.postMessage({ started: input.name });
