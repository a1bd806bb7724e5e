/** Buffers that a program fills in place, under the interpreter and as WebAssembly. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { compileHost } from '../../../runtime/jit/compile-host.js';
import { wasmExecutor } from '../../../runtime/jit/host-executor.js';
import { linkHost } from '../../../runtime/packages/link-host.js';
import { parseSources } from '../../../runtime/packages/load-package.js';
import { HostVm } from '../../../runtime/vm/host-vm.js';
import { ScratchBuffer } from '../../../runtime/vm/scratch-buffer.js';
import { errorOf } from './run-expression.js';

const source = `library scratch
func.def export fill(a: buffer, b: buffer, seed: i64) -> (i64, i64) {
  var sum = 0
  for i in 0..a.len { sum += a.u8[i] }
  let grown = buffer.new(4000000)
  grown.u8[0] = seed
  a.u8[1] = seed
  a.u8[2] = grown.u8[0] + 1
  b.i64[0] = seed * 1000
  return (a.len, sum)
}
`;

function programs(): [string, () => HostVm][] {
  const sources = [{ file: 'scratch.loom', bytes: new TextEncoder().encode(source) }];
  const options = { primary: 'scratch.loom', entries: [], bindings: [], facts: localFacts() };
  const program = linkHost(parseSources(sources), options);
  const { bytes, metadata } = compileHost(program);
  const executor = wasmExecutor({ module: new WebAssembly.Module(bytes), metadata });
  const capabilities = new Map();
  return [
    ['interpreted', () => HostVm.create({ program, executor: 'interpret', capabilities })],
    ['compiled', () => HostVm.create({ program, executor, capabilities })],
  ];
}

const bytesOf = (scratch: ScratchBuffer, offset: number, length: number): number[] => {
  const bytes = new Uint8Array(length);
  scratch.copyTo(bytes, offset);
  return [...bytes];
};

for (const [name, open] of programs()) {
  test(`${name}: given as zeros, and read where the call left it`, () => {
    const vm = open();
    const [a, b] = [new ScratchBuffer(5), new ScratchBuffer(8)];
    for (const seed of [7n, 9n]) {
      assert.equal(vm.call('fill', [a, b, seed]), [5n, 0n], 'zeros, whatever was there before');
      const low = Number(seed);
      assert.equal(bytesOf(a, 0, 5), [0, low, low + 1, 0, 0]);
      assert.equal(bytesOf(a, 2, 1), [low + 1]);
      assert.equal(bytesOf(b, 0, 2), [(low * 1000) & 255, (low * 1000) >> 8]);
    }
  });

  test(`${name}: what was read is not what a later call writes`, () => {
    const vm = open();
    const [a, b] = [new ScratchBuffer(5), new ScratchBuffer(8)];
    vm.call('fill', [a, b, 7n]);
    const kept = new Uint8Array(5);
    a.copyTo(kept, 0);
    vm.call('fill', [new ScratchBuffer(5), new ScratchBuffer(8), 100n]);
    assert.equal([...kept], [0, 7, 8, 0, 0]);
    assert.match(errorOf(() => a.copyTo(kept, 0)).message, /a scratch buffer of the last call/);
  });

  test(`${name}: only its own bytes are read, and the arena bounds it`, () => {
    const vm = open();
    const [a, b] = [new ScratchBuffer(5), new ScratchBuffer(8)];
    assert.throws(() => a.copyTo(new Uint8Array(1), 0), /scratch buffer of the last call/);
    vm.call('fill', [a, b, 7n]);
    assert.throws(() => a.copyTo(new Uint8Array(2), 4), /a range of the buffer/);
    assert.throws(() => a.copyTo(new Uint8Array(1), -1), /a range of the buffer/);
    const huge = new ScratchBuffer(100 * 1024 * 1024);
    assert.is(errorOf(() => vm.call('fill', [huge, b, 1n])).code, 'resourceExhausted');
    assert.equal(vm.call('fill', [a, b, 1n]), [5n, 0n], 'the next call works');
  });
}

test.run();
