/**
 * All checks of a package: its functions on the reference device, its cases and its scenarios
 * through `infer` or `generate`, which are the real server for the command line and anything
 * simpler for tests. Every item is reported; one that fails stops nothing.
 */
import type { TargetFacts } from '../base/target-facts.js';
import { localFacts } from '../hal/local/local-facts.js';
import type { Launcher } from '../vm/checks/run-checks.js';
import { StatusError } from '../base/errors.js';
import { findProfile } from '../profiles/profiles.js';
import { caseOracle } from './case-oracle.js';
import type { OracleContext } from './case-oracle.js';
import { caseSchema, runCase } from './check-case.js';
import { checkFunctions } from './check-functions.js';
import { failureLines, type CheckItem } from './check-item.js';
import { readChecked } from './check-request.js';
import type { Infer } from './check-request.js';
import { runTextCase, textCaseSchema } from './check-text-case.js';
import type { Generate } from './check-text-request.js';
import {
  finiteTraffic,
  runScenario,
  scenarioSchema,
  textScenarioSchema,
  textTraffic,
} from './check-scenario.js';
import { loadPackage } from './load-package.js';
import type { ModelDocument } from './model-document.js';
import type { PackageFiles } from './package-files.js';

export interface CheckOptions {
  readonly document: ModelDocument;
  readonly files: PackageFiles;
  readonly infer: Infer;
  /** Of packages with retained rows; absent where there is nobody to generate. */
  readonly generate?: Generate;
  readonly pause: (ms: number) => Promise<void>;
  readonly onProgress?: (done: number, total: number, label: string) => void;
  readonly facts?: TargetFacts;
  /** Devices on which checks repeat what the interpreter did. */
  readonly launchers?: readonly Launcher[];
}

type Check = (name: string) => Promise<readonly string[]>;

export async function checkPackage(options: CheckOptions): Promise<readonly CheckItem[]> {
  const { document, files } = options;
  const facts = options.facts ?? localFacts();
  const loaded = loadPackage(document, files);
  const functionFiles = loaded.sources.map((source) => source.file);
  const cases = jsonFiles(files, 'cases');
  const scenarios = jsonFiles(files, 'scenarios');
  const total = functionFiles.length + cases.length + scenarios.length;
  const items: CheckItem[] = [];
  let done = 0;
  const report = (label: string, found: readonly CheckItem[]): void => {
    items.push(...found);
    options.onProgress?.((done += 1), total, label);
  };
  const launchers = options.launchers ?? [];
  for (const file of functionFiles) {
    report(file, await checkFunctions(file, { loaded, facts, launchers }));
  }
  const isText = findProfile(document.profile).contract === 'text';
  const checks = isText ? textChecks(options) : finiteChecks(options, { loaded, files, facts });
  for (const name of cases) report(name, [await checkItem('case', name, checks.runCase)]);
  for (const name of scenarios) {
    report(name, [await checkItem('scenario', name, checks.runScenario)]);
  }
  return items;
}

interface FileChecks {
  readonly runCase: Check;
  readonly runScenario: Check;
}

function finiteChecks({ infer, pause }: CheckOptions, context: OracleContext): FileChecks {
  const { files } = context;
  const oracle = caseOracle(context);
  return {
    runCase: (name) => runCase(readChecked(files, name, caseSchema), { infer, oracle }),
    runScenario: (name) =>
      runScenario(readChecked(files, name, scenarioSchema), finiteTraffic(infer, pause)),
  };
}

function textChecks({ files, generate = nobody, pause }: CheckOptions): FileChecks {
  return {
    runCase: (name) => runTextCase(readChecked(files, name, textCaseSchema), generate),
    runScenario: (name) =>
      runScenario(readChecked(files, name, textScenarioSchema), textTraffic(generate, pause)),
  };
}

const nobody: Generate = async () => {
  throw new StatusError('unimplemented', 'there is nobody to generate text for these checks');
};

function jsonFiles(files: PackageFiles, folder: string): readonly string[] {
  const names = files.list(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => `${folder}/${name}`);
}

/** An item from the lines that say what is wrong with it; an error is a line too. */
async function checkItem(kind: CheckItem['kind'], path: string, run: Check): Promise<CheckItem> {
  const name = path.replace(/^.*\//, '').replace(/\.json$/, '');
  try {
    const details = await run(path);
    return { kind, name, outcome: details.length === 0 ? 'passed' : 'failed', details };
  } catch (error) {
    return { kind, name, outcome: 'failed', details: failureLines(error) };
  }
}
