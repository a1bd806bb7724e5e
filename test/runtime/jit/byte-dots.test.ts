/**
 * Dot products of bytes: whatever their factors are read from, and whatever else is done with them,
 * compiled code gives what the definition says. Bytes that only dot products read live as words,
 * which is no other number.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { fencesOf } from '../../../runtime/jit/kernel/fences.js';
import { wideLocals } from '../../../runtime/jit/kernel/local-uses.js';
import { visitBlock } from '../../../runtime/jit/typed-walk.js';
import type { Block, Kernel, LocalId } from '../../../runtime/loom/typed.js';
import { stageProgram } from '../loom/elaborate/programs.js';
import { CommandBench } from './run-command.js';

const VECTORS = 12;

const programOf = (body: string) =>
  stageProgram(`kernel.def run(q: in view<i8x16>, y: out view<i32x4>, copies: out view<i8x16>) workgroup(1) {
  once {
    var sum = i32x4(0)
${body}
    y[0] = sum
  }
}
command.def export main(q: root, y: root, copies: root) {
  dispatch run(q, y, copies) grid(1)
}`);

const bytes = Int8Array.from({ length: VECTORS * 16 }, (_, i) => ((i * 89 + 7) % 256) - 128);

/** By hand: bytes 2i, 2i + 1, 2i + 8, 2i + 9 of vector `a` times those of `b`, zero at the end. */
function added(sum: readonly number[], a: number, b: number): number[] {
  const at = (vector: number, i: number) => (vector < VECTORS ? bytes[vector * 16 + i]! : 0);
  return sum.map((value, lane) =>
    [2 * lane, 2 * lane + 1, 2 * lane + 8, 2 * lane + 9].reduce(
      (total, i) => total + at(a, i) * at(b, i),
      value,
    ),
  );
}

function run(body: string) {
  const roots = [new Uint8Array(bytes.slice().buffer), new Uint8Array(16), new Uint8Array(64)];
  const bench = new CommandBench(compileCommand(programOf(body)), roots);
  assert.is(bench.runAlone().poison, 0);
  assert.ok(bench.canariesIntact());
  return [...new Int32Array(bench.bytes(1).slice().buffer)];
}

const wideIn = (body: string): number => {
  const kernel: Kernel = programOf(body).kernels[0]!;
  return wideLocals(kernel).size;
};

test('factors in a loop, each read by several products', () => {
  const body = `for i in 0..5 {
      let a = q[i]
      let b = q[i + 5]
      sum = dot(a, b, sum)
      sum = dot(b, b, sum)
    }`;
  assert.is(wideIn(body), 2);
  let expected = [0, 0, 0, 0];
  for (let i = 0; i < 5; i++) expected = added(added(expected, i, i + 5), i + 5, i + 5);
  assert.equal(run(body), expected);
});

test('a factor behind the end of its view is zero; one that is assigned anew is the new one', () => {
  const body = `var a = q[3]
    for i in 0..4 {
      sum = dot(a, q[i + 10], sum)
      a = q[i * 4]
    }`;
  assert.is(wideIn(body), 1);
  const expected = [3, 0, 4, 8].reduce((sum, a, i) => added(sum, a, i + 10), [0, 0, 0, 0]);
  assert.equal(run(body), expected);
});

test('bytes that something else reads too stay bytes', () => {
  const body = `for i in 0..4 {
      let a = q[i]
      copies[i] = a
      sum = dot(a, q[i + 1], sum)
    }`;
  assert.is(wideIn(body), 0);
  const expected = [0, 1, 2, 3].reduce((sum, i) => added(sum, i, i + 1), [0, 0, 0, 0]);
  assert.equal(run(body), expected);
});

test('words take two registers each: four vectors of weights over two rows have fences', () => {
  const sums = Array.from({ length: 8 }, (_, i) => `    var s${i} = i32x4(0)\n`).join('');
  const products = Array.from(
    { length: 4 },
    (_, v) => `
      let w${v} = q[i * 4 + ${v}]
      s${v} = dot(w${v}, upper, s${v})
      s${v + 4} = dot(w${v}, lower, s${v + 4})`,
  ).join('');
  const body = `${sums}    for i in 0..2 {
      let upper = q[i + 8]
      let lower = q[i + 10]${products}
    }
    sum = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7`;
  const kernel = programOf(body).kernels[0]!;
  const loops: Block[] = [];
  visitBlock(kernel.body, {
    statement: (stmt) => void (stmt.op === 'for' && loops.push(stmt.body)),
  });
  const wide = new Map([...wideLocals(kernel)].map((local): [LocalId, unknown] => [local, null]));
  assert.is(wide.size, 6);
  assert.equal([...fencesOf(loops[0]!, wide)], [5, 8, 11]);
  let expected = [0, 0, 0, 0];
  for (let i = 0; i < 2; i++) {
    for (let v = 0; v < 4; v++) {
      expected = added(added(expected, i * 4 + v, i + 8), i * 4 + v, i + 10);
    }
  }
  assert.equal(run(body), expected);
});

test.run();
