/**
 * `check PACKAGE`: runs the functions, cases and scenarios that a package carries and reports each.
 * The exit code is 1 when any failed.
 */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { assert } from '../../runtime/base/errors.js';
import type { CheckItem, CheckReport } from '../serving.js';
import { toolOptions } from './composition.js';
import type { LoadComposition } from './composition.js';
import { exitCodes } from './outcome.js';
import { startProgress } from './progress.js';
import { addFileOptions, type FileOptions } from './serve-options.js';
import { paint } from './terminal.js';
import type { Terminal } from './terminal.js';

export interface ToolCommand {
  readonly terminal: Terminal;
  readonly load: LoadComposition;
  readonly end: (code: number) => void;
}

export function addCheck(program: Command, tool: ToolCommand): void {
  const command = program
    .command('check')
    .summary('check a package')
    .description(
      'Runs the check functions, cases/*.json and scenarios/*.json of a package and reports each. ' +
        'Ends with 1 when any failed.',
    )
    .argument('<package>', 'folder with model.json')
    .option('--json', 'print the report as JSON', false);
  addFileOptions(command)
    .addHelpText('after', '\nExample:\n  loom-serve check models/first-output')
    .action(async (folder: string, options: FileOptions & { json: boolean }) => {
      const report = await runCheck(folder, options, tool);
      tool.terminal.out(
        options.json ? JSON.stringify(report, null, 2) : reportText(report, tool.terminal),
      );
      const failed = report.items.some((item) => item.outcome === 'failed');
      tool.end(failed ? exitCodes.failure : exitCodes.success);
    });
}

async function runCheck(
  folder: string,
  files: FileOptions,
  tool: ToolCommand,
): Promise<CheckReport> {
  const { checkPackage } = await tool.load();
  assert(checkPackage !== undefined, 'actors/start to export checkPackage');
  const progress = startProgress(tool.terminal);
  try {
    return await checkPackage({
      ...toolOptions('warn', files),
      package: resolve(folder),
      onProgress: progress.step,
    });
  } finally {
    progress.stop();
  }
}

function reportText(report: CheckReport, terminal: Terminal): string {
  const lines = report.items.flatMap((item) => itemLines(item, terminal));
  const count = (outcome: CheckItem['outcome']): number =>
    report.items.filter((item) => item.outcome === outcome).length;
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  return [...lines, `${count('passed')} passed, ${count('failed')} failed${skipped}`].join('\n');
}

const marks = { passed: 'green', failed: 'red', skipped: 'yellow' } as const;

function itemLines(item: CheckItem, terminal: Terminal): string[] {
  const head = `${paint(terminal, marks[item.outcome], item.outcome)} ${item.kind} ${item.name}`;
  return [head, ...item.details.map((detail) => `  ${detail.replaceAll('\n', '\n  ')}`)];
}
