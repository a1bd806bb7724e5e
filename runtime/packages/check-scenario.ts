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
 *
 * What a request looks like and who answers it is `Traffic`; an answer is rows of bytes.
 */
import { z } from 'zod';
import { statusCodes, toStatus } from '../base/errors.js';
import { separate } from '../profiles/finite-request.js';
import type { FiniteBody } from '../profiles/finite-request.js';
import { encodeIds } from '../profiles/token-ids.js';
import { errorLine } from './check-case.js';
import { checkRequest, requestSchema } from './check-request.js';
import type { Infer } from './check-request.js';
import { checkTextRequest, textRequestSchema } from './check-text-request.js';
import type { Generate, TextTurn } from './check-text-request.js';

const name = z.string().min(1);

const schemaOf = <Schema extends z.ZodType>(request: Schema) =>
  z.strictObject({
    description: z.string().optional(),
    steps: z
      .array(
        z.union([
          z.strictObject({ send: name, request }),
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

export const scenarioSchema = schemaOf(requestSchema);
export const textScenarioSchema = schemaOf(textRequestSchema);

/** A scenario whose requests are `Raw` in its file. */
type Scenario<Raw> = Omit<z.infer<typeof scenarioSchema>, 'steps'> & {
  readonly steps: readonly (
    | { readonly send: string; readonly request: Raw }
    | { readonly pause_ms: number }
    | { readonly cancel: string }
    | { readonly await: string }
  )[];
};

/** How requests of one kind are read, answered and taken apart. */
export interface Traffic<Raw, Request> {
  readonly parse: (raw: Raw) => Request;
  readonly answer: (request: Request, signal: AbortSignal) => Promise<readonly Uint8Array[]>;
  /** Requests that give the same rows, one after another. */
  readonly separate: (request: Request) => readonly Request[];
  readonly pause: (ms: number) => Promise<void>;
}

type Pause = Traffic<unknown, unknown>['pause'];

/** Requests of cohorts: rows of f32. */
export const finiteTraffic = (
  infer: Infer,
  pause: Pause,
): Traffic<z.infer<typeof requestSchema>, FiniteBody> => ({
  parse: checkRequest,
  answer: async (body, signal) =>
    (await infer(body, signal)).map(
      (row) => new Uint8Array(row.buffer, row.byteOffset, row.byteLength),
    ),
  separate,
  pause,
});

/** Turns of rows of their own: ids, and what a sequence captured. */
export const textTraffic = (
  generate: Generate,
  pause: Pause,
): Traffic<z.infer<typeof textRequestSchema>, TextTurn> => ({
  parse: checkTextRequest,
  async answer(turn, signal) {
    const { ids, captured } = await generate(turn, signal);
    return [encodeIds(ids), captured ?? new Uint8Array(0)];
  },
  separate: (turn) => [turn],
  pause,
});

type Outcome = { readonly rows: readonly Uint8Array[] } | { readonly error: unknown };

interface Sent<Request> {
  readonly request: Request;
  readonly abort: AbortController;
  readonly outcome: Promise<Outcome>;
}

/** What is wrong, one line each; empty when the scenario holds. */
export async function runScenario<Raw, Request>(
  scenario: Scenario<Raw>,
  traffic: Traffic<Raw, Request>,
): Promise<readonly string[]> {
  const sent = new Map<string, Sent<Request>>();
  const problems: string[] = [];
  for (const step of scenario.steps) {
    if ('pause_ms' in step) {
      await traffic.pause(step.pause_ms);
    } else if ('send' in step) {
      if (sent.has(step.send)) problems.push(`'${step.send}' is sent twice`);
      sent.set(step.send, send(traffic.parse(step.request), traffic));
    } else {
      const target = sent.get('cancel' in step ? step.cancel : step.await);
      if (target === undefined) problems.push(`${JSON.stringify(step)} before it is sent`);
      else if ('cancel' in step) target.abort.abort();
      else await target.outcome;
    }
  }
  await Promise.all([...sent.values()].map((each) => each.outcome));
  for (const [who, expected] of Object.entries(scenario.expect)) {
    const lines = await judge(who, expected, { sent, traffic });
    problems.push(...lines.map((line) => `${who}: ${line}`));
  }
  return problems;
}

function send<Raw, Request>(request: Request, traffic: Traffic<Raw, Request>): Sent<Request> {
  const abort = new AbortController();
  const outcome = traffic.answer(request, abort.signal).then(
    (rows): Outcome => ({ rows }),
    (error: unknown): Outcome => ({ error }),
  );
  return { request, abort, outcome };
}

interface Judging<Raw, Request> {
  readonly sent: ReadonlyMap<string, Sent<Request>>;
  readonly traffic: Traffic<Raw, Request>;
}

async function judge<Raw, Request>(
  who: string,
  expected: Scenario<Raw>['expect'][string],
  { sent, traffic }: Judging<Raw, Request>,
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
    lines.push(...differences(outcome.rows, await alone(mine.request, traffic), 'alone'));
  }
  if (expected.same_as !== undefined) {
    const other = await sent.get(expected.same_as)?.outcome;
    if (other === undefined || 'error' in other) lines.push(`'${expected.same_as}' has no answer`);
    else lines.push(...differences(outcome.rows, other.rows, `of '${expected.same_as}'`));
  }
  return lines;
}

/** Rows of each member sent by itself, one after another. */
async function alone<Raw, Request>(
  request: Request,
  traffic: Traffic<Raw, Request>,
): Promise<readonly Uint8Array[]> {
  const rows: Uint8Array[] = [];
  for (const one of traffic.separate(request)) {
    rows.push(...(await traffic.answer(one, new AbortController().signal)));
  }
  return rows;
}

function differences(
  rows: readonly Uint8Array[],
  others: readonly Uint8Array[],
  whose: string,
): readonly string[] {
  if (rows.length !== others.length) return [`${rows.length} rows, ${others.length} ${whose}`];
  return rows.flatMap((row, index) =>
    Buffer.from(row).equals(others[index]!)
      ? []
      : [`row ${index} differs in bits from the one ${whose}`],
  );
}
