/**
 * The banks of a plan, filled as the device thread would: blocks read from the checkpoint, packed
 * by compiled loaders on one worker.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import { Executable } from '../../runtime/hal/executable.js';
import type { LocalMemory } from '../../runtime/hal/local/local-memory.js';
import type { OneWorker } from '../../runtime/hal/local/one-worker.js';
import { compileStage } from '../../runtime/packages/compile-stage.task.js';
import { closeSources } from '../../runtime/packages/package-checkpoints.js';
import type { PreparationPlan } from '../../runtime/packages/prepare-package.js';
import { loadBlocks } from '../../runtime/parameters/load-blocks.js';
import type { LoadBlock } from '../../runtime/parameters/load-blocks.js';
import { LOADER_PACKET_BYTES } from '../../runtime/parameters/load-plan.js';
import type { LoadPlan } from '../../runtime/parameters/load-plan.js';
import { readBlock } from '../../runtime/parameters/read-block.task.js';

export interface BankPlace {
  readonly memory: LocalMemory;
  readonly worker: OneWorker;
  readonly take: (bytes: number) => DeviceRange;
}

/** For each cold stage, for each of its banks, the fields. Closes the checkpoints. */
export function fillBanks(
  plan: PreparationPlan,
  place: BankPlace,
): readonly (readonly (readonly DeviceRange[])[])[] {
  const { banks, stageBanks, sources } = plan.parameters;
  const loaders = new Map(
    plan.parameters.loaders.map(({ id }, index) => {
      const { reflection, module } = compileStage(plan.compileLoader(index));
      return [id, new Executable(id, { info: reflection, module }, () => undefined)] as const;
    }),
  );
  const filled = banks.map((bank) => new BankFilling(bank, plan, { ...place, loaders }).fill());
  closeSources(sources);
  return stageBanks.map((bound) => bound.map((bank) => filled[bank]!));
}

interface LoaderPlace extends BankPlace {
  readonly loaders: ReadonlyMap<string, Executable>;
}

class BankFilling {
  readonly #bank: LoadPlan;
  readonly #plan: PreparationPlan;
  readonly #place: LoaderPlace;
  readonly #fields: readonly DeviceRange[];
  readonly #packet: DeviceRange;
  readonly #staging: DeviceRange;

  constructor(bank: LoadPlan, plan: PreparationPlan, place: LoaderPlace) {
    this.#bank = bank;
    this.#plan = plan;
    this.#place = place;
    this.#fields = bank.fields.map(({ bytes }) => place.take(bytes));
    this.#packet = place.take(LOADER_PACKET_BYTES);
    this.#staging = place.take(bank.stagingBytes);
  }

  fill(): readonly DeviceRange[] {
    for (const block of loadBlocks(this.#bank)) this.#load(block);
    return this.#fields;
  }

  #load(block: LoadBlock): void {
    const field = this.#fields[block.field]!;
    if (block.op === 'fill') return this.#launch(block.loader, [field]);
    const { slab } = field;
    if (block.op === 'copy') {
      const { offset, length } = block;
      return this.#read(block, { slab, offset: field.offset + offset, length });
    }
    const source = { ...this.#staging, length: block.length };
    this.#read(block, source);
    const words = Int32Array.of(block.at, block.rows, block.cols, 0);
    this.#place.memory.view(this.#packet).set(new Uint8Array(words.buffer));
    this.#launch(block.loader, [this.#packet, source, field]);
  }

  #read({ from, decode }: Exclude<LoadBlock, { op: 'fill' }>, target: DeviceRange): void {
    const file = this.#plan.parameters.sources[from.source]!.files[from.shard]!;
    const buffer = new SharedArrayBuffer(target.length);
    readBlock({ file, from, decode, target: { buffer, offset: 0, length: target.length } });
    this.#place.memory.view(target).set(new Uint8Array(buffer));
  }

  #launch(loader: number, roots: readonly DeviceRange[]): void {
    const failure = this.#place.worker.run({
      executable: this.#place.loaders.get(this.#bank.loaders[loader]!)!,
      roots,
      banks: [],
      workspace: null,
      part: 0,
      deployment: 'bench',
      backEdges: null,
    });
    if (failure) throw StatusError.from(failure);
  }
}
