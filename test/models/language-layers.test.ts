/**
 * The layers of models/language-id against double precision, on sums that cancel almost wholly: the
 * stated bound holds, which sums in single precision miss by far, and both executors agree.
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
import { bytesOf, floatsOf, mixedValues, motifs } from './motif-values.js';

const ROWS = 3;
const STRIDE = 70;
const K = 62;
const kernel = readFileSync(join(repositoryRoot, 'models/language-id/kernel.loom'), 'utf8');

function layer(N: number) {
  const text = `library sample
use language { exact_linear }
use motif.linear { linear_vectors, pack_outputs, identity }
command.def export main(x: root, w: root, bias: root, y: root) {
  workspace weights : f32x4[linear_vectors(${K}, ${N})]
  dispatch pack_outputs<${K}, ${N}>(w, weights.as<f32>(), 0, ${N}, ${K})
  dispatch exact_linear<${K}, ${N}, ${STRIDE}, @identity>(x, weights, bias, y) grid(${ROWS})
}`;
  const libraries = motifs('index', 'linear', 'math', 'softmax');
  return stageProgram({ 'sample.loom': text, 'kernel.loom': kernel, ...libraries }, 'sample.main');
}

/** Pairs of terms that cancel but for the last bits of one of them; some x are 0. */
function operands(N: number) {
  const x = mixedValues(ROWS * STRIDE, 3).map((value, at) => (at % 5 === 4 ? 0 : value));
  const w = mixedValues(N * K, 5);
  for (let row = 0; row < ROWS; row++) {
    for (let k = 1; k < K; k += 2) x[row * STRIDE + k] = x[row * STRIDE + k - 1]!;
  }
  for (let at = 1; at < w.length; at += 2) w[at] = Math.fround(-w[at - 1]! * (1 + 3e-7));
  return { x, w, bias: mixedValues(N, 7).map((value) => value * 1e-5) };
}

for (const N of [1, 50, 120]) {
  test(`${N} outputs are as if summed in twice the precision`, () => {
    const { x, w, bias } = operands(N);
    const program = layer(N);
    const roots = [x, w, bias, new Float32Array(ROWS * N)].map(bytesOf);
    const bench = new CommandBench(compileCommand(program), roots);
    const y = floatsOf(bench.runAlone().roots[3]!);
    const { faults } = interpretCommand(program, { roots, checks: true });
    assert.equal(faults, []);
    assert.equal(floatsOf(roots[3]!), y);
    let missed = 0;
    for (let at = 0; at < ROWS * N; at++) {
      const [row, n] = [Math.floor(at / N), at % N];
      let sum = bias[n]!;
      let single = bias[n]!;
      let size = Math.abs(sum);
      for (let k = 0; k < K; k++) {
        const term = x[row * STRIDE + k]! * w[n * K + k]!;
        sum += term;
        size += Math.abs(term);
        single = Math.fround(single + Math.fround(term));
      }
      const bound = Math.abs(sum) * 2 ** -24 + size * (K + 1) ** 2 * 2 ** -48;
      assert.ok(Math.abs(y[at]! - sum) <= bound, `row ${row}, output ${n}: ${y[at]} for ${sum}`);
      if (Math.abs(single - sum) > bound) missed += 1;
    }
    assert.ok(missed > (ROWS * N) / 2, 'sums in single precision would be told apart');
  });
}

test.run();
