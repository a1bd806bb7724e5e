/** `report PACKAGE`: what compiling a package gives: stages, dispatches, workspaces, code sizes. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { PackageReport } from '../serving.js';
import type { ToolCommand } from './check.js';
import { toolOptions } from './composition.js';
import { exitCodes } from './outcome.js';
import { startProgress } from './progress.js';
import { addFileOptions, type FileOptions } from './serve-options.js';

export function addReport(program: Command, tool: ToolCommand): void {
  const command = program
    .command('report')
    .summary('show what a package compiles to')
    .description(
      'Prepares a package without serving it and shows its stages: dispatches, roots, workspace ' +
        'peaks, code sizes.',
    )
    .argument('<package>', 'folder with model.json')
    .option('--json', 'print the report as JSON', false);
  addFileOptions(command)
    .addHelpText('after', '\nExample:\n  loom-serve report models/embedding --json')
    .action(async (folder: string, options: FileOptions & { json: boolean }) => {
      const { reportPackage } = await tool.load();
      const progress = startProgress(tool.terminal);
      const report = await reportPackage({
        ...toolOptions('warn', options),
        package: resolve(folder),
        onProgress: progress.step,
      }).finally(() => progress.stop());
      tool.terminal.out(options.json ? JSON.stringify(report, null, 2) : reportText(report));
      tool.end(exitCodes.success);
    });
}

function reportText(report: PackageReport): string {
  const stages = report.stages.map((stage) => ({
    name: `${stage.ordinal} ${stage.name}`,
    value:
      `${stage.kind}, ${stage.roots} roots, ${stage.dispatches} dispatches, ` +
      `${stage.workspacePeakBytes} bytes of workspace`,
  }));
  const sections = [{ title: 'stages', rows: stages }, ...report.sections];
  const head = `${report.id} (${report.profile}) in ${report.package}`;
  return [head, ...sections.map(sectionText)].join('\n\n');
}

function sectionText(section: PackageReport['sections'][number]): string {
  const width = Math.max(0, ...section.rows.map((row) => row.name.length));
  const rows = section.rows.map((row) => `  ${row.name.padEnd(width)}  ${row.value}`);
  return [section.title, ...rows].join('\n');
}
