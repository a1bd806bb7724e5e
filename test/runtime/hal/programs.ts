/**
 * Small command programs, encoded by hand to the local device's calling convention, so that tests
 * of devices depend on no compiler. Roots are arrays of u32. Programs with one output cell are run
 * by worker 0 alone; `triple` is shared out over all workers.
 */
import type {
  ExecutableImage,
  ExecutableInfo,
  RootBinding,
} from '../../../runtime/hal/executable.js';
import { ARGS, POISON, SYNC } from '../../../runtime/jit/local-abi.js';
import { FunctionBody } from '../../../runtime/jit/wasm/function-body.js';
import { ModuleBuilder } from '../../../runtime/jit/wasm/module-builder.js';
import { useOptimizedWasm } from '../../../runtime/jit/v8-flags.js';

useOptimizedWasm();

const WORKER = 0;
const WORKERS = 1;
const BLOCK = 2;

type Emit = (code: FunctionBody) => void;

function image(info: Partial<ExecutableInfo> & { name: string }, emit: Emit): ExecutableImage {
  const builder = new ModuleBuilder();
  builder.importMemory('env', 'memory', { initial: 1, maximum: 65_536, shared: true });
  const type = { params: ['i32', 'i32', 'i32'], results: [] } as const;
  const run = builder.declare('run', type);
  const code = new FunctionBody(type);
  emit(code);
  builder.define(run, code);
  builder.exportFunction('run', run);
  const module = new WebAssembly.Module(builder.finish().bytes);
  const defaults = { roots: [], bankFields: [], workspaceBytes: 0, parts: 1, scratchBytes: 0 };
  return { info: { ...defaults, steps: [info.name], ...info }, module };
}

const root = (name: string, access: RootBinding['access'], bytesMin = 4): RootBinding => ({
  name,
  access,
  hosted: false,
  bytesMin,
});

const block = (code: FunctionBody, offset: number): void => {
  code.get(BLOCK);
  code.access('i32.load', offset);
};
const address = (code: FunctionBody, index: number): void => block(code, ARGS.roots + index * 8);
const words = (code: FunctionBody, index: number): void => {
  block(code, ARGS.roots + index * 8 + 4);
  code.i32(2);
  code.op('i32.shr_u');
};

/** `code` runs for i = worker, worker + workers, … below the count that `limit` pushes. */
function shareOut(code: FunctionBody, limit: Emit, body: (i: number) => void): void {
  const i = code.local('i32');
  code.get(WORKER);
  code.set(i);
  const end = code.block();
  const again = code.loop();
  code.get(i);
  limit(code);
  code.op('i32.ge_u');
  code.brIf(end);
  body(i);
  code.get(i);
  code.get(WORKERS);
  code.op('i32.add');
  code.set(i);
  code.br(again);
  code.end();
  code.end();
}

/** Pushes the address of word `i` of root `index`. */
function wordAt(code: FunctionBody, index: number, i: number): void {
  address(code, index);
  code.get(i);
  code.i32(2);
  code.ops('i32.shl', 'i32.add');
}

/** Only worker 0 goes on. */
function alone(code: FunctionBody): void {
  code.get(WORKER);
  code.if();
  code.op('return');
  code.end();
}

/** output[i] = input[i] * 3 + 1, all workers. */
export function triple(): ExecutableImage {
  const roots = [root('input', 'in'), root('output', 'out')];
  return image({ name: 'triple', roots }, (code) =>
    shareOut(
      code,
      () => words(code, 1),
      (i) => {
        wordAt(code, 1, i);
        wordAt(code, 0, i);
        code.access('i32.load');
        code.i32(3);
        code.op('i32.mul');
        code.i32(1);
        code.op('i32.add');
        code.access('i32.store');
      },
    ),
  );
}

/** output[0] = input[0] + the first words of `banks` bank fields of 4 bytes. */
export function weighted(banks: readonly string[]): ExecutableImage {
  const roots = [root('input', 'in'), root('output', 'out')];
  const bankFields = banks.map(() => 4);
  const { info, module } = image({ name: 'weighted', roots, bankFields }, (code) => {
    alone(code);
    address(code, 1);
    address(code, 0);
    code.access('i32.load');
    banks.forEach((_, index) => {
      block(code, ARGS.banks + index * 8);
      code.access('i32.load');
      code.op('i32.add');
    });
    code.access('i32.store');
  });
  return { info, module, banks };
}

/** row[0] = row[0] * 31 + input[0]: tells in which order it ran. */
export function append(options: { hosted?: boolean } = {}): ExecutableImage {
  const input = { ...root('input', 'in'), hosted: options.hosted ?? false };
  return image({ name: 'append', roots: [input, root('row', 'inout')] }, (code) => {
    alone(code);
    address(code, 1);
    address(code, 1);
    code.access('i32.load');
    code.i32(31);
    code.op('i32.mul');
    address(code, 0);
    code.access('i32.load');
    code.op('i32.add');
    code.access('i32.store');
  });
}

