/**
 * Kernels written as text, through the elaborator: matrix products, norms, softmax, attention over
 * a paged cache and sampling leave the bytes that the interpreter leaves.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { Catalog } from '../../../runtime/loom/elaborate/catalog.js';
import { defaultTarget } from '../../../runtime/loom/elaborate/configuration.js';
import { elaborateStage } from '../../../runtime/loom/elaborate/elaborate.js';
import { readModule } from '../../../runtime/loom/syntax/read-module.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { kernelSources } from './kernel-sources.js';
import { CommandBench } from './run-command.js';

const catalog = catalogOf(kernelSources);

function catalogOf(files: Readonly<Record<string, string>>): Catalog {
  const inputs = Object.entries(files).map(([name, source]) => {
    const { module, diagnostics } = readModule(`${name}.loom`, new TextEncoder().encode(source));
    assert.equal(diagnostics, []);
    return { file: `${name}.loom`, module, source };
  });
  return new Catalog(inputs);
}

let state = 7;
const random01 = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const floats = (count: number) =>
  new Uint8Array(Float32Array.from({ length: count }, () => random01() - 0.5).buffer);
const ints = (...values: readonly number[]) => new Uint8Array(Int32Array.from(values).buffer);
const zeros = (bytes: number) => new Uint8Array(bytes);
const join2 = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

function agree(name: string, roots: readonly Uint8Array[]): readonly Uint8Array[] {
  const { program, diagnostics } = elaborateStage(
    catalog,
    { name: `commands.${name}`, args: [] },
    { target: defaultTarget, bindings: new Map() },
  );
  assert.equal(diagnostics, []);
  const bench = new CommandBench(
    compileCommand(program!),
    roots.map((bytes) => bytes.slice()),
  );
  const result = bench.runAlone();
  const expected = roots.map((bytes) => bytes.slice());
  interpretCommand(program!, { roots: expected });
  assert.equal(result.roots, expected, name);
  assert.ok(bench.canariesIntact());
  return result.roots;
}
const someNonZero = (bytes: Uint8Array) =>
  bytes.filter((byte) => byte !== 0).length > bytes.length / 4;

test('matrix products', () => {
  assert.ok(someNonZero(agree('product', [floats(448), floats(2048), zeros(896)])[2]!));
  assert.ok(someNonZero(agree('tiled', [floats(1120), floats(1024), zeros(17_920)])[2]!));
});

test('norms and softmax in place', () => {
  const roots = agree('norms', [floats(128), floats(32), zeros(512), floats(36)]);
  const rows = new Float32Array(roots[3]!.buffer);
  const sum = rows.subarray(0, 9).reduce((a, c) => a + c, 0);
  assert.ok(Math.abs(sum - 1) < 1e-5, `a row of softmax sums to ${sum}`);
});

test('products of quantised rows', () => {
  const weights = Uint8Array.from({ length: 448 }, () => random01() * 256);
  assert.ok(
    someNonZero(agree('quantized', [floats(192), join2(weights, floats(14)), zeros(84)])[2]!),
  );
});

test('attention over a paged cache of 16-bit floats', () => {
  const halves = new Uint8Array(
    Uint16Array.from(
      { length: 512 },
      () => 0x3000 + random01() * 0xc00 + (random01() < 0.5 ? 0x8000 : 0),
    ).buffer,
  );
  // Three tokens of one span at positions 2, 5 and 9; its pages are 3, 0, 2.
  const table = ints(0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 3, 0, 3, 0, 2, 1);
  assert.ok(someNonZero(agree('attention', [floats(96), halves, table, zeros(384)])[3]!));
});

test('sampling: the largest logit, and a draw among the best', () => {
  const want = join2(
    ints(0, 1, 5, 6, 1, 8, 1, 2, 0, 64, 3, 4),
    new Uint8Array(Float32Array.of(1, 0, 0.7, 0, 1.5, 0).buffer),
  );
  const roots = agree('draw', [floats(128), want, zeros(24)]);
  const [best] = new Int32Array(roots[2]!.buffer);
  const row = [...new Float32Array(roots[0]!.buffer).subarray(0, 64)];
  assert.is(best, row.indexOf(Math.max(...row)));
});

test.run();
