/**
 * Linear layers of `motif.linear` and `motif.quant` on a device, as contenders of a benchmark:
 * plain Loom text, compiled for the device; launches of a small shape do many, as layers of a
 * model are. Contenders alternate, so ratios are of one run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import type { DeviceCommand } from '../../runtime/hal/command.js';
import type { ExecutableImage } from '../../runtime/hal/executable.js';
import { compileWgsl } from '../../runtime/jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../../runtime/jit/wgsl/wgsl-target.js';
import { compiled } from '../conformance/compiled.js';
import type { DeviceFixture } from '../runtime/hal/device-fixture.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import type { MatMulShape } from './onnx-model.js';
import { median } from './report.js';
import { root } from './server-process.js';

/** Operations of one launch: some milliseconds. */
const LAUNCH_FLOPS = 1e8;

export interface Contender {
  readonly name: string;
  launch(): Promise<void>;
  /** First values of the last product. */
  product(): Promise<Float32Array>;
}

const text = (name: string) => readFileSync(join(root, `models/motifs/${name}.loom`), 'utf8');
const motifs = {
  'linear.loom': text('linear'),
  'quant.loom': text('quant'),
  'quant-pack.loom': text('quant-pack'),
  'quant-rows.loom': text('quant-rows'),
};

/** Commands of one shape: both packings, and both products `times` times, one after the other. */
function commands({ M, K, N }: MatMulShape, times: number): string {
  const each = Array.from({ length: times }, (_, i) => i);
  const rows = (i: number) => `x.view<f32>(${i * M * K * 4}, ${M * K})`;
  return `library sample
use motif.linear { linear, identity, pack_inputs, pack_outputs }
use motif.quant { quant_linear }
use motif.quant_rows { quantise_rows, row_vectors, row_scales }
use motif.quant_pack { pack_quant, pack_quant_scales }
command.def export pack(w: root, panels: root) {
  dispatch pack_inputs<${K}, ${N}>(w, panels, 0, ${K}, ${N})
}
command.def export pack_8(w: root, blocks: root, steps: root) {
  dispatch pack_quant<${K}, ${N}>(w, blocks, 0, ${N}, ${K})
  dispatch pack_quant_scales<${K}, ${N}>(w, steps, 0, ${N}, ${K})
}
command.def export multiply(x: root, w: root, y: root) {
${each.map((i) => `  dispatch linear<${K}, ${N}, false, @identity>(${rows(i)}, w, ${rows(i)}, y, ${M})`).join('\n')}
}
command.def export multiply_8(x: root, w: root, steps: root, y: root) {
  workspace q : i8x16[row_vectors(${K}, ${M})]
  workspace s : f32[row_scales(${K}, ${M})]
${each
  .map(
    (i) => `  dispatch quantise_rows<${K}>(${rows(i)}, q.as<i8x4>(), s, ${M})
  dispatch quant_linear<${K}, ${N}, false, @identity>(q, s, w, steps, s, y, ${M})`,
  )
  .join('\n')}
}`;
}

/** A device with the programs and operands of one shape. */
export class Products {
  readonly fixture: DeviceFixture;
  readonly #shape: MatMulShape;
  readonly #times: number;
  readonly #loaded = new Set<string>();

  constructor(fixture: DeviceFixture, shape: MatMulShape, times: number) {
    this.fixture = fixture;
    this.#shape = shape;
    this.#times = times;
  }

  async contender(kind: 'f32' | 'int8', x: Float32Array, w: Float32Array): Promise<Contender> {
    const { M, N } = this.#shape;
    const y = this.fixture.place(M * N * 4);
    const rows = await this.#upload(x);
    const weights = kind === 'f32' ? await this.#pack(w) : await this.#packBlocks(w);
    const run = this.#launches(kind === 'f32' ? 'multiply' : 'multiply_8');
    return {
      name: `ours, ${kind}`,
      launch: () => run([rows, ...weights, y]),
      product: async () => new Float32Array((await this.fixture.read(y)).buffer),
    };
  }

  /** The same with rows that lie with the host, where each launch leaves its product too. */
  async fromHost(x: Float32Array, w: Float32Array): Promise<Contender> {
    const { M, N } = this.#shape;
    const [rows, y] = [this.fixture.place(x.byteLength), this.fixture.place(M * N * 4)];
    const roots = [rows, ...(await this.#pack(w)), y];
    const id = this.#load('multiply');
    const bytes = new Uint8Array(x.buffer, x.byteOffset, x.byteLength);
    const into = new Uint8Array(M * N * 4);
    const launch = (): Promise<void> =>
      this.#work([
        { op: 'upload', target: rows, bytes },
        this.fixture.launch(id, roots),
        { op: 'readback', source: y, into },
      ]);
    return {
      name: 'ours, f32, from the host',
      launch,
      product: async () => new Float32Array(into.buffer),
    };
  }

