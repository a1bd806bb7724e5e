/**
 * The parts of a command module that every program has: its globals, the poison word, the barrier.
 * Globals belong to one instance, so to one worker; `run` sets them at its start. Helpers that
 * kernels need are made when first asked for.
 */
import type { KernelModule } from '../kernel/kernel-scope.js';
import { BARRIER_SPINS, BARRIER_WAIT_NS, POISON, SYNC } from '../local-abi.js';
import { FunctionBody } from '../wasm/function-body.js';
import { ModuleBuilder } from '../wasm/module-builder.js';

export interface DriverGlobals {
  readonly args: number;
  readonly worker: number;
  readonly workers: number;
  readonly sync: number;
  /** Index of the dispatch being run, for poison reports. */
  readonly step: number;
  /** Shares that all steps up to here have: what a barrier waits for. */
  readonly begun: number;
}

export class DriverModule implements KernelModule {
  readonly builder = new ModuleBuilder();
  readonly globals: KernelModule['globals'] & DriverGlobals;
  readonly #helpers = new Map<string, number>();

  constructor() {
    // Any shared memory up to the whole address space will do.
    this.builder.importMemory('env', 'memory', { initial: 1, maximum: 65_536, shared: true });
    const global = () => this.builder.global();
    this.globals = {
      args: global(),
      worker: global(),
      workers: global(),
      sync: global(),
      step: global(),
      begun: global(),
      zeroPage: global(),
      sink: global(),
      scratch: global(),
      lastByte: global(),
      budget: global(),
    };
  }

  helper(name: string, make: () => FunctionBody): number {
    const known = this.#helpers.get(name);
    if (known !== undefined) return known;
    const body = make();
    const index = this.builder.declare(name, body.type);
    this.#helpers.set(name, index);
    this.builder.define(index, body);
    return index;
  }

  get ranTooLong(): number {
    return this.helper('ran_too_long', () => {
      const code = new FunctionBody({ params: [], results: [] });
      code.i32(POISON.ranTooLong);
      code.i32(0);
      code.call(this.poison);
      return code;
    });
  }

  /** (cause, detail): the first cause wins; sleepers are woken to see it. */
  get poison(): number {
    return this.helper('poison', () => poisonBody(this.globals));
  }

  /** () → the poison word, after all steps up to here are done or the submission is poisoned. */
  get barrier(): number {
    return this.helper('barrier', () => barrierBody(this.globals));
  }

  /** (shares): so many are done. */
  get complete(): number {
    return this.helper('complete', () => completeBody(this.globals));
  }

  /** () → the poison word, after all workers have come here; none may be behind. */
  get meeting(): number {
    return this.helper('meeting', () => {
      const code = new FunctionBody({ params: [], results: ['i32'] });
      emitOwnShare(code, this);
      code.call(this.barrier);
      return code;
    });
  }
}

function poisonBody({ sync, step }: DriverGlobals): FunctionBody {
  const code = new FunctionBody({ params: ['i32', 'i32'], results: [] });
  code.getGlobal(sync);
  code.i32(0);
  code.get(0);
  code.access('i32.atomic.rmw.cmpxchg', SYNC.poison);
  code.op('i32.eqz');
  code.if();
  code.getGlobal(sync);
  code.getGlobal(step);
  code.access('i32.store', SYNC.poisonStep);
  code.getGlobal(sync);
  code.get(1);
  code.access('i32.store', SYNC.poisonDetail);
  code.end();
  code.getGlobal(sync);
  code.i32(-1);
  code.access('memory.atomic.notify', SYNC.done);
  code.op('drop');
  return code;
}

/** Each worker has one share of a step, and this one has done its own. */
export function emitOwnShare(code: FunctionBody, module: DriverModule): void {
  const { begun, workers } = module.globals;
  code.getGlobal(begun);
  code.getGlobal(workers);
  code.op('i32.add');
  code.setGlobal(begun);
  code.i32(1);
  code.call(module.complete);
}

function completeBody({ sync }: DriverGlobals): FunctionBody {
  const code = new FunctionBody({ params: ['i32'], results: [] });
  code.getGlobal(sync);
  code.get(0);
  code.access('i32.atomic.rmw.add', SYNC.done);
  code.op('drop');
  code.getGlobal(sync);
  code.access('i32.atomic.load', SYNC.sleepers);
  code.if();
  code.getGlobal(sync);
  code.i32(-1);
  code.access('memory.atomic.notify', SYNC.done);
  code.op('drop');
  code.end();
  return code;
}

function barrierBody(globals: DriverGlobals): FunctionBody {
  const code = new FunctionBody({ params: [], results: ['i32'] });
  code.getGlobal(globals.workers);
  code.i32(1);
  code.op('i32.ne');
  code.if();
  emitAwait(code, globals);
  code.end();
  code.getGlobal(globals.sync);
  code.access('i32.atomic.load', SYNC.poison);
  return code;
}

/** Spins, then sleeps in bounded turns, until enough is done or the poison is set. */
function emitAwait(code: FunctionBody, { sync, begun }: DriverGlobals): void {
  const spins = code.local('i32');
  const seen = code.local('i32');
  const done = code.block();
  const leaveWhenDone = () => {
    code.getGlobal(sync);
    code.access('i32.atomic.load', SYNC.done);
    code.tee(seen);
    code.getGlobal(begun);
    // More than that is done where others have gone on without this worker.
    code.op('i32.ge_u');
    code.brIf(done);
    code.getGlobal(sync);
    code.access('i32.atomic.load', SYNC.poison);
    code.brIf(done);
  };
  const count = (amount: number) => {
    code.getGlobal(sync);
    code.i32(amount);
    code.access('i32.atomic.rmw.add', SYNC.sleepers);
    code.op('drop');
  };
  code.i32(BARRIER_SPINS);
  code.set(spins);
  const spin = code.loop();
  leaveWhenDone();
  code.get(spins);
  code.i32(1);
  code.op('i32.sub');
  code.tee(spins);
  code.brIf(spin);
  code.end();
  const sleep = code.loop();
  count(1);
  code.getGlobal(sync);
  code.access('i32.atomic.load', SYNC.done);
  code.set(seen);
  code.get(seen);
  code.getGlobal(begun);
  code.op('i32.lt_u');
  code.if();
  code.getGlobal(sync);
  code.get(seen);
  code.i64(BARRIER_WAIT_NS);
  code.access('memory.atomic.wait32', SYNC.done);
  code.op('drop');
  code.end();
  count(-1);
  leaveWhenDone();
  code.br(sleep);
  code.end();
  code.end();
}
