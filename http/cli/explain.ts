/** `explain ID`: asks a running server why a request is not done. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { StatusError } from '../../runtime/base/errors.js';
import type { Explanation } from '../observing.js';
import { exitCodes } from './outcome.js';
import type { Terminal } from './terminal.js';

interface ExplainOptions {
  readonly url: string;
  readonly adminToken?: string;
  readonly json: boolean;
}

const examples = `
Examples:
  loom-serve explain req-main-1f
  loom-serve explain my-request --url http://127.0.0.1:8041 --json

The id is the header x-request-id of the request, which every answer carries, too.`;

export function addExplain(
  program: Command,
  terminal: Terminal,
  end: (code: number) => void,
): void {
  program
    .command('explain')
    .summary('why a request of a running server is not done')
    .description('Tells what a request waits for, and what would let it go on.')
    .argument('<id>', 'x-request-id of the request')
    .option('--url <url>', 'where the server listens', 'http://127.0.0.1:8040')
    .addOption(new Option('--admin-token <token>', 'what serve was given').env('LOOM_ADMIN_TOKEN'))
    .option('--json', 'print the answer as JSON', false)
    .addHelpText('after', examples)
    .action(async (id: string, options: ExplainOptions) => {
      const explanations = await ask(id, options);
      const text = options.json
        ? JSON.stringify(explanations, null, 2)
        : explanations.map(explanationText).join('\n\n');
      terminal.out(text);
      end(exitCodes.success);
    });
}

async function ask(id: string, { url, adminToken }: ExplainOptions): Promise<Explanation[]> {
  const headers: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };
  const target = `${url.replace(/\/+$/, '')}/admin/explain/${encodeURIComponent(id)}`;
  const response = await fetch(target, { headers }).catch((error: unknown) => {
    const cause = (error as { cause?: Error }).cause?.message ?? String(error);
    throw new StatusError('unavailable', `no server answers at ${url} (--url): ${cause}`);
  });
  const body = (await response.json()) as {
    readonly explanations?: Explanation[];
    readonly error?: { readonly message: string };
  };
  if (body.explanations !== undefined) return body.explanations;
  const said = body.error?.message ?? `status ${response.status}`;
  throw new StatusError('failedPrecondition', `${url} says: ${said}`);
}

function explanationText(explanation: Explanation): string {
  const { request, model, kind, state, address, ageMs, waiting } = explanation;
  const who = address === null ? 'no actor has it yet' : `${kind} ${address} is ${state}`;
  const head = `${request} (${model}, ${(ageMs / 1000).toFixed(2)} s): ${who}`;
  if (waiting.length === 0) return `${head}\n  it waits for nothing`;
  const lines = waiting.flatMap(({ reason, text, unblockedBy }, index) => [
    `${'  '.repeat(index + 1)}${reason}: ${text}`,
    `${'  '.repeat(index + 1)}  goes on with ${unblockedBy}`,
  ]);
  return [head, ...lines].join('\n');
}
