/** Banks wider than one binding: fields are bound one by one; a field that is too wide is told. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../../../../runtime/jit/wgsl/wgsl-target.js';
import { stageOf, stageProgram } from '../../loom/elaborate/programs.js';
import { toWords, u32 } from '../device-fixture.js';
import { onAdapter } from './adapter.js';
import { openFixture } from './open.js';

const MIB = 1024 * 1024;
/** What most adapters have at least, and lavapipe has. */
const LIMIT = 128 * MIB;
const WORDS = (96 * MIB) / 4;

const kernels = `kernel.def ends(a: in view<i32>, b: in view<i32>, y: out view<i32>) workgroup(1) {
  once { y[0] = a[${WORDS - 1}] + b[${WORDS - 1}] }
}
kernel.def last(a: in view<i32>, at: i32, y: out view<i32>) workgroup(1) { once { y[0] = a[at] } }
`;
const two = `bank.def Wide { a: i32[${WORDS}], b: i32[${WORDS}] }
command.def main(y: root, w: param Wide) { dispatch ends(w.a, w.b, y) grid(1) }`;
const whole = `bank.def Wide { a: i32[${2 * WORDS}] }
command.def main(y: root, w: param Wide) { dispatch last(w.a, 0, y) grid(1) }`;
const sliced = `bank.def Wide { a: i32[${2 * WORDS}] }
command.def main(y: root, w: param Wide) {
  dispatch last(w.a.slice(${WORDS}, ${WORDS}), ${WORDS - 1}, y) grid(1)
}`;

test('a field beyond one binding is refused at preparation, with place and way out', () => {
  const target = { binding_bytes: LIMIT };
  const [told] = stageOf(kernels + whole, 'main', { target }).diagnostics;
  assert.match(told?.message ?? '', /'a' binds 201326592 bytes; the limit is 134217728/);
  assert.match(told?.hint ?? '', 'split it by a constant loop over slices');
  for (const text of [two, sliced]) {
    assert.equal(stageOf(kernels + text, 'main', { target }).diagnostics, []);
  }
});

onAdapter(
  test,
  'a bank of more than one binding holds runs, field by field or by slices',
  async () => {
    const fixture = await openFixture({ memoryBytes: 256 * MIB });
    const { facts, adapter } = fixture.device;
    // Elsewhere one binding would hold it all.
    if (adapter.limits['maxStorageBufferBindingSize']! > LIMIT) return fixture.close();
    const bank = fixture.pool.allocate(8 * WORDS, 'test', 'constant')!;
    const part = (index: number, words: number) => {
      return { ...bank, offset: bank.offset + 4 * index, length: 4 * words };
    };
    await fixture.write(part(WORDS - 1, 1), u32(30));
    await fixture.write(part(2 * WORDS - 1, 1), u32(12));
    const run = async (id: string, text: string, banks: ReturnType<typeof part>[]) => {
      const program = stageProgram(kernels + text, 'main', { target: facts });
      const { reflection, program: wgsl } = compileWgsl(program, wgslTarget(facts));
      fixture.device.load(id, { info: reflection, wgsl, module: null });
      const output = fixture.place(4);
      const { failure } = await fixture.work([fixture.launch(id, [output], { banks })]).retired;
      assert.is(failure, null);
      return toWords(await fixture.read(output));
    };
    assert.equal(await run('two', two, [part(0, WORDS), part(WORDS, WORDS)]), [42]);
    assert.equal(await run('sliced', sliced, [part(0, 2 * WORDS)]), [12]);
    await fixture.close();
  },
);

test.run();
