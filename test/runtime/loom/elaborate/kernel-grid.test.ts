/** Grids that kernels state in their heads, for dispatches that give none. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkRejects, stageProgram } from './programs.js';

const wide = `kernel.def wide(y: out view<f32>, n: i32) workgroup(32) grid(n) { once { y[0] = 0.0 } }
kernel.def copy(x: in view<f32>, y: out view<f32>, n: i32) workgroup(32) { parallel i in 0..n { y[i] = x[i] } }
`;
const command = (body: string): string => `command.def main(p: root, q: root) {\n${body}\n}`;

test('a dispatch without a grid takes the one of its kernel, computed from its scalars', () => {
  const spread = `template.def <N: i64>
kernel.def spread(x: in view<f32>, y: out view<f32>, n: i32) workgroup(32) grid(ceil_div(n, N), N + 1) {
  parallel i in 0..N { y[workgroup.x * N + i] = x[workgroup.x * N + i] }
}
`;
  const grid = (text: string) => {
    const [step] = stageProgram(spread + wide + command(text)).steps;
    return step?.op === 'dispatch' && step.grid.kind === 'direct' ? step.grid.extents : null;
  };
  const word = { op: 'word', type: 'i32', root: 0, offset: 4 };
  const constant = (value: number) => ({ op: 'const', type: 'i32', value });
  assert.equal(grid('dispatch spread<4>(p, q, word(p, 4))'), [
    { op: 'ceil_div', type: 'i32', left: word, right: constant(4) },
    constant(5),
  ]);
  assert.equal(grid('dispatch spread<8>(p, q, 20) grid(2)'), [constant(2)]);
  checkRejects(
    [
      [
        'none of its own',
        'dispatch copy(p, q, 8)',
        /'copy' has no grid of its own[\s\S]*grid\(x\)/,
      ],
      ['too wide', 'dispatch wide(p, 70000)', /a grid extent of 70000; the limit is 65535/],
    ],
    (text) => wide + command(text),
  );
});

test.run();
