/**
 * Bodies of loops are emitted several times with a test between them, and with fences where loads
 * and accumulators exceed the registers. Neither may show: every number of rounds, every way out of
 * a round and every place of the accesses gives what the interpreter says.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { stageProgram } from '../loom/elaborate/programs.js';
import { CommandBench } from './run-command.js';

const COUNT = 64;

/** Bodies of `for i in from..to`, with `v` and 8 sums around them. */
const bodies: Readonly<Record<string, string>> = {
  sums: 'v = v * 0.5 + x[i]',
  'the loop variable as a value': 'v = v + x[i] * f32(i)',
  'a way out': 'if x[i] > 0.9 { break }\nv = v + x[i]',
  'the next round': 'if x[i] > 0.5 { continue }\nv = v + x[i]',
  backwards: 'v = v * 0.5 + x[to - 1 - i]',
  'more accesses than one pointer': 'v = v + x[i] * x[i * 3 + 1] - x[to - i]',
  stores: 'y[16 + i] = x[i] + v\nv = v * 0.75',
  'an assigned loop variable': 'var k = i\nif x[k] > 0.5 { k = k + 1 }\nv = v + x[k]',
  'eight sums of a broadcast': `let a = f32x4(x[i])
for j in 0..8 unroll { s[j] = mad(a, vec4(x, i * 4 + j), s[j]) }`,
  'ten sums of five rows': `let a = x.take<5>(i, 3)
for j in 0..2 unroll {
  let b = vec4(x, i + j * 4)
  for r in 0..5 unroll { s[r * 2 + j] = mad(f32x4(a[r]), b, s[r * 2 + j]) }
}`,
  'ten sums row by row': `let a = x.take<5>(i, 3)
let left = vec4(x, i)
let right = vec4(x, i + 4)
for r in 0..5 unroll {
  s[r * 2] = mad(f32x4(a[r]), left, s[r * 2])
  s[r * 2 + 1] = mad(f32x4(a[r]), right, s[r * 2 + 1])
}`,
  'rows from a computed place': `let at = i * 2
let a = x.take<4>(at, 2)
for r in 0..4 unroll { s[r] = mad(f32x4(a[r]), vec4(x, at), s[r]) }`,
  'rows before a store': `let a = y.take<2>(16 + i, 2)
y[18 + i] = x[i]
v = v + a[1] - a[0]`,
};

function program(body: string, step: number, bounds: string) {
  return stageProgram(`kernel.def run(x: in view<f32>, y: inout view<f32>, from: i32, to: i32) workgroup(1) {
  once {
    var v = 0.25
    var s : f32x4[10]
    for i in ${bounds} step ${step} { ${body} }
    y[0] = v
    for j in 0..10 unroll { put4(y, 128 + j * 4, s[j]) }
  }
}
command.def export main(head: root, x: root, y: root) {
  dispatch run(x, y, word(head, 0), word(head, 4)) grid(1)
}`);
}

const x = Float32Array.from({ length: COUNT }, (_, i) => Math.fround(Math.abs(Math.sin(i * 7.3))));

function roots(from: number, to: number): Uint8Array[] {
  const head = new Uint8Array(Int32Array.of(from, to, 0, 0).buffer);
  return [head, new Uint8Array(x.slice().buffer), new Uint8Array(256 * 4)];
}

test('any number of rounds gives what the interpreter says', () => {
  for (const [what, body] of Object.entries(bodies)) {
    for (const step of [1, 3]) {
      const dynamic = program(body, step, 'from..to');
      const compiled = compileCommand(dynamic);
      for (const [from, to] of [
        ...Array.from({ length: 19 }, (_, rounds) => [0, rounds * step] as const),
        [2, 21],
        [-5, 9],
        [3, 80],
      ] as const) {
        const interpreted = roots(from, to);
        interpretCommand(dynamic, { roots: interpreted });
        const bench = new CommandBench(compiled, roots(from, to));
        const result = bench.runAlone();
        assert.is(result.poison, 0);
        assert.ok(bench.canariesIntact(), `${what}: stores stay inside`);
        assert.equal(result.roots[2], interpreted[2], `${what}, ${from}..${to} step ${step}`);
      }
    }
  }
});

test('constant numbers of rounds do as well', () => {
  for (const [what, body] of Object.entries(bodies)) {
    for (const rounds of [1, 2, 5, 8, 9, 16, 17]) {
      const fixed = program(body.replaceAll('to', String(rounds)), 1, `0..${rounds}`);
      const interpreted = roots(0, rounds);
      interpretCommand(fixed, { roots: interpreted });
      const result = new CommandBench(compileCommand(fixed), roots(0, rounds)).runAlone();
      assert.equal(result.roots[2], interpreted[2], `${what}, ${rounds} rounds`);
    }
  }
});

test.run();
