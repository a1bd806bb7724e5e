/**
 * `cases/*.json` of text and sequence packages: one turn and what it must give.
 *
 *   { "request": { "prompt": … } or { "messages": … }, "max_tokens": n?, "temperature": t? …,
 *     "expect": { "ids": […]?, "text": "…"?, "finish": "stop" | "length"? }  all that is said
 *             | { "rows": [[…], …] }          of a sequence: what each token gave, as f32
 *             | { "error": { "code": "…", "message": "part of it" } }        a refusal
 *     "bound": { "absolute": a, "relative": r } }                            of rows
 */
import { z } from 'zod';
import { statusCodes } from '../base/errors.js';
import { boundSchema, compareRows, errorLine, refusalLines } from './check-case.js';
import { checkTextRequest, textRequestSchema } from './check-text-request.js';
import type { Generate, TextAnswer } from './check-text-request.js';

const said = z
  .strictObject({
    ids: z.array(z.int().min(0)).optional(),
    text: z.string().optional(),
    finish: z.enum(['stop', 'length']).optional(),
  })
  .refine((expect) => Object.keys(expect).length > 0, 'expected ids, text or finish');

export const textCaseSchema = z.strictObject({
  description: z.string().optional(),
  request: textRequestSchema,
  expect: z.union([
    z.strictObject({ rows: z.array(z.array(z.number()).min(1)).min(1) }),
    z.strictObject({ error: z.strictObject({ code: z.enum(statusCodes), message: z.string() }) }),
    said,
  ]),
  bound: boundSchema,
});

export type TextCase = z.infer<typeof textCaseSchema>;

/** What is wrong, one line each; empty when the case passes. */
export async function runTextCase(given: TextCase, generate: Generate): Promise<readonly string[]> {
  const { expect } = given;
  let answer: TextAnswer;
  try {
    answer = await generate(checkTextRequest(given.request), new AbortController().signal);
  } catch (error) {
    return 'error' in expect ? refusalLines(error, expect.error) : [errorLine(error)];
  }
  if ('error' in expect) return [`it was answered; ${expect.error.code} was expected`];
  if ('rows' in expect) return compareCaptured(answer.captured, expect.rows, given.bound);
  return Object.entries(expect).flatMap(([name, wanted]) => {
    const found = JSON.stringify(answer[name as keyof typeof expect]);
    const expected = JSON.stringify(wanted);
    return found === expected ? [] : [`${name}: ${found} instead of ${expected}`];
  });
}

function compareCaptured(
  captured: Uint8Array | null,
  rows: readonly (readonly number[])[],
  bound: TextCase['bound'],
): readonly string[] {
  if (captured === null) return ['it captures nothing; rows are of sequences'];
  const width = captured.length / 4 / rows.length;
  if (!Number.isInteger(width)) {
    return [`${captured.length} bytes came back, which are no ${rows.length} rows of f32`];
  }
  const values = new Float32Array(captured.slice().buffer);
  const found = rows.map((_, index) => values.subarray(index * width, (index + 1) * width));
  return compareRows(found, rows, bound);
}
