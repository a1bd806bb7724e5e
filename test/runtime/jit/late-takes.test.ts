/** Loads of a `take` stand where they are read; fences, where registers would not suffice. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fencesOf } from '../../../runtime/jit/kernel/fences.js';
import { withLateTakes } from '../../../runtime/jit/kernel/late-takes.js';
import { visitBlock } from '../../../runtime/jit/typed-walk.js';
import type { Block, LocalId } from '../../../runtime/loom/typed.js';
import { stageProgram } from '../loom/elaborate/programs.js';

/** The body of the one loop of a kernel. */
function bodyOf(text: string): Block {
  const { kernels } =
    stageProgram(`kernel.def run(x: in view<f32>, y: inout view<f32>) workgroup(1) {
  once {
    var v = 0.0
    var s : f32x4[12]
    for k in 0..16 { ${text} }
    y[0] = v
    for j in 0..12 unroll { put4(y, j * 4, s[j]) }
  }
}
command.def export main(x: root, y: root) {
  dispatch run(x, y) grid(1)
}`);
  const found: Block[] = [];
  visitBlock(kernels[0]!.body, {
    statement: (stmt) => void (stmt.op === 'for' && found.push(stmt.body)),
  });
  assert.is(found.length, 1);
  return found[0]!;
}

const rowByRow = (rows: number) => `let a = x.take<${rows}>(k, 16)
let left = vec4(x, k * 8)
let right = vec4(x, k * 8 + 4)
for i in 0..${rows} unroll {
  s[i * 2] = mad(f32x4(a[i]), left, s[i * 2])
  s[i * 2 + 1] = mad(f32x4(a[i]), right, s[i * 2 + 1])
}`;

/** No local lives as words. */
const none = new Map<LocalId, unknown>();

/** t: a load of a take with how many elements, s: any other statement. */
const shape = (body: Block): string =>
  body.stmts.map((stmt) => (stmt.op === 'view.take' ? `t${stmt.locals.length}` : 's')).join(' ');

test('each row is loaded before its own products', () => {
  const body = bodyOf(rowByRow(3));
  assert.is(shape(body), 't3 s s s s s s s s');
  assert.is(shape(withLateTakes(body)), 's s t1 s s t1 s s t1 s s');
});

test('a row that nothing reads is loaded all the same', () => {
  const body = bodyOf('let a = x.take<3>(k, 16)\nv = v * 0.5\nv = v + a[1]');
  assert.is(shape(withLateTakes(body)), 't1 t1 s t1 s');
});

test('no load passes a store or a way out', () => {
  for (const text of [
    'let a = y.take<2>(k + 64, 16)\ny[k + 80] = v\nv = v + a[0] + a[1]',
    'let a = x.take<2>(k, 16)\nif x[k] > 0.5 { break }\nv = v + a[0] + a[1]',
  ]) {
    const body = bodyOf(text);
    assert.is(shape(withLateTakes(body)), shape(body), text);
  }
});

test('a tile that fits the registers has no fence', () => {
  assert.is(fencesOf(withLateTakes(bodyOf(rowByRow(4))), none).size, 0);
});

test('a tile that does not fit has its fences before loads, never at the start', () => {
  const body = withLateTakes(bodyOf(rowByRow(5)));
  assert.equal([...fencesOf(body, none)], [8, 14]);
  assert.is(shape(body).split(' ')[8], 't1');
  assert.is(shape(body).split(' ')[14], 't1');
});

test.run();
