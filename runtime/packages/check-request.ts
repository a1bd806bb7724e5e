/**
 * Requests of cases and scenarios, in the shape that HTTP takes (`input`, `dimensions`), and what
 * runs them: the checks do not care whether a server or a bare interpreter answers.
 */
import { z } from 'zod';
import type { FiniteRequest } from '../profiles/request-packet.js';
import { parseJson } from './model-document.js';
import { issueText } from './document-issues.js';
import { StatusError } from '../base/errors.js';
import type { PackageFiles } from './package-files.js';

const tokens = z.array(z.int().min(0)).min(1);

export const requestSchema = z.strictObject({
  input: z.union([z.string(), z.array(z.string()).min(1), tokens, z.array(tokens).min(1)]),
  dimensions: z.int().min(1).optional(),
});

/** One input for each row that the answer must have. */
export interface CheckRequest {
  readonly inputs: readonly FiniteRequest['input'][];
  /** 0: not asked for. */
  readonly dimensions: number;
}

/** Answers with one row an input; rejects with the server's error. */
export type Infer = (
  request: CheckRequest,
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>;

export function checkRequest(request: z.infer<typeof requestSchema>): CheckRequest {
  return { inputs: inputsOf(request.input), dimensions: request.dimensions ?? 0 };
}

function inputsOf(input: z.infer<typeof requestSchema>['input']): CheckRequest['inputs'] {
  if (typeof input === 'string') return [{ kind: 'text', text: input }];
  if (typeof input[0] === 'number') return [{ kind: 'tokens', tokens: input as number[] }];
  return (input as (string | number[])[]).map((one) =>
    typeof one === 'string' ? { kind: 'text', text: one } : { kind: 'tokens', tokens: one },
  );
}

/** Reads and checks a JSON file of a package against a schema; errors are told by path. */
export function readChecked<Schema extends z.ZodType>(
  files: PackageFiles,
  reference: string,
  schema: Schema,
): z.infer<Schema> {
  const value = parseJson(files.read(reference), reference);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues
    .flatMap((issue) => issueText(issue, value))
    .map((line) => `${reference}: ${line}`);
  throw new StatusError('invalidArgument', details[0]!, { where: reference, details });
}
