/** `trace FILE`: what a trace holds, and as a Chrome trace for chrome://tracing and Perfetto. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { TraceSummary } from '../serving.js';
import type { ToolCommand } from './check.js';
import { exitCodes } from './outcome.js';

const examples = `
Examples:
  loom-serve trace server.loom-trace
  loom-serve trace server.loom-trace --chrome trace.json

Open trace.json at https://ui.perfetto.dev or in chrome://tracing: a track an actor, one for the
queue of each device, and arrows for messages and fences.`;

export function addTrace(program: Command, tool: ToolCommand): void {
  program
    .command('trace')
    .summary('show or convert what serve --record wrote')
    .description('Tells what a trace holds, and writes it in the form of other tools.')
    .argument('<file>', 'what serve --record wrote, or the console gave')
    .option('--chrome <file>', 'write a Chrome trace to this file')
    .option('--json', 'print what it holds as JSON', false)
    .addHelpText('after', examples)
    .action(async (file: string, { chrome, json }: { chrome?: string; json: boolean }) => {
      const { readTraceFile } = await tool.load();
      const chromeFile = chrome === undefined ? null : resolve(chrome);
      const summary = await readTraceFile({ file: resolve(file), chromeFile });
      tool.terminal.out(json ? JSON.stringify(summary, null, 2) : summaryText(summary));
      if (chromeFile !== null) tool.terminal.err(`wrote ${chromeFile}`);
      tool.end(exitCodes.success);
    });
}

function summaryText({ seconds, lost, counts, threads }: TraceSummary): string {
  const rows = Object.entries(counts).map(([type, count]) => `  ${type.padEnd(12)} ${count}`);
  const missing = lost === 0 ? '' : `, ${lost} records lost`;
  return [`${seconds.toFixed(3)} s of ${threads.join(', ')}${missing}`, ...rows].join('\n');
}
