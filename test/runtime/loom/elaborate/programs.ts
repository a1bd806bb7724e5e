/** Programs of tests: from text to catalogs, diagnostics, host results and device bytes. */
import type { TargetFacts } from '../../../../runtime/base/target-facts.js';
import * as assert from 'uvu/assert';
import { renderDiagnostics } from '../../../../runtime/loom/diagnostics.js';
import type { Diagnostic } from '../../../../runtime/loom/diagnostics.js';
import { Catalog } from '../../../../runtime/loom/elaborate/catalog.js';
import {
  bindConfiguration,
  defaultTarget,
} from '../../../../runtime/loom/elaborate/configuration.js';
import type { Configuration } from '../../../../runtime/loom/elaborate/configuration.js';
import { elaborateHost, elaborateStage } from '../../../../runtime/loom/elaborate/elaborate.js';
import type { Elaborated } from '../../../../runtime/loom/elaborate/elaborate.js';
import { verifyCatalog } from '../../../../runtime/loom/elaborate/verify.js';
import { parse } from '../../../../runtime/loom/syntax/parse.js';
import type { CommandProgram, HostProgram } from '../../../../runtime/loom/typed.js';
import { interpretCommand } from '../../../../runtime/vm/device/command-interpreter.js';
import type { HostValue } from '../../../../runtime/vm/host-value.js';
import { HostVm } from '../../../../runtime/vm/host-vm.js';

/** Texts by file name; one text alone is `main.loom`. */
export function catalogOf(texts: string | Readonly<Record<string, string>>): Catalog {
  const files = typeof texts === 'string' ? { 'main.loom': texts } : texts;
  const inputs = Object.entries(files).map(([file, source]) => {
    const { module, diagnostics } = parse({ file, text: source });
    assert.equal(
      renderDiagnostics(diagnostics, () => source),
      '',
      'the text parses',
    );
    return { file, module, source };
  });
  return new Catalog(inputs);
}

export interface Settings {
  readonly target?: Partial<TargetFacts>;
  readonly config?: Readonly<Record<string, string>>;
}

export function configurationOf(catalog: Catalog, settings: Settings = {}): Configuration {
  return {
    target: { ...defaultTarget, ...settings.target },
    bindings: bindConfiguration(catalog, Object.entries(settings.config ?? {})),
  };
}

/** Everything that is wrong with the texts, by place. */
export function problems(texts: string | Readonly<Record<string, string>>): readonly Diagnostic[] {
  const catalog = catalogOf(texts);
  return verifyCatalog(catalog, configurationOf(catalog));
}

/** Messages and hints in one text, for matching. */
export function problemText(texts: string | Readonly<Record<string, string>>): string {
  return renderDiagnostics(problems(texts));
}

function programOf<Program>(catalog: Catalog, elaborated: Elaborated<Program>): Program {
  assert.equal(renderDiagnostics(elaborated.diagnostics, catalog.source), '', 'it elaborates');
  return elaborated.program as Program;
}

export function hostProgram(
  texts: string | Readonly<Record<string, string>>,
  settings: Settings = {},
): HostProgram {
  const catalog = catalogOf(texts);
  const primary = catalog.files[0]?.file ?? '';
  return programOf(catalog, elaborateHost(catalog, primary, configurationOf(catalog, settings)));
}

/** Results of entry `main` of a host program, on the interpreter. */
export function runMain(text: string, args: readonly HostValue[] = []): readonly HostValue[] {
  const program = hostProgram(text);
  const vm = HostVm.create({ program, executor: 'interpret', capabilities: new Map() as never });
  return vm.call('main', args);
}

export function stageOf(
  texts: string | Readonly<Record<string, string>>,
  root: string,
  settings: Settings = {},
): Elaborated<CommandProgram> {
  const catalog = catalogOf(texts);
  return elaborateStage(catalog, { name: root, args: [] }, configurationOf(catalog, settings));
}

export function stageProgram(
  text: string | Readonly<Record<string, string>>,
  root = 'main',
  settings: Settings = {},
): CommandProgram {
  const catalog = catalogOf(text);
  return programOf(catalog, stageOf(text, root, settings));
}

/** Runs a stage on the reference device with checks; the roots are changed in place. */
export function runStage(text: string, roots: readonly Uint8Array[]): void {
  const outcome = interpretCommand(stageProgram(text), { roots, checks: true });
  assert.equal(outcome.faults, []);
}

export const floats = (...values: number[]): Uint8Array =>
  new Uint8Array(Float32Array.from(values).buffer);
export const integers = (...values: number[]): Uint8Array =>
  new Uint8Array(Int32Array.from(values).buffer);
export const asFloats = (bytes: Uint8Array): number[] => [...new Float32Array(bytes.buffer)];
export const asIntegers = (bytes: Uint8Array): number[] => [...new Int32Array(bytes.buffer)];

/** A kernel around a body, with one parameter of each kind. */
export function kernel(body: string): string {
  const params =
    'x: in view<f32>, y: out view<f32>, s: inout view<f32>, c: acc view<u32>, v: in view<f32x4>, rows: i32, eps: f32';
  return `kernel.def k(${params}) workgroup(64) {\n${body}\n}`;
}

/** A host function around a body. */
export const host = (body: string): string =>
  `func.def f(n: i64, b: buffer, t: string) {\n${body}\n}`;

/** Each row: what it shows, a text, and what the diagnostics must say. */
export type Rejects = readonly (readonly [string, string, RegExp])[];
/** Each row: what it shows, and a text without fault. */
export type Accepts = readonly (readonly [string, string])[];

export function checkRejects(rows: Rejects, wrap: (text: string) => string = (text) => text): void {
  for (const [what, text, expected] of rows) {
    const found = problemText(wrap(text));
    assert.ok(found !== '', `${what}: must be rejected`);
    assert.match(found, expected, `${what}: ${found}`);
  }
}

export function checkAccepts(rows: Accepts, wrap: (text: string) => string = (text) => text): void {
  for (const [what, text] of rows) assert.equal(problemText(wrap(text)), '', what);
}