  async #pack(w: Float32Array): Promise<DeviceRange[]> {
    const { K, N } = this.#shape;
    const panels = this.fixture.place(Math.ceil(N / 32) * 32 * K * 4);
    await this.#launches('pack')([await this.#upload(w), panels]);
    return [panels];
  }

  async #packBlocks(w: Float32Array): Promise<DeviceRange[]> {
    const { K, N } = this.#shape;
    const turned = new Float32Array(w.length);
    for (let k = 0; k < K; k++) for (let n = 0; n < N; n++) turned[n * K + k] = w[k * N + n]!;
    // Panels have 128 outputs at most.
    const units = Math.ceil(N / 128) * 8 * Math.ceil(K / 32);
    const [blocks, steps] = [this.fixture.place(units * 512), this.fixture.place(units * 64)];
    await this.#launches('pack_8')([await this.#upload(turned), blocks, steps]);
    return [blocks, steps];
  }

  async #upload(values: Float32Array): Promise<DeviceRange> {
    const range = this.fixture.place(values.byteLength);
    await this.fixture.write(range, new Uint8Array(values.buffer));
    return range;
  }

  #launches(name: string): (roots: DeviceRange[]) => Promise<void> {
    const id = this.#load(name);
    const { workspaceBytes } = this.fixture.device.executable(id).info;
    const workspace = workspaceBytes > 0 ? this.fixture.place(workspaceBytes) : null;
    return (roots) => this.#work([this.fixture.launch(id, roots, { workspace })]);
  }

  async #work(commands: DeviceCommand[]): Promise<void> {
    const { failure } = await this.fixture.work(commands).retired;
    if (failure) throw new Error(failure.message);
  }

  /** The id under which the device has a command of this shape. */
  #load(name: string): string {
    const { M, K, N } = this.#shape;
    const id = `${name} ${M}x${K}x${N}`;
    if (this.#loaded.has(id)) return id;
    this.#loaded.add(id);
    const files = { ...motifs, 'sample.loom': commands(this.#shape, this.#times) };
    this.fixture.device.load(id, this.#compiled(files, `sample.${name}`));
    return id;
  }

  #compiled(files: Readonly<Record<string, string>>, symbol: string): ExecutableImage {
    const { driver, facts } = this.fixture.device;
    const program = stageProgram(files, symbol, { target: facts });
    if (driver !== 'webgpu') return compiled(program);
    const { reflection, program: wgsl } = compileWgsl(program, wgslTarget(facts));
    return { info: reflection, wgsl, module: null };
  }
}

export interface Given {
  readonly x: Float32Array;
  readonly w: Float32Array;
  readonly times: number;
}

export function operands({ M, K, N }: MatMulShape): Given {
  const times = Math.max(1, Math.round(LAUNCH_FLOPS / (2 * M * K * N)));
  const x = Float32Array.from({ length: times * M * K }, (_, i) => ((i * 7) % 13) / 13 - 0.5);
  const w = Float32Array.from({ length: K * N }, (_, i) => ((i * 5) % 11) / 11 - 0.5);
  return { x, w, times };
}

/** Milliseconds of a launch of each; every round launches all of them. */
export async function timesOf(
  contenders: readonly Contender[],
  { rounds, shortest = false }: { readonly rounds: number; readonly shortest?: boolean },
): Promise<number[]> {
  const taken = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const begin = performance.now();
      await contender.launch();
      taken[index]!.push(performance.now() - begin);
    }
  }
  return taken.map((times) => (shortest ? Math.min(...times) : median(times)));
}

/** All contenders computed the same thing, as far as their sums and quantising allow. */
export async function checkAll(contenders: readonly Contender[]): Promise<void> {
  const [first, ...others] = await Promise.all(contenders.map(({ product }) => product()));
  for (const [index, other] of others.entries()) {
    const at = first!.findIndex((value, i) => !(Math.abs(value - other[i]!) <= 0.2));
    if (at < 0) continue;
    const { name } = contenders[index + 1]!;
    throw new Error(`${name} has ${other[at]} at ${at} instead of ${first![at]}`);
  }
}
