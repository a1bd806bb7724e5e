/**
 * `scenarios/*.json`: traffic with what must hold.
 *
 *   { "steps": [ { "send": "a", "request": {…} }     starts a request under a name
 *              | { "pause_ms": 5 } | { "cancel": "a" } | { "await": "a" } ],
 *     "expect": { "a": { "outcome": "answer" | "error" | "any", "code": "…"?,
 *                        "same_as_alone": true?, "same_as": "b"? } } }
 *
 * Steps run in order; when they are done, every request is waited for. A cancelled request that was
 * answered before the cancel arrived is no failure: say "any". `same_as_alone` sends each member by
 * itself afterwards and compares bits; `same_as` compares with another answer.
 */
import { z } from 'zod';
import { statusCodes, toStatus } from '../base/errors.js';
import { separate } from '../profiles/finite-request.js';
import type { FiniteBody } from '../profiles/finite-request.js';
import { errorLine } from './check-case.js';
import { checkRequest, requestSchema } from './check-request.js';
import type { Infer } from './check-request.js';

const name = z.string().min(1);

export const scenarioSchema = z.strictObject({
  description: z.string().optional(),
  steps: z
    .array(
      z.union([
        z.strictObject({ send: name, request: requestSchema }),
        z.strictObject({ pause_ms: z.int().min(0).max(10_000) }),
        z.strictObject({ cancel: name }),
        z.strictObject({ await: name }),
      ]),
    )
    .min(1)
    .max(10_000),
  expect: z.record(
    name,
    z.strictObject({
      outcome: z.enum(['answer', 'error', 'any']),
      code: z.enum(statusCodes).optional(),
      same_as_alone: z.boolean().optional(),
      same_as: name.optional(),
    }),
  ),
});

export type PackageScenario = z.infer<typeof scenarioSchema>;

export interface ScenarioRunner {
  readonly infer: Infer;
  readonly pause: (ms: number) => Promise<void>;
}

type Outcome = { readonly rows: readonly Float32Array[] } | { readonly error: unknown };

interface Sent {
  readonly request: FiniteBody;
  readonly abort: AbortController;
  readonly outcome: Promise<Outcome>;
}

/** What is wrong, one line each; empty when the scenario holds. */
export async function runScenario(
  scenario: PackageScenario,
  runner: ScenarioRunner,
): Promise<readonly string[]> {
  const sent = new Map<string, Sent>();
  const problems: string[] = [];
  for (const step of scenario.steps) {
    if ('pause_ms' in step) {
      await runner.pause(step.pause_ms);
    } else if ('send' in step) {
      if (sent.has(step.send)) problems.push(`'${step.send}' is sent twice`);
      sent.set(step.send, send(checkRequest(step.request), runner));
    } else {
      const target = sent.get('cancel' in step ? step.cancel : step.await);
      if (target === undefined) problems.push(`${JSON.stringify(step)} before it is sent`);
      else if ('cancel' in step) target.abort.abort();
      else await target.outcome;
    }
  }
  await Promise.all([...sent.values()].map((each) => each.outcome));
  for (const [who, expected] of Object.entries(scenario.expect)) {
    const lines = await judge(who, expected, { sent, runner });
    problems.push(...lines.map((line) => `${who}: ${line}`));
  }
  return problems;
}

function send(request: FiniteBody, runner: ScenarioRunner): Sent {
  const abort = new AbortController();
  const outcome = runner.infer(request, abort.signal).then(
    (rows): Outcome => ({ rows }),
    (error: unknown): Outcome => ({ error }),
  );
  return { request, abort, outcome };
}

interface Judging {
  readonly sent: ReadonlyMap<string, Sent>;
  readonly runner: ScenarioRunner;
}

async function judge(
  who: string,
  expected: PackageScenario['expect'][string],
  { sent, runner }: Judging,
): Promise<readonly string[]> {
  const mine = sent.get(who);
  if (mine === undefined) return ['it is never sent'];
  const outcome = await mine.outcome;
  if ('error' in outcome) {
    const { code } = toStatus(outcome.error);
    if (expected.outcome === 'answer') return [errorLine(outcome.error)];
    const isRight = expected.code === undefined || expected.code === code;
    return isRight ? [] : [`${errorLine(outcome.error)}; ${expected.code} was expected`];
  }
  if (expected.outcome === 'error') return ['it was answered; an error was expected'];
  const lines: string[] = [];
  if (expected.same_as_alone === true) {
    lines.push(...differences(outcome.rows, await alone(mine.request, runner), 'alone'));
  }
  if (expected.same_as !== undefined) {
    const other = await sent.get(expected.same_as)?.outcome;
    if (other === undefined || 'error' in other) lines.push(`'${expected.same_as}' has no answer`);
    else lines.push(...differences(outcome.rows, other.rows, `of '${expected.same_as}'`));
  }
  return lines;
}

/** Rows of each member sent by itself, one after another. */
async function alone(
  request: FiniteBody,
  runner: ScenarioRunner,
): Promise<readonly Float32Array[]> {
  const rows: Float32Array[] = [];
  for (const one of separate(request)) {
    const { signal } = new AbortController();
    rows.push(...(await runner.infer(one, signal)));
  }
  return rows;
}

function differences(
  rows: readonly Float32Array[],
  others: readonly Float32Array[],
  whose: string,
): readonly string[] {
  if (rows.length !== others.length) return [`${rows.length} rows, ${others.length} ${whose}`];
  return rows.flatMap((row, index) =>
    sameBits(row, others[index]!) ? [] : [`row ${index} differs in bits from the one ${whose}`],
  );
}

function sameBits(left: Float32Array, right: Float32Array): boolean {
  const bytes = (row: Float32Array) => Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  return bytes(left).equals(bytes(right));
}
