/**
 * `scenario NAME…`: plays traffic against a server and says what happened and what had to hold.
 * Without `--url` it starts a server of its own, with the packages that the scenario needs. Ends
 * with 1 when anything did not hold.
 */
import type { Command } from 'commander';
import { StatusError } from '../../runtime/base/errors.js';
import type { ToolCommand } from './check.js';
import { exitCodes } from './outcome.js';

export interface ScenarioAsk {
  /** Empty: all. */
  readonly names: readonly string[];
  /** Null: servers of their own. */
  readonly url: string | null;
  /** Of one scenario, when it is over. */
  readonly onLines: (lines: readonly string[]) => void;
}

/** What `scenarios/command.ts` exports as `scenarios`. */
export interface Scenarios {
  list(): readonly { readonly name: string; readonly about: string }[];
  run(ask: ScenarioAsk): Promise<{
    readonly held: number;
    readonly failed: number;
    readonly skipped: number;
  }>;
}

interface ScenarioOptions {
  readonly list: boolean;
  readonly all: boolean;
  readonly url?: string;
}

const examples = `
Examples:
  loom-serve scenario --list
  loom-serve scenario stalled-reader
  loom-serve scenario ragged-inputs --url http://127.0.0.1:8040`;

export function addScenario(program: Command, { terminal, end }: ToolCommand): void {
  program
    .command('scenario')
    .summary('play traffic and check what must hold')
    .description(
      'Plays scenarios: traffic, clients that leave or stall, faults, and what must hold. ' +
        'Starts a server of its own unless --url names one, where packages are registered.',
    )
    .argument('[name...]', 'scenarios to play')
    .option('--list', 'name them all', false)
    .option('--all', 'play them all', false)
    .option('--url <url>', 'a server that runs already')
    .addHelpText('after', examples)
    .action(async (names: string[], { list, all, url }: ScenarioOptions) => {
      const { scenarios } = await loadScenarios();
      if (list) {
        for (const { name, about } of scenarios.list()) terminal.out(`${name}\n  ${about}`);
        return end(exitCodes.success);
      }
      if (names.length === 0 && !all) {
        throw new StatusError(
          'invalidArgument',
          'name a scenario, or say --all; --list names them',
        );
      }
      const onLines = (lines: readonly string[]): void =>
        lines.forEach((line) => terminal.out(line));
      const counts = await scenarios.run({ names: all ? [] : names, url: url ?? null, onLines });
      const { held, failed, skipped } = counts;
      const left = skipped === 0 ? '' : `, ${skipped} skipped`;
      terminal.out(`${held} hold, ${failed} failed${left}`);
      end(failed === 0 ? exitCodes.success : exitCodes.failure);
    });
}

async function loadScenarios(): Promise<{ readonly scenarios: Scenarios }> {
  // A computed name: scenarios are built on http, not the other way round.
  const path = new URL('../../scenarios/command.js', import.meta.url).href;
  return (await import(path)) as { readonly scenarios: Scenarios };
}
