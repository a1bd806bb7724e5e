/**
 * Repeats the launches of checks as the local device runs them: compiled to WebAssembly, over one
 * shared memory, with the calling convention of a compute worker, but by one worker on the calling
 * thread. What the interpreter and the compiled code disagree about is a bug of one of them.
 *
 * Workspaces hold a pattern before each launch, as storage that somebody used before would.
 */
import { StatusError } from '../base/errors.js';
import type { DeviceRange } from '../hal/buffer.js';
import { Executable } from '../hal/executable.js';
import { LocalMemory } from '../hal/local/local-memory.js';
import { OneWorker } from '../hal/local/one-worker.js';
import { compileCommand } from '../jit/compile-command.js';
import type { CommandProgram } from '../loom/typed.js';
import type { Launcher } from '../vm/checks/run-checks.js';

/** Roots and workspace of one launch. */
const MEMORY_BYTES = 1024 ** 3;
const ALIGNMENT = 256;
const STALE_BYTE = 0xa5;

export class LocalLauncher implements Launcher {
  readonly name = 'the local device';
  readonly #memory = new LocalMemory({ workers: 1, memoryBytes: MEMORY_BYTES });
  readonly #worker = new OneWorker(this.#memory);

  async launch(program: CommandProgram, roots: readonly Uint8Array[]): Promise<void> {
    const { bytes, reflection } = compileCommand(program);
    const image = { info: reflection, module: new WebAssembly.Module(bytes) };
    const executable = new Executable(program.name, image, () => this.#worker.forget(executable));
    const ranges = this.#place([...roots.map((root) => root.length), reflection.workspaceBytes]);
    const workspace = ranges.pop()!;
    roots.forEach((root, index) => this.#memory.view(ranges[index]!).set(root));
    this.#memory.fill(workspace, STALE_BYTE);
    for (let part = 0; part < reflection.parts; part += 1) {
      const failure = this.#worker.run({
        executable,
        roots: ranges,
        banks: [],
        workspace,
        part,
        deployment: 'check',
        backEdges: null,
      });
      if (failure) throw StatusError.from(failure);
    }
    roots.forEach((root, index) => root.set(this.#memory.view(ranges[index]!)));
    executable.unload();
  }

  /** One range after another from the start of the memory. */
  #place(lengths: readonly number[]): DeviceRange[] {
    let end = 0;
    const ranges = lengths.map((length): DeviceRange => {
      const range = { slab: 0, offset: end, length };
      end = Math.ceil((end + length) / ALIGNMENT) * ALIGNMENT;
      return range;
    });
    if (this.#memory.grow(0, Math.max(end, ALIGNMENT))) return ranges;
    throw new StatusError(
      'resourceExhausted',
      `a check launches a program over ${end} bytes; the device that repeats it has ${MEMORY_BYTES}`,
    );
  }
}