/** Fills its workspace with input[0], then copies the workspace to the output. */
export function echo(workspaceBytes: number): ExecutableImage {
  const roots = [root('input', 'in'), root('output', 'out', workspaceBytes)];
  return image({ name: 'echo', roots, workspaceBytes }, (code) => {
    alone(code);
    const at = code.local('i32');
    const end = code.block();
    const again = code.loop();
    code.get(at);
    code.i32(workspaceBytes);
    code.op('i32.ge_u');
    code.brIf(end);
    block(code, ARGS.workspace);
    code.get(at);
    code.op('i32.add');
    address(code, 0);
    code.access('i32.load');
    code.access('i32.store');
    code.get(at);
    code.i32(4);
    code.op('i32.add');
    code.set(at);
    code.br(again);
    code.end();
    code.end();
    address(code, 1);
    block(code, ARGS.workspace);
    code.i32(workspaceBytes);
    code.op('memory.copy');
  });
}

/**
 * Part 0: workspace[0] = input[0]. Part n: workspace[0] = workspace[0] * 10 + n. Always: to output.
 */
export function parts(count: number): ExecutableImage {
  const roots = [root('input', 'in'), root('output', 'out')];
  return image({ name: 'parts', roots, workspaceBytes: 256, parts: count }, (code) => {
    alone(code);
    block(code, ARGS.workspace);
    block(code, ARGS.part);
    code.if('i32');
    block(code, ARGS.workspace);
    code.access('i32.load');
    code.i32(10);
    code.op('i32.mul');
    block(code, ARGS.part);
    code.op('i32.add');
    code.else();
    address(code, 0);
    code.access('i32.load');
    code.end();
    code.access('i32.store');
    address(code, 1);
    block(code, ARGS.workspace);
    code.access('i32.load');
    code.access('i32.store');
  });
}

/**
 * A cohort over resident rows: packet = [count, row…]; for each member i with row r = packet[1 +
 * i]: rows[r] += 1, streams[r] = conditioning[0] + rows[r], output[i] = streams[r].
 */
export function cohort(): ExecutableImage {
  const roots = [
    { ...root('packet', 'in', 8), hosted: true },
    root('rows', 'inout'),
    root('conditioning', 'in'),
    root('streams', 'inout'),
    root('output', 'out'),
  ];
  return image({ name: 'cohort', roots }, (code) => {
    const row = code.local('i32');
    const count = (): void => {
      address(code, 0);
      code.access('i32.load');
    };
    shareOut(code, count, (i) => {
      wordAt(code, 0, i);
      code.access('i32.load', 4);
      code.set(row);
      wordAt(code, 1, row);
      wordAt(code, 1, row);
      code.access('i32.load');
      code.i32(1);
      code.op('i32.add');
      code.access('i32.store');
      wordAt(code, 3, row);
      address(code, 2);
      code.access('i32.load');
      wordAt(code, 1, row);
      code.access('i32.load');
      code.op('i32.add');
      code.access('i32.store');
      wordAt(code, 4, i);
      wordAt(code, 3, row);
      code.access('i32.load');
      code.access('i32.store');
    });
  });
}

/** Poisons itself with input[0] as the cause, input[1] as the step and input[2] as the detail. */
export function poisonous(): ExecutableImage {
  const roots = [root('input', 'in', 12), root('output', 'out')];
  return image({ name: 'poisonous', roots, steps: ['first', 'second'] }, (code) => {
    alone(code);
    [SYNC.poison, SYNC.poisonStep, SYNC.poisonDetail].forEach((word, index) => {
      block(code, ARGS.sync);
      address(code, 0);
      code.access('i32.load', index * 4);
      code.access('i32.store', word);
    });
  });
}

export const poisonWith = (cause: keyof typeof POISON, step = 0, detail = 0): number[] => [
  POISON[cause],
  step,
  detail,
];

/** A cause that any driver can tell: the first dispatch gets a grid beyond the limit. */
export const failing = (): number[] => poisonWith('gridTooLarge', 0, 70_000);

/** Every worker waits in a barrier that nobody completes, until it is poisoned. */
export function stuck(): ExecutableImage {
  const roots = [root('input', 'in'), root('output', 'out')];
  return image({ name: 'stuck', roots }, (code) => {
    const again = code.loop();
    block(code, ARGS.sync);
    code.i32(SYNC.done);
    code.op('i32.add');
    code.i32(0);
    code.i64(20_000_000n);
    code.access('memory.atomic.wait32');
    code.op('drop');
    block(code, ARGS.sync);
    code.access('i32.atomic.load', SYNC.poison);
    code.op('i32.eqz');
    code.brIf(again);
    code.end();
  });
}

/** Worker 0 traps, which no compiled program does; the others wait in a barrier. */
export function trapping(): ExecutableImage {
  return image({ name: 'trapping', roots: [root('output', 'out')] }, (code) => {
    alone(code);
    code.op('unreachable');
  });
}
