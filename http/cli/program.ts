/**
 * The command line: subcommands, help, and what happens to a mistake. `runCommand` is the whole of
 * it as a function from arguments to an exit code, so tests can run it in their own process.
 */
import { Command } from 'commander';
import { addCheck } from './check.js';
import { addCompile, addPrint } from './compile.js';
import { loadComposition } from './composition.js';
import type { LoadComposition } from './composition.js';
import { exitCodes, settle } from './outcome.js';
import { addDevices } from './devices.js';
import { addExplain } from './explain.js';
import { addImport } from './import.js';
import { addReplay } from './replay.js';
import { addReport } from './report.js';
import { addScenario } from './scenario.js';
import { addServe, readVersion } from './serve.js';
import { addTrace } from './trace.js';
import { processTerminal } from './terminal.js';
import type { Terminal } from './terminal.js';

export interface CommandWorld {
  readonly terminal: Terminal;
  readonly load: LoadComposition;
}

const processWorld: CommandWorld = { terminal: processTerminal, load: loadComposition };

const examples = `
Examples:
  loom-serve serve models/first-output models/embedding
  loom-serve check models/first-output
  loom-serve compile control.loom -o control.loombc
  loom-serve print control.loombc
  loom-serve report models/embedding --json

Exit codes: 0 success, 1 failure, 2 a mistake on the command line.
"loom-serve help COMMAND" shows the options of a command.`;

/** `args` without the interpreter and the script. */
export async function runCommand(
  args: readonly string[],
  world: CommandWorld = processWorld,
): Promise<number> {
  const { terminal, load } = world;
  let code: number = exitCodes.usage;
  const tool = { terminal, load, end: (ended: number) => void (code = ended) };
  const program = new Command('loom-serve')
    .description('A model server for people who write and run their own models.')
    .version(readVersion(), '-V, --version', 'print the version')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for options and examples)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, '')),
      writeErr: (text) => terminal.err(text.replace(/\n$/, '')),
    })
    .addHelpText('after', examples);
  addServe(program, tool);
  addCheck(program, tool);
  addCompile(program, terminal, tool.end);
  addPrint(program, terminal, tool.end);
  addReport(program, tool);
  addImport(program, terminal, tool.end);
  addDevices(program, tool);
  addTrace(program, tool);
  addReplay(program, tool);
  addExplain(program, terminal, tool.end);
  addScenario(program, tool);
  return settle(terminal, async () => {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  });
}
