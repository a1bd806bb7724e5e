/** The binary encoder against what the engine reads back. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../../properties.js';
import { ByteWriter } from '../../../../runtime/jit/wasm/byte-writer.js';
import { FunctionBody, type ValueType } from '../../../../runtime/jit/wasm/function-body.js';
import { ModuleBuilder } from '../../../../runtime/jit/wasm/module-builder.js';
import { accessAlign, opcodes } from '../../../../runtime/jit/wasm/opcodes.js';
import { siteAt } from '../../../../runtime/jit/wasm/source-map.js';

/** A module with one exported function without parameters. */
function run(results: readonly ValueType[], emit: (code: FunctionBody) => void): unknown {
  const module = new ModuleBuilder();
  const index = module.declare('f', { params: [], results });
  const code = new FunctionBody({ params: [], results });
  emit(code);
  module.define(index, code);
  module.exportFunction('f', index);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.finish().bytes));
  return (instance.exports['f'] as () => unknown)();
}

test('constants of every size come back from the engine', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.float({ noNaN: true }),
      fc.double({ noNaN: true }),
      (i32, i64, f32, f64) => {
        const given = [i32, i64, f32, f64];
        const emit = (code: FunctionBody) => {
          code.i32(i32);
          code.i64(i64);
          code.f32(f32);
          code.f64(f64);
        };
        assert.ok(
          (run(['i32', 'i64', 'f32', 'f64'], emit) as unknown[]).every((value, i) =>
            Object.is(value, given[i]),
          ),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a writer keeps its bytes when it grows', () => {
  const writer = new ByteWriter();
  const bytes = Array.from({ length: 3000 }, (_, i) => (i * 31) & 0xff);
  for (const byte of bytes) writer.byte(byte);
  writer.raw(bytes);
  assert.equal([...writer.finish()], [...bytes, ...bytes]);
});

test('branches leave the construct they name', () => {
  const value = run(['i32'], (code) => {
    const count = code.local('i32');
    const outer = code.block();
    const again = code.loop();
    code.get(count);
    code.i32(1);
    code.op('i32.add');
    code.tee(count);
    code.i32(10);
    code.op('i32.eq');
    code.if();
    code.br(outer);
    code.end();
    code.br(again);
    code.end();
    code.end();
    code.get(count);
  });
  assert.is(value, 10);
});

const lanes = { i8x16: 16, i16x8: 8, i32x4: 4, i64x2: 2, f32x4: 4, f64x2: 2 } as const;

/** Every instruction in the smallest function that can hold it, to be judged by the validator. */
function holder(name: string): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory('env', 'memory', { initial: 1, maximum: 1, shared: true });
  const code = new FunctionBody({ params: [], results: [] });
  const shape = name.split('.')[0] as keyof typeof lanes;
  // After `unreachable` the stack takes any type, so only the encoding is judged.
  code.op('unreachable');
  if (name.endsWith('_lane') && name.startsWith('v128')) code.access(name, 0, 0);
  else if (/load|store|atomic/.test(name)) code.access(name, 0);
  else if (name === 'i8x16.shuffle') code.shuffle([...Array(16).keys()]);
  else if (name.includes('_lane')) code.lane(name, lanes[shape] - 1);
  else code.op(name);
  code.op('unreachable');
  const index = module.declare('f', code.type);
  module.define(index, code);
  return module.finish().bytes;
}

test('every instruction of the table is one that the engine knows, with a valid alignment', () => {
  const unknown = [...opcodes.keys()].filter((name) => !WebAssembly.validate(holder(name)));
  assert.equal(unknown, []);
  assert.is(new Set(opcodes.values()).size, opcodes.size);
  assert.is(accessAlign('f64.load'), 3);
});

test('a source map gives the position of the last mark at or before an offset', () => {
  const map = { offsets: [10, 20, 20, 30], sites: [1, 2, 3, 4] };
  assert.equal(
    [5, 10, 19, 20, 29, 99].map((offset) => siteAt(map, offset)),
    [0, 1, 1, 3, 3, 4],
  );
});

test.run();
