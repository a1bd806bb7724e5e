/**
 * The elementary functions of the shared libraries against double precision: every stated bound, on
 * a sweep of each domain, and the same bits from scalars, vectors, the interpreter and WebAssembly.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

const motif = readFileSync(join(repositoryRoot, 'models/motifs/math.loom'), 'utf8');
const u = 2 ** -24;

/** 2/sqrt(pi) times the integral from 0 to x: a series that alternates little below 3. */
function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; n < 400; n += 1) {
    // e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!!: all terms have one sign, so nothing cancels.
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return ((2 / Math.sqrt(Math.PI)) * sum) / Math.exp(x * x);
}

const gelu = (x: number): number => (x / 2) * (1 + erf(x / Math.SQRT2));
const geluTanh = (x: number): number =>
  (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

interface Law {
  readonly exact: (x: number) => number;
  readonly from: number;
  readonly to: number;
  /** The bound that the library states: relative in units of u, or absolute at x. */
  readonly units?: number;
  readonly absolute?: (x: number) => number;
}

const laws: Readonly<Record<string, Law>> = {
  exp: { exact: Math.exp, from: -87.3, to: 88.72, units: 2 },
  log: { exact: Math.log, from: 2 ** -126, to: 3e38, units: 2 },
  tanh: { exact: Math.tanh, from: -12, to: 12, units: 3 },
  erf: { exact: erf, from: -5, to: 5, units: 2 },
  sin: { exact: Math.sin, from: -100_000, to: 100_000, absolute: () => 1e-7 },
  cos: { exact: Math.cos, from: -100_000, to: 100_000, absolute: () => 1e-7 },
  rsqrt: { exact: (x) => 1 / Math.sqrt(x), from: 2 ** -126, to: 3e38, units: 2 },
  sigmoid: { exact: (x) => 1 / (1 + Math.exp(-x)), from: -87, to: 100, units: 3 },
  silu: { exact: (x) => x / (1 + Math.exp(-x)), from: -80, to: 100, units: 4 },
  gelu: { exact: gelu, from: -8, to: 8, absolute: (x) => 1e-7 * (1 + Math.abs(x)) },
  gelu_tanh: { exact: geluTanh, from: -8, to: 8, absolute: (x) => 1e-7 * (1 + Math.abs(x)) },
};

/** Points of a domain: evenly, by size down to the smallest, and both around every whole number. */
function points({ from, to }: Law, count: number): Float32Array {
  const values: number[] = [];
  for (let i = 0; i <= count; i += 1) values.push(from + ((to - from) * i) / count);
  for (let i = 0; i <= count; i += 1) {
    const size = 2 ** (-126 + (254 * i) / count);
    values.push(size, -size);
  }
  const inside = values.map(Math.fround).filter((x) => x >= from && x <= to);
  inside.length -= inside.length % 4;
  return Float32Array.from(inside);
}

function program(name: string, count: number) {
  const text = `library sample
use motif.math { ${name} }
kernel.def single(x: in view<f32>, y: out view<f32>) workgroup(32) {
  parallel i in 0..${count} { y[i] = ${name}(x[i]) }
}
kernel.def vector(x: in view<f32x4>, y: out view<f32x4>) workgroup(32) {
  parallel i in 0..${count / 4} { y[i] = ${name}(x[i]) }
}
command.def export evaluate(x: root, y: root, z: root) {
  dispatch single(x, y) grid(1)
  dispatch vector(x, z) grid(1)
}`;
  return stageProgram({ 'math.loom': motif, 'sample.loom': text }, 'sample.evaluate');
}

function roots(values: Float32Array): Uint8Array[] {
  const results = [new Uint8Array(values.byteLength), new Uint8Array(values.byteLength)];
  return [new Uint8Array(values.slice().buffer), ...results];
}

function emitted(name: string, x: Float32Array): { single: Float32Array; vector: Float32Array } {
  const bench = new CommandBench(compileCommand(program(name, x.length)), roots(x));
  const [, single, vector] = bench.runAlone().roots.map((root) => root.slice().buffer);
  return { single: new Float32Array(single!), vector: new Float32Array(vector!) };
}

/** f at every point by WebAssembly, after all ways have given the same bits. */
function evaluate(name: string, x: Float32Array): Float32Array {
  const { single: y, vector } = emitted(name, x);
  const bytes = (values: Float32Array) => new Uint8Array(values.buffer);
  assert.equal(bytes(vector), bytes(y), `${name}: f32x4 as f32`);
  const few = x.filter((_, index) => index % 64 < 4);
  const interpreted = roots(few);
  const result = interpretCommand(program(name, few.length), { roots: interpreted, checks: true });
  assert.equal(result.faults, []);
  const same = bytes(y.filter((_, index) => index % 64 < 4));
  assert.equal(interpreted[1], same, `${name}: interpreted as compiled`);
  assert.equal(interpreted[2], same, `${name}: interpreted vectors as compiled`);
  return y;
}

for (const [name, law] of Object.entries(laws)) {
  test(`${name} keeps its stated bound`, () => {
    const x = points(law, 40_000);
    const y = evaluate(name, x);
    let worst = 0;
    let at = NaN;
    for (const [index, value] of y.entries()) {
      const exact = law.exact(x[index]!);
      const bound = law.absolute
        ? law.absolute(x[index]!)
        : Math.max(law.units! * u * Math.abs(exact), 2 ** -148);
      const share = Math.abs(value - exact) / bound;
      if (share > worst || Number.isNaN(share)) [worst, at] = [share, x[index]!];
      if (Number.isNaN(share)) break;
    }
    assert.ok(worst <= 1, `${name}(${at}): ${worst} of the bound`);
    assert.ok(worst > 0.02, `${name}: a bound that says something`);
  });
}

test('the ends of the domains', () => {
  const at = (name: string, ...x: number[]) => {
    const padded = Float32Array.from({ length: 4 }, (_, index) => x[index] ?? 1);
    return [...evaluate(name, padded)].slice(0, x.length);
  };
  assert.equal(at('exp', 0, -104, -3e38, 89), [1, 0, 0, Infinity]);
  assert.equal(at('log', 1), [0]);
  assert.equal(at('log', 0), at('log', 2 ** -126));
  assert.equal(at('tanh', 0, 9, -40, 3e38), [0, 1, -1, 1]);
  assert.equal(at('erf', 0, 4, -40, 3e38), [0, 1, -1, 1]);
  assert.equal(at('sigmoid', 0, 3e38), [0.5, 1]);
  assert.equal(at('gelu', 0, 30), [0, 30]);
  for (const name of Object.keys(laws)) {
    // Not the sign and payload: those are unspecified.
    const { single, vector } = emitted(name, Float32Array.of(NaN, NaN, NaN, NaN));
    assert.equal([...single, ...vector], new Array<number>(8).fill(NaN), `${name} of NaN`);
  }
});

test.run();
