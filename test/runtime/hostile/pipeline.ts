/**
 * A set of program files through everything that would happen to it on a server: read, link,
 * verify, elaborate, interpret, compile, run. Whatever the files hold, each step ends in
 * diagnostics, in a StatusError or in a result; anything else is thrown on as what it is, a fault
 * of ours. What runs on both executors must agree.
 */
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { compileHost } from '../../../runtime/jit/compile-host.js';
import { wasmExecutor } from '../../../runtime/jit/host-executor.js';
import { Catalog } from '../../../runtime/loom/elaborate/catalog.js';
import { defaultTarget } from '../../../runtime/loom/elaborate/configuration.js';
import { elaborateHost, elaborateStage } from '../../../runtime/loom/elaborate/elaborate.js';
import { verifyCatalog } from '../../../runtime/loom/elaborate/verify.js';
import { readModule } from '../../../runtime/loom/syntax/read-module.js';
import type { CommandProgram, HostProgram, Type } from '../../../runtime/loom/typed.js';
import { capabilityTable } from '../../../runtime/modules/modules.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import type { HostValue } from '../../../runtime/vm/host-value.js';
import { HostVm } from '../../../runtime/vm/host-vm.js';
import type { Random } from '../../generators/random.js';
import { CommandBench } from '../jit/run-command.js';

export interface PipelineLimits {
  readonly fuel: number;
  readonly rounds: number;
}
/** How far files came; counts add up over many runs. */
export interface Progress {
  refused: number;
  hostCalls: number;
  hostResults: number;
  stages: number;
  launches: number;
}
export const noProgress = (): Progress => ({
  refused: 0,
  hostCalls: 0,
  hostResults: 0,
  stages: 0,
  launches: 0,
});

/** What a device would refuse by its budget; a test must not allocate it. */
const DEVICE_BYTES_MAX = 4 * 1024 * 1024;
const ROOT_BYTES = 4096;
const configuration = { target: defaultTarget, bindings: new Map() };

export class Pipeline {
  readonly progress = noProgress();
  readonly #random: Random;
  readonly #limits: PipelineLimits;

  constructor(random: Random, limits: PipelineLimits) {
    this.#random = random;
    this.#limits = limits;
  }

  run(files: Readonly<Record<string, Uint8Array>>): void {
    const inputs = Object.entries(files).map(([file, bytes]) => ({
      file,
      ...readModule(file, bytes),
    }));
    if (inputs.some(({ diagnostics }) => diagnostics.length > 0)) {
      this.progress.refused += 1;
      return;
    }
    const catalog = new Catalog(inputs);
    const problems = verifyCatalog(catalog, configuration);
    if (problems.length > 0) this.progress.refused += 1;
    for (const { file } of inputs) {
      const { program } = elaborateHost(catalog, file, configuration);
      if (program !== null) this.#host(program);
    }
    for (const declaration of catalog.exports.values()) {
      const { kind, template } = declaration.decl;
      if (template.length > 0 || (kind !== 'command' && kind !== 'kernel')) continue;
      const root = { name: declaration.name, args: [] };
      const { program } = elaborateStage(catalog, root, configuration);
      if (program !== null) this.#stage(program);
    }
  }

  // --- host programs

  #host(program: HostProgram): void {
    const vms = status(() => this.#vms(program));
    if (vms === null) return;
    for (const entry of Object.keys(program.entries)) {
      const { params } = vms[0]!.signature(entry)!;
      const args = params.map((type) => this.#argument(type));
      const [interpreted, emitted] = vms.map((vm) => outcome(() => vm.call(entry, args)));
      this.progress.hostCalls += 1;
      if (typeof interpreted !== 'string') this.progress.hostResults += 1;
      if (isAboutStack(interpreted) || isAboutStack(emitted)) continue;
      assert.equal(emitted, interpreted, `${entry} under both executors`);
    }
  }

  #vms(program: HostProgram): HostVm[] {
    const { bytes, metadata } = compileHost(program);
    const module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    const limits = { fuel: this.#limits.fuel, arenaBytes: DEVICE_BYTES_MAX };
    const capabilities = capabilityTable('a fuzzed program', {});
    return (['interpret', wasmExecutor({ module, metadata })] as const).map((executor) =>
      HostVm.create({ program, executor, capabilities, limits }),
    );
  }

  #argument(type: Type): HostValue {
    const random = this.#random;
    switch (type.kind) {
      case 'scalar':
        if (type.name === 'bool') return random.chance(2);
        if (type.name === 'i64') return BigInt.asIntN(64, BigInt(random.next()) - 7n);
        if (type.name === 'i32') return random.next() | 0;
        return random.next();
      case 'string':
        return 'añb'.repeat(random.below(40));
      case 'buffer':
        return Uint8Array.from({ length: random.below(128) }, () => random.below(256));
      case 'list':
        return Array.from({ length: random.below(4) }, () => this.#argument(type.elem));
      default:
        return null;
    }
  }

  // --- stages

  #stage(program: CommandProgram): void {
    const compiled = status(() => compileCommand(program));
    if (compiled === null) return;
    this.progress.stages += 1;
    const { reflection } = compiled;
    new WebAssembly.Module(compiled.bytes as Uint8Array<ArrayBuffer>);
    const least = reflection.roots.map(({ bytesMin }) => Math.max(bytesMin, ROOT_BYTES));
    const bytes = least.reduce((sum, size) => sum + size, reflection.workspaceBytes);
    const whole = program.workspaces.reduce((sum, workspace) => sum + workspace.bytes, 0);
    if (Math.max(bytes, whole) > DEVICE_BYTES_MAX || program.banks.length > 0) return;
    const roots = least.map((size) =>
      Uint8Array.from({ length: size }, () => this.#random.below(256)),
    );
    const { rounds } = this.#limits;
    const interpreted = roots.map((root) => root.slice());
    const told = outcome(() => {
      const result = interpretCommand(program, { roots: interpreted, checks: true, rounds });
      return result.faults.map((fault) => fault.kind);
    });
    this.progress.launches += 1;
    const bench = new CommandBench(compiled, roots);
    const { poison, roots: emitted } = bench.runAlone({ budget: rounds });
    assert.ok(bench.canariesIntact(), `${program.name} stays inside its roots`);
    // The executors count rounds differently, and a race may end in any way.
    const comparable = typeof told !== 'string' && poison === 0 && !told.some(isUnspecified);
    if (!comparable) return;
    assert.equal(
      emitted.map((root) => withOneNan(root)),
      interpreted.map((root) => withOneNan(root)),
      `${program.name} on both executors`,
    );
  }
}

const isUnspecified = (kind: unknown): boolean => kind === 'race' || kind === 'unwritten';
const isAboutStack = (told: unknown): boolean =>
  typeof told === 'string' && told.includes('stack of the thread');

/** The result, or the message of a StatusError. */
function outcome<T>(action: () => T): T | string {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

/** The result; null after a StatusError. */
function status<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError) return null;
    throw error;
  }
}

/** Payloads of NaN are unspecified: words that are NaN as f32 are made alike. */
function withOneNan(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.slice().buffer, 0, bytes.length >>> 2);
  return words.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word));
}
