/**
 * `compile` and `print`: text to bytecode and back. Both are pure functions of one file; a program
 * that is not valid shows every diagnostic and leaves no output behind.
 */
import type { Command } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { StatusError } from '../../runtime/base/errors.js';
import type { Module } from '../../runtime/loom/tree.js';
import { exitCodes } from './outcome.js';
import type { Terminal } from './terminal.js';

export function addCompile(
  program: Command,
  terminal: Terminal,
  end: (code: number) => void,
): void {
  program
    .command('compile')
    .summary('compile a text program to bytecode')
    .description(
      'Parses FILE.loom and writes its bytecode. The two are interchangeable everywhere: a package ' +
        'may name either.',
    )
    .argument(
      '<file>',
      'the program, FILE.loom (or FILE.loombc, which is checked and written again)',
    )
    .requiredOption('-o, --output <file>', 'where to write the bytecode, FILE.loombc')
    .addHelpText('after', '\nExample:\n  loom-serve compile control.loom -o control.loombc')
    .action(async (file: string, options: { output: string }) => {
      const { encode } = await import('../../runtime/loom/syntax/bytecode-writer.js');
      const bytes = encode(await readProgram(file));
      await writeOutput(options.output, bytes);
      terminal.err(`${file} → ${options.output}, ${bytes.byteLength} bytes`);
      end(exitCodes.success);
    });
}

export function addPrint(program: Command, terminal: Terminal, end: (code: number) => void): void {
  program
    .command('print')
    .summary('print a program as text')
    .description(
      'Reads bytecode (FILE.loombc) or text and prints it in canonical form on standard output.',
    )
    .argument('<file>', 'the program, FILE.loombc or FILE.loom')
    .addHelpText('after', '\nExample:\n  loom-serve print control.loombc > control.loom')
    .action(async (file: string) => {
      const { print } = await import('../../runtime/loom/syntax/print.js');
      terminal.out(print(await readProgram(file)).replace(/\n$/, ''));
      end(exitCodes.success);
    });
}

/** A valid module, from either spelling; every diagnostic otherwise. */
async function readProgram(file: string): Promise<Module> {
  const { readModule } = await import('../../runtime/loom/syntax/read-module.js');
  const { LoomError } = await import('../../runtime/loom/diagnostics.js');
  const { module, diagnostics, source } = readModule(file, await readInput(file));
  if (diagnostics.length > 0) throw new LoomError(diagnostics, () => source);
  return module;
}

async function readInput(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new StatusError('notFound', `cannot read ${file}: ${reasonOf(error)}`);
  }
}

async function writeOutput(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (error) {
    throw new StatusError('failedPrecondition', `cannot write ${file}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
