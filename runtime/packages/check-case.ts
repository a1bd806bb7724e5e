/**
 * `cases/*.json`: one request and what it must give.
 *
 *   { "request": { "input": …, "dimensions": n? } or { "questions": …, "context": …? },
 *     "expect": { "program": "oracle.loom", "function": "name" }   a host function, once a member
 *             | { "rows": [[…], …] }                               values
 *             | { "error": { "code": "…", "message": "part of it" } } a refusal
 *     "bound": { "absolute": a, "relative": r } }
 *
 * A value x passes against y when |x − y| ≤ absolute + relative · |y|. An oracle function has the
 * signature `name(input: buffer) -> buffer`: the request packet in, one row of f32 out.
 */
import { z } from 'zod';
import { statusCodes, StatusError, toStatus } from '../base/errors.js';
import { frameOf, separate } from '../profiles/finite-request.js';
import type { FiniteBody } from '../profiles/finite-request.js';
import { encodePacket } from '../profiles/request-packet.js';
import { checkRequest, requestSchema } from './check-request.js';
import type { Infer } from './check-request.js';

const row = z.array(z.number()).min(1);

export const boundSchema = z
  .strictObject({ absolute: z.number().min(0), relative: z.number().min(0) })
  .default({ absolute: 0, relative: 0 });

export const caseSchema = z.strictObject({
  description: z.string().optional(),
  request: requestSchema,
  expect: z.union([
    z.strictObject({ program: z.string().min(1), function: z.string().min(1) }),
    z.strictObject({ rows: z.array(row).min(1) }),
    z.strictObject({ error: z.strictObject({ code: z.enum(statusCodes), message: z.string() }) }),
  ]),
  bound: boundSchema,
});

export type PackageCase = z.infer<typeof caseSchema>;

/** Runs a host function of the package: the request packet in, a row out. */
export type Oracle = (program: string, name: string, packet: Uint8Array) => Float32Array;

export interface CaseRunner {
  readonly infer: Infer;
  readonly oracle: Oracle;
}

/** What is wrong, one line each; empty when the case passes. */
export async function runCase(given: PackageCase, runner: CaseRunner): Promise<readonly string[]> {
  const request = checkRequest(given.request);
  const { expect } = given;
  let rows: readonly Float32Array[];
  try {
    rows = await runner.infer(request, new AbortController().signal);
  } catch (error) {
    return 'error' in expect ? refusalLines(error, expect.error) : [errorLine(error)];
  }
  if ('error' in expect) return [`it was answered; ${expect.error.code} was expected`];
  const expected =
    'rows' in expect
      ? expect.rows
      : oracleRows(request, (packet) => runner.oracle(expect.program, expect.function, packet));
  return compareRows(rows, expected, given.bound);
}

function oracleRows(
  request: FiniteBody,
  oracle: (packet: Uint8Array) => Float32Array,
): readonly Float32Array[] {
  return separate(request).map((one) => oracle(encodePacket(frameOf(one, 0).records)));
}

export interface Bound {
  readonly absolute: number;
  readonly relative: number;
}

/** At most one line a row: the first value that is off. */
export function compareRows(
  rows: readonly ArrayLike<number>[],
  expected: readonly ArrayLike<number>[],
  bound: Bound,
): readonly string[] {
  if (rows.length !== expected.length) {
    return [`${rows.length} rows came back; ${expected.length} were expected`];
  }
  return rows.flatMap((values, index) => {
    const wanted = expected[index]!;
    if (values.length !== wanted.length) {
      return [`row ${index} has ${values.length} values; ${wanted.length} were expected`];
    }
    const off = Array.from(values).findIndex((value, at) => !isNear(value, wanted[at]!, bound));
    if (off < 0) return [];
    const { absolute, relative } = bound;
    return [
      `row ${index}, value ${off}: ${values[off]} instead of ${wanted[off]} (absolute ${absolute}, relative ${relative})`,
    ];
  });
}

function isNear(value: number, wanted: number, { absolute, relative }: Bound): boolean {
  // Written so that a value that is no number is never near.
  return Math.abs(value - wanted) <= absolute + relative * Math.abs(wanted);
}

export function refusalLines(
  error: unknown,
  expected: { readonly code: string; readonly message: string },
): readonly string[] {
  const { code, message } = toStatus(error);
  if (code !== expected.code) return [`${errorLine(error)}; ${expected.code} was expected`];
  if (message.includes(expected.message)) return [];
  return [`the error says '${message}'; it should contain '${expected.message}'`];
}

export function errorLine(error: unknown): string {
  const { code, message } = toStatus(error);
  return error instanceof StatusError ? `${code}: ${message}` : message;
}
