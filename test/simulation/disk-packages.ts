/**
 * Packages of folders, compiled once for all seeds of a process: what `compiled-packages.ts` is for
 * the packages of simulations. Checkpoints are read whole and stay in memory.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { PackageLocation, PreparedModel } from '../../actors/protocol.js';
import { toStatus } from '../../runtime/base/errors.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import type { CompileStageInput, HostArtefact } from '../../runtime/packages/artefacts.js';
import { preparePackage, type PreparationPlan } from '../../runtime/packages/prepare-package.js';
import { runCompileTask } from '../../runtime/threads/compile-tasks.js';
import type { TaskResult } from '../../runtime/threads/tasks.js';
import type { HeapMemories } from '../../runtime/vm/heap-memories.js';
import { CompiledPackages, withControl } from './compiled-packages.js';

type Sources = CompileStageInput['sources'];

interface Prepared {
  readonly plan: PreparationPlan;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

export class DiskPackages extends CompiledPackages {
  readonly #prepared = new Map<string, Prepared>();
  readonly #compiled = new Map<string, TaskResult>();
  /** Of tasks that agree in all but the bytes of these. */
  readonly #sources = new Map<string, Sources[]>();
  readonly #facts = localFacts();

  override readonly prepare = (location: PackageLocation): PreparationPlan =>
    this.#of(location).plan;

  override checkpoints(location: PackageLocation): ReadonlyMap<string, Uint8Array> {
    return this.#of(location).contents;
  }

  override run(call: { readonly task: string; readonly input: unknown }): TaskResult {
    const stub = this.#stubOf(call);
    let result = this.#compiled.get(stub);
    if (result === undefined) {
      try {
        result = runCompileTask(call);
      } catch (error) {
        result = { status: toStatus(error) };
      }
      this.#compiled.set(stub, result);
    }
    const isControl = (call.input as { declaration?: unknown }).declaration === undefined;
    return isControl && !('status' in result) ? { value: { stub } } : result;
  }

  override whole<Model extends PreparedModel>(prepared: Model, memories?: HeapMemories): Model {
    const { stub } = prepared.control as unknown as { stub: string };
    const { value } = this.#compiled.get(stub) as { value: HostArtefact };
    return withControl(prepared, { ...value, memories });
  }

  override loadable<Model extends PreparedModel>(prepared: Model, memories?: HeapMemories): Model {
    return this.whole(prepared, memories);
  }

  /** The same for calls of the same content: told by what is short, then by the bytes. */
  #stubOf({ task, input }: { readonly task: string; readonly input: unknown }): string {
    const { sources, ...rest } = input as CompileStageInput;
    const names = sources.map(({ file }) => file);
    const short = JSON.stringify([task, names, rest], (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const known = this.#sources.get(short) ?? [];
    this.#sources.set(short, known);
    const isSame = (one: Sources): boolean =>
      one.every(({ bytes }, i) => Buffer.compare(bytes, sources[i]!.bytes) === 0);
    const found = known.findIndex(isSame);
    const ordinal = found < 0 ? known.push(sources) - 1 : found;
    return `${ordinal} ${short}`;
  }

  #of(location: PackageLocation): Prepared {
    const key = JSON.stringify([location.id, location.base, location.document]);
    let found = this.#prepared.get(key);
    if (found === undefined) {
      const plan = preparePackage(location, this.#facts);
      found = { plan, contents: contentsOf(plan) };
      this.#prepared.set(key, found);
    }
    return found;
  }
}

/** Of every file that the plan has open; they are closed. */
function contentsOf({ parameters }: PreparationPlan): ReadonlyMap<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  const descriptors = new Set<number>();
  for (const { name, descriptor } of parameters.sources.flatMap(({ files }) => files)) {
    if (descriptors.has(descriptor)) continue;
    descriptors.add(descriptor);
    const bytes = new Uint8Array(fstatSync(descriptor).size);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    contents.set(name, bytes);
  }
  for (const descriptor of descriptors) closeSync(descriptor);
  return contents;
}
