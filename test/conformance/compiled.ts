/**
 * Compiled command programs on a device: what the compiler promises about grids, barriers and
 * budgets must arrive as outcomes of works, with messages that name kernel, limit and value.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import type { ExecutableImage } from '../../runtime/hal/executable.js';
import type { CommandProgram, Kernel } from '../../runtime/loom/typed.js';
import * as b from '../generators/typed-builder.js';
import { toWords, type DeviceFixture } from '../runtime/hal/device-fixture.js';
import type { OpenFixture } from './device.js';

const { t } = b;
const BYTES = 16;

/** Every workgroup adds `rounds` to counts[0], one at a time. */
function counting(): Kernel {
  const k = new b.KernelBuilder('counting', 1);
  const counts = k.view('counts', 'acc', b.storage('i32'));
  const rounds = k.scalar('rounds', t.i32);
  const [lane, i] = [k.local('lane', t.i32), k.local('i', t.i32)];
  const loop = b.loop(
    i,
    { from: b.i32(0), to: rounds.get },
    b.block(counts.accumulate('add', b.i32(0), b.i32(1))),
  );
  return k.build(b.block(k.parallel(lane, { from: b.i32(0), to: b.i32(1) }, b.block(loop))));
}

/** Writes the grid (3, 2, 5). */
function deciding(): Kernel {
  const k = new b.KernelBuilder('deciding', 1);
  const grid = k.view('grid', 'out', b.storage('i32'));
  const lane = k.local('lane', t.i32);
  const extents = [3, 2, 5].map((value, i) => grid.set(b.i32(i), b.i32(value)));
  return k.build(b.block(k.parallel(lane, { from: b.i32(0), to: b.i32(1) }, b.block(...extents))));
}

export function compiled(program: CommandProgram): ExecutableImage {
  const { bytes, reflection } = compileCommand(program);
  return { info: reflection, module: new WebAssembly.Module(bytes) };
}

/** Two dispatches with a barrier between them, `rounds` rounds a workgroup. */
export function countedTwice(extent: number, rounds: number, compile = compiled): ExecutableImage {
  const step = b.dispatch(0, [b.wholeRoot(0), b.word(rounds)], extent);
  return compile(
    b.commandProgram({ roots: [b.root('inout')], kernels: [counting()], steps: [step, step] }),
  );
}

function decided(compile: Compile): ExecutableImage {
  const range = b.wholeWorkspace(0);
  return compile(
    b.commandProgram({
      roots: [b.root('inout')],
      kernels: [deciding(), counting()],
      workspaces: [{ name: 'grid', bytes: 12, zero: false, lifetime: 'command' }],
      steps: [
        b.dispatch(0, [range], 1),
        {
          ...b.dispatch(1, [b.wholeRoot(0), b.word(7)], 1),
          grid: { kind: 'indirect', range, index: 0 },
        },
      ],
    }),
  );
}

type Compile = (program: CommandProgram) => ExecutableImage;

/** Where kernels cannot be interrupted, nothing is said of loops that do not end. */
export function compiledConformance(
  driver: string,
  open: OpenFixture,
  options: { readonly compile?: Compile; readonly interrupts?: boolean } = {},
): void {
  const { compile = compiled, interrupts = true } = options;
  const test = suite(`compiled programs on ${driver}`);
  const on = (name: string, run: (fixture: DeviceFixture) => Promise<void>): void =>
    test(name, async () => {
      const fixture = await open();
      try {
        await run(fixture);
      } finally {
        await fixture.close();
      }
    });

  /** Runs an image on a zeroed root of 16 bytes; the first word and the failure. */
  async function runOn(
    fixture: DeviceFixture,
    image: ExecutableImage,
    backEdges: number | null = null,
  ): Promise<{ count: number; message: string | null }> {
    fixture.device.load('compiled', image);
    const root = fixture.place(BYTES);
    await fixture.write(root, new Uint8Array(BYTES));
    const { workspaceBytes } = image.info;
    const workspace = workspaceBytes > 0 ? fixture.place(workspaceBytes) : null;
    const launch = fixture.launch('compiled', [root], { workspace, backEdges });
    const { failure } = await fixture.work([launch]).retired;
    fixture.device.unload('compiled');
    return { count: toWords(await fixture.read(root))[0]!, message: failure?.message ?? null };
  }

  on('control: every workgroup of every dispatch runs once', async (fixture) => {
    const { count, message } = await runOn(fixture, countedTwice(1000, 3, compile));
    assert.is(message, null);
    assert.is(count, 2 * 1000 * 3);
  });

  on('an indirect grid is what the dispatch before it wrote', async (fixture) => {
    const { count, message } = await runOn(fixture, decided(compile));
    assert.is(message, null);
    assert.is(count, 3 * 2 * 5 * 7);
  });

  on('a grid beyond the limit fails its work with kernel, extent and limit', async (fixture) => {
    const { message } = await runOn(fixture, countedTwice(65_536, 1, compile));
    assert.match(
      message!,
      /kernel counting \(test\.loom:\d+:\d+\) \(dispatch 0 of .*\) .* extent of 65536; .* 65535/,
    );
  });

  if (!interrupts) return test.run();
  on('loops beyond the budget end as "ran too long"', async (fixture) => {
    const { message } = await runOn(fixture, countedTwice(4, 2 ** 31 - 1), 100_000);
    assert.match(message!, /kernel counting .* ran too long: .* more than 100000 rounds/);
  });

  test.run();
}
