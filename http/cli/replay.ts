/**
 * `replay FILE`: plays the traffic that `serve --record` kept to a server of its own, on real
 * threads and in simulation, and compares what is answered with what was. Ends with 1 when anything
 * differs.
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { resolve } from 'node:path';
import type { ToolCommand } from './check.js';
import { exitCodes } from './outcome.js';

export interface ReplayAsk {
  readonly file: string;
  readonly modes: readonly ('threads' | 'simulated')[];
  /** So many times as fast as recorded; infinite: as fast as order allows. */
  readonly speed: number;
  /** Folders to take instead of those recorded, by id. */
  readonly packages: ReadonlyMap<string, string>;
  readonly onLines: (lines: readonly string[]) => void;
}

/** What `scenarios/replay/command.ts` exports as `replays`. */
export interface Replays {
  /** How many requests were answered otherwise, in all modes together. */
  run(ask: ReplayAsk): Promise<{ readonly different: number }>;
}

interface ReplayOptions {
  readonly threads: boolean;
  readonly simulated: boolean;
  readonly speed: number;
  readonly package: ReadonlyMap<string, string>;
}

const examples = `
Examples:
  loom-serve serve models/kjv --record traffic.loom-trace
  loom-serve replay traffic.loom-trace
  loom-serve replay traffic.loom-trace --simulated
  loom-serve replay traffic.loom-trace --threads --speed max --package kjv=my/kjv

A replay registers the packages that the recording names, by their paths, and does what its requests
ask for: play recordings that you trust. Ids, times, shared pages and the like are not compared;
http/traffic/exempt-fields.ts has them all, with reasons.`;

export function addReplay(program: Command, { terminal, end }: ToolCommand): void {
  program
    .command('replay')
    .summary('play recorded traffic again and compare what is answered')
    .description(
      'Plays what serve --record kept to a server of its own, on real threads and in simulation ' +
        'on a virtual clock, and compares the payloads of requests that completed in both.',
    )
    .argument('<file>', 'what serve --record wrote')
    .option('--threads', 'on real threads only', false)
    .option('--simulated', 'in simulation only', false)
    .addOption(
      new Option('--speed <n>', 'so many times as fast as recorded, or max')
        .default(1, '1')
        .argParser(speedOf),
    )
    .addOption(
      new Option('--package <id=folder>', 'take this folder for a package; repeatable')
        .default(new Map(), 'as recorded')
        .argParser(packageOf),
    )
    .addHelpText('after', examples)
    .action(async (file: string, options: ReplayOptions) => {
      const { threads, simulated, speed, package: packages } = options;
      const both = threads === simulated;
      const modes: ReplayAsk['modes'] = both
        ? ['threads', 'simulated']
        : [threads ? 'threads' : 'simulated'];
      const onLines = (lines: readonly string[]): void =>
        lines.forEach((line) => terminal.out(line));
      const { replays } = await loadReplays();
      const asked = { file: resolve(file), modes, speed, packages, onLines };
      const { different } = await replays.run(asked);
      end(different === 0 ? exitCodes.success : exitCodes.failure);
    });
}

function speedOf(text: string): number {
  if (text === 'max') return Infinity;
  const speed = Number(text);
  if (text.trim() !== '' && speed > 0 && speed <= 1000) return speed;
  throw new InvalidArgumentError('It must be a number above 0, at most 1000, or max.');
}

function packageOf(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at > 0) return new Map([...before, [text.slice(0, at), resolve(text.slice(at + 1))]]);
  throw new InvalidArgumentError('It must be the id of a package and a folder: ID=FOLDER.');
}

async function loadReplays(): Promise<{ readonly replays: Replays }> {
  // A computed name: replays are built on http, not the other way round.
  const path = new URL('../../scenarios/replay/command.js', import.meta.url).href;
  return (await import(path)) as { readonly replays: Replays };
}
