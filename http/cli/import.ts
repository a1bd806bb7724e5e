/**
 * `import tfjs`: a model of another tool as files of a package: its weights as weights.safetensors
 * and, where it has one, its vocabulary as tokenizer.json. The same converters run by themselves
 * for a package whose document has an `import` section; this is for files that lie somewhere else.
 *
 * Files appear whole or not at all, and take the place of older ones.
 */
import type { Command } from 'commander';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StatusError } from '../../runtime/base/errors.js';
import type { FileImport } from '../../runtime/parameters/import/import-section.js';
import { wholeNumber } from './options.js';
import { exitCodes } from './outcome.js';
import type { Terminal } from './terminal.js';

interface TfjsOptions {
  readonly output: string;
  readonly pieces?: string;
  readonly reserved: number;
}

const example = `
Example:
  loom-serve import tfjs dist/model.json --pieces dist/vocab.json --reserved 6 -o my-package`;

export function addImport(program: Command, terminal: Terminal, end: (code: number) => void): void {
  const command = program
    .command('import')
    .summary('make files of a package from a model of another tool')
    .description('Converts weights and vocabularies of other tools to files of a package.');
  command.addHelpText('after', `\nArguments:\n  tfjs  a tfjs model\n${example}`);
  command
    .command('tfjs')
    .summary('weights.safetensors, and tokenizer.json, from a tfjs model')
    .description(
      'Reads a tfjs model.json with its shards, and a vocabulary of [piece, score] rows.',
    )
    .argument('<model>', 'model.json; its shards lie beside it')
    .requiredOption('-o, --output <dir>', 'folder to write to')
    .option('--pieces <file>', 'JSON rows of [piece, score] for tokenizer.json')
    .option(
      '--reserved <n>',
      'rows at the start of the pieces that stand for no text',
      wholeNumber({ min: 1, max: 1_000_000 }),
      1,
    )
    .addHelpText('after', example)
    .action(async (model: string, options: TfjsOptions) => {
      await importTfjs(model, options, terminal);
      end(exitCodes.success);
    });
}

async function importTfjs(
  model: string,
  { output, pieces, reserved }: TfjsOptions,
  terminal: Terminal,
): Promise<void> {
  const weights = { format: 'tfjs', model: basename(model) } as const;
  await convert(model, weights, { output, name: 'weights.safetensors', terminal });
  if (pieces === undefined) return;
  const vocabulary = { format: 'unigram', pieces: basename(pieces), reserved } as const;
  await convert(pieces, vocabulary, { output, name: 'tokenizer.json', terminal });
}

async function convert(
  file: string,
  spec: FileImport,
  to: { readonly output: string; readonly name: string; readonly terminal: Terminal },
): Promise<void> {
  const { convertFile } = await import('../../runtime/parameters/import/converter.js');
  const { SourceFolder } = await import('../../runtime/parameters/import/source-folder.js');
  const home = dirname(resolve(file));
  if (statSync(home, { throwIfNoEntry: false }) === undefined) {
    throw new StatusError('notFound', `no folder ${home}`);
  }
  const folder = new SourceFolder(home, dirname(file));
  mkdirSync(to.output, { recursive: true });
  const partial = mkdtempSync(join(to.output, '.partial-'));
  try {
    convertFile(folder, spec, join(partial, to.name));
    renameSync(join(partial, to.name), join(to.output, to.name));
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  const path = join(to.output, to.name);
  to.terminal.err(`${file} → ${path}, ${statSync(path).size} bytes`);
}
