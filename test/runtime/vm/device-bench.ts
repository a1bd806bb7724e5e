/** A kernel with one input and one output, and ways to run it and to look at the bytes. */
import type { Block, CommandProgram, Kernel, Stmt } from '../../../runtime/loom/typed.js';
import {
  interpretCommand,
  type CommandOptions,
  type CommandOutcome,
} from '../../../runtime/vm/device/command-interpreter.js';
import * as b from '../../generators/typed-builder.js';

const { t } = b;
const f32 = b.storage('f32');

export const floats = (...values: number[]): Uint8Array =>
  new Uint8Array(Float32Array.from(values).buffer);
export const words = (...values: number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(values).buffer);
export const asFloats = (bytes: Uint8Array): number[] => [
  ...new Float32Array(bytes.slice().buffer),
];
export const asWords = (bytes: Uint8Array): number[] => [...new Uint32Array(bytes.slice().buffer)];

export interface Bench {
  readonly k: b.KernelBuilder;
  readonly x: b.ViewHandle;
  readonly y: b.ViewHandle;
  readonly lane: b.Variable;
  region(count: number, ...stmts: Stmt[]): Stmt;
}

export function bench(lanes = 4, storage = f32): Bench {
  const k = new b.KernelBuilder('k', lanes);
  const x = k.view('x', 'in', storage);
  const y = k.view('y', 'out', storage);
  const lane = k.local('lane', t.i32);
  const region = (count: number, ...stmts: Stmt[]): Stmt =>
    k.parallel(lane, { from: b.i32(0), to: b.i32(count) }, b.block(...stmts));
  return { k, x, y, lane, region };
}

function program(kernel: Kernel, groups = 1): CommandProgram {
  return b.commandProgram({
    roots: [b.root('in'), b.root('out')],
    kernels: [kernel],
    steps: [b.dispatch(0, [b.wholeRoot(0), b.wholeRoot(1)], groups)],
  });
}

export function run(
  { k }: Bench,
  body: Block,
  roots: Uint8Array[],
  options: Partial<CommandOptions> & { groups?: number } = {},
): CommandOutcome['faults'] {
  return interpretCommand(program(k.build(body), options.groups), { roots, ...options }).faults;
}
