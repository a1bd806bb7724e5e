/** Kernels of real models with small data: products, norms, attention, sampling. */
import { Catalog } from '../../../../runtime/loom/elaborate/catalog.js';
import { defaultTarget } from '../../../../runtime/loom/elaborate/configuration.js';
import { elaborateStage } from '../../../../runtime/loom/elaborate/elaborate.js';
import { readModule } from '../../../../runtime/loom/syntax/read-module.js';
import type { CommandProgram } from '../../../../runtime/loom/typed.js';
import { kernelSources } from '../kernel-sources.js';

export interface ModelCase {
  readonly name: string;
  readonly program: CommandProgram;
  readonly roots: () => Uint8Array[];
  readonly contents: readonly ('f32' | 'word')[];
}

let state = 7;
const random01 = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const floats = (count: number) =>
  new Uint8Array(Float32Array.from({ length: count }, () => random01() - 0.5).buffer);
const ints = (...values: readonly number[]) => new Uint8Array(Int32Array.from(values).buffer);
const zeros = (bytes: number) => new Uint8Array(bytes);
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const weights = () => Uint8Array.from({ length: 448 }, () => random01() * 256);
const halves = () =>
  new Uint8Array(Uint16Array.from({ length: 512 }, () => 0x3000 + random01() * 0xc00).buffer);
// Three tokens of one span at positions 2, 5 and 9; its pages are 3, 0, 2.
const table = ints(0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 3, 0, 3, 0, 2, 1);
const want = joined(
  ints(0, 1, 5, 6, 1, 8, 1, 2, 0, 64, 3, 4),
  new Uint8Array(Float32Array.of(1, 0, 0.7, 0, 1.5, 0).buffer),
);

export function modelCases(): readonly ModelCase[] {
  const inputs = Object.entries(kernelSources).map(([name, source]) => {
    const { module } = readModule(`${name}.loom`, new TextEncoder().encode(source));
    return { file: `${name}.loom`, module, source };
  });
  const catalog = new Catalog(inputs);
  const make = (
    name: string,
    roots: readonly Uint8Array[],
    last: 'f32' | 'word' = 'f32',
  ): ModelCase => {
    const symbol = { name: `commands.${name}`, args: [] };
    const { program } = elaborateStage(catalog, symbol, {
      target: defaultTarget,
      bindings: new Map(),
    });
    const contents = roots.map((_, root) => (root === roots.length - 1 ? last : ('f32' as const)));
    return {
      name,
      program: program!,
      roots: () => roots.map((bytes) => bytes.slice()),
      contents,
    };
  };
  return [
    make('product', [floats(448), floats(2048), zeros(896)]),
    make('tiled', [floats(1120), floats(1024), zeros(17_920)]),
    make('norms', [floats(128), floats(32), zeros(512), floats(36)]),
    make('quantized', [floats(192), joined(weights(), floats(14)), zeros(84)]),
    make('attention', [floats(96), halves(), table, zeros(384)]),
    make('draw', [floats(128), want, zeros(24)], 'word'),
  ];
}
