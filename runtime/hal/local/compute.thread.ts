/**
 * A compute worker of the local device. Sleeps until there is a launch, runs its share of it, and
 * says so in shared memory. Hosts no actors and never returns to an event loop: what it must know
 * it takes from its port in between.
 *
 * Started, watched and replaced by `WorkerTeam`. All waits are bounded, so it can always be ended.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/errors.js';
import { ARGS, POISON, SYNC } from '../../jit/local-abi.js';
import {
  allFinished,
  announceCompleted,
  CONTROL,
  type ComputeInput,
  type ComputeMessage,
  type ComputeReport,
} from './control-block.js';

/** Looks at the launch word before going to sleep: short, because cores are scarce. */
const IDLE_SPINS = 2_000;
const IDLE_WAIT_MS = 1_000;

type Run = (worker: number, workers: number, args: number) => void;

assert(parentPort !== null, 'to run in a worker thread');
const { worker, control, memory, launch: firstLaunch, port } = workerData as ComputeInput;
const modules = new Map<number, WebAssembly.Module>();
const programs = new Map<number, Run>();

/** Waits a bounded time for a launch after `last`; the number of the newest one. */
function awaitLaunch(last: number): number {
  for (let spin = 0; spin < IDLE_SPINS; spin += 1) {
    const launch = Atomics.load(control, CONTROL.launch);
    if (launch !== last) return launch;
  }
  Atomics.wait(control, CONTROL.launch, last, IDLE_WAIT_MS);
  return Atomics.load(control, CONTROL.launch);
}

function takeMessages(): void {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    const message = next.message as ComputeMessage;
    if ('load' in message) modules.set(message.load, message.module);
    else {
      modules.delete(message.unload);
      programs.delete(message.unload);
    }
  }
}

/** The program of an executable, instantiated when it is first run. */
function programOf(executable: number): Run {
  const known = programs.get(executable);
  if (known) return known;
  const module = modules.get(executable);
  assert(module, `executable ${executable} to have been sent before its launch`);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const run = exports['run'] as Run;
  assert(typeof run === 'function', "a compiled command program to export 'run'");
  programs.set(executable, run);
  return run;
}

/** Runs this worker's share. What goes wrong poisons the launch, so that no other worker waits. */
function runLaunch(launch: number): void {
  const args = Atomics.load(control, CONTROL.args);
  try {
    const run = programOf(Atomics.load(control, CONTROL.executable));
    run(worker, Atomics.load(control, CONTROL.workers), args);
  } catch (error) {
    const words = new Int32Array(memory.buffer as ArrayBuffer);
    const sync = words[(args + ARGS.sync) >>> 2]! >>> 2;
    Atomics.compareExchange(words, sync + SYNC.poison / 4, 0, POISON.workerLost);
    Atomics.notify(words, sync + SYNC.done / 4);
    const text = error instanceof Error ? error.message : String(error);
    port.postMessage({ launch, error: text } satisfies ComputeReport);
  }
}

parentPort.postMessage('ready');
let last = firstLaunch;
let seenMessages = -1;
for (;;) {
  const launch = awaitLaunch(last);
  if (Atomics.load(control, CONTROL.stop) !== 0) break;
  if (launch === last) continue;
  last = launch;
  const messages = Atomics.load(control, CONTROL.messages);
  if (messages !== seenMessages) {
    seenMessages = messages;
    takeMessages();
  }
  runLaunch(launch);
  Atomics.store(control, CONTROL.finished + worker * CONTROL.stride, launch);
  if (allFinished(control, Atomics.load(control, CONTROL.workers), launch)) {
    announceCompleted(control, launch);
  }
}
port.close();
