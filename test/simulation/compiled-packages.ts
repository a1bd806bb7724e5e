/**
 * Packages compiled once for all seeds of a process. Preparation and tasks are pure functions of
 * plain data, so a result that is used again is the result. Control programs do not travel: a stub
 * goes through the actors, and where a generation or a preparer starts it gets the program.
 */
import type { PackageLocation, PreparedFinite, PreparedModel } from '../../actors/protocol.js';
import { toStatus } from '../../runtime/base/errors.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import type { CompileStageInput, HostArtefact } from '../../runtime/packages/artefacts.js';
import { prepareFiles, type PreparationPlan } from '../../runtime/packages/prepare-package.js';
import {
  prepareChoice,
  type Choice,
  type ChoicePlan,
} from '../../runtime/packages/prepare-choice.js';
import { choiceKey, codeKey } from '../../runtime/packages/specialization-key.js';
import { runCompileTask } from '../../runtime/threads/compile-tasks.js';
import type { TaskResult } from '../../runtime/threads/tasks.js';
import type { HeapMemories } from '../../runtime/vm/heap-memories.js';
import { isText, textPackage } from './text-package.js';
import { flawOf, tinyPackage, type TinyPackage } from './tiny-package.js';

export class CompiledPackages {
  readonly #packages = new Map<string, TinyPackage>();
  readonly #plans = new Map<string, PreparationPlan | Error>();
  readonly #choices = new Map<string, ChoicePlan | Error>();
  readonly #results = new Map<string, TaskResult>();
  readonly #facts = localFacts();

  location(id: string, version: number): PackageLocation {
    const base = `${id}/${version}`;
    let found = this.#packages.get(base);
    if (found === undefined) {
      found = isText(id) ? this.#textPackage(id) : tinyPackage(id, version);
      this.#packages.set(base, found);
    }
    return { id, base, document: found.document, packageRoots: [] };
  }

  readonly #texts = new Map<string, TinyPackage>();

  /** Of all versions. */
  #textPackage(id: string): TinyPackage {
    const made = this.#texts.get(id) ?? textPackage(id);
    this.#texts.set(id, made);
    return made;
  }

  /** What `preparePackage` gives for a folder. */
  readonly prepare = ({ id, base: folder }: PackageLocation): PreparationPlan => {
    const base = isText(id) ? id : folder;
    let plan = this.#plans.get(base);
    if (plan === undefined) {
      const { document, files } = this.#packages.get(folder)!;
      try {
        plan = prepareFiles(document, files, this.#facts);
      } catch (error) {
        plan = error as Error;
      }
      this.#plans.set(base, plan);
    }
    if (plan instanceof Error) throw plan;
    return plan;
  };

  /** What `resolveChoice` gives for a folder. */
  resolve(prepared: PreparedFinite, choice: Choice): ChoicePlan {
    const { base } = prepared.place;
    const { stageBanks, indexes } = prepared.parameters;
    const key = `${base} ${choiceKey(choice, indexes.length)}`;
    let plan = this.#choices.get(key);
    if (plan === undefined) {
      const { files } = this.#packages.get(base)!;
      try {
        plan = prepareChoice({ ...prepared, stageBanks, indexes }, choice, files);
      } catch (error) {
        plan = error as Error;
      }
      this.#choices.set(key, plan);
    }
    if (plan instanceof Error) throw plan;
    return plan;
  }

  /** Its checkpoints by name. */
  checkpoints({ base }: Pick<PackageLocation, 'base'>): ReadonlyMap<string, Uint8Array> {
    return this.#packages.get(base)!.checkpoints;
  }

  run(call: { readonly task: string; readonly input: unknown }): TaskResult {
    const { bindings, declaration } = call.input as CompileStageInput;
    // Bindings have version and kind, and packages that agree in both are the same program.
    const stage = declaration === undefined ? 'control' : codeKey(declaration);
    const key = `${JSON.stringify(bindings)} ${stage}`;
    let result = this.#results.get(key);
    if (result === undefined) {
      try {
        result = runCompileTask(call);
      } catch (error) {
        result = { status: toStatus(error) };
      }
      this.#results.set(key, result);
    }
    if (stage !== 'control' || 'status' in result) return result;
    return { value: { stub: key } };
  }

  /** The prepared model with its control program, for who runs it. */
  whole<Prepared extends PreparedModel>(prepared: Prepared, memories?: HeapMemories): Prepared {
    return withControl(prepared, { ...this.#controlOf(prepared), memories });
  }

  /** The same as a generation gets it: the control program of some versions does not load. */
  loadable<Prepared extends PreparedModel>(prepared: Prepared, memories?: HeapMemories): Prepared {
    const control = { ...this.#controlOf(prepared), memories };
    if (prepared.contract === 'text') return withControl(prepared, control);
    const version = prepared.bindings.find(([name]) => name === 'tiny.version')![1];
    if (flawOf(Number(version)) !== 'loads') return withControl(prepared, control);
    const { program } = control;
    const missing = { ...program.imports[0]!, name: 'missing' };
    const flawed = { ...program, imports: [...program.imports, missing] };
    return withControl(prepared, { ...control, program: flawed });
  }

  #controlOf(prepared: PreparedModel): HostArtefact {
    const { stub } = prepared.control as unknown as { stub: string };
    return (this.#results.get(stub) as { value: HostArtefact }).value;
  }
}

/** Properties that are not enumerable do not travel: what is sent on is a stub again. */
export function withControl<Prepared extends PreparedModel>(
  prepared: Prepared,
  artefact: HostArtefact,
): Prepared {
  const control = { ...prepared.control };
  for (const [name, value] of Object.entries(artefact)) {
    Object.defineProperty(control, name, { value, enumerable: false });
  }
  return { ...prepared, control };
}
