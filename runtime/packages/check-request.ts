/**
 * Requests of cases and scenarios, in the shape that HTTP takes (`input` and `dimensions`, or
 * `questions` and `context`), and what runs them: the checks do not care whether a server or a bare
 * interpreter answers.
 */
import { z } from 'zod';
import type { EmbeddingInput } from '../profiles/embeddings.js';
import type { FiniteBody } from '../profiles/finite-request.js';
import { readContext, readQuestion } from '../profiles/question-body.js';
import { parseJson } from './model-document.js';
import { issueText } from './document-issues.js';
import { StatusError } from '../base/errors.js';
import type { PackageFiles } from './package-files.js';

const tokens = z.array(z.int().min(0)).min(1);

const inputSchema = z.union([
  z.string(),
  z.array(z.string()).min(1),
  tokens,
  z.array(tokens).min(1),
]);

export const requestSchema = z.strictObject({
  input: inputSchema.optional(),
  dimensions: z.int().min(1).optional(),
  questions: z.union([z.looseObject({}), z.array(z.looseObject({})).min(1)]).optional(),
  context: z.string().optional(),
});

/** Answers with one row a member; rejects with the server's error. */
export type Infer = (request: FiniteBody, signal: AbortSignal) => Promise<readonly Float32Array[]>;

export function checkRequest(request: z.infer<typeof requestSchema>): FiniteBody {
  const { input: inputs, questions, dimensions } = request;
  if (inputs !== undefined && questions === undefined && request.context === undefined) {
    return { profile: 'embeddings', inputs: inputsOf(inputs), dimensions: dimensions ?? 0 };
  }
  if (inputs !== undefined || questions === undefined || dimensions !== undefined) {
    throw new StatusError(
      'invalidArgument',
      'request: either input (and dimensions) or questions (and context) expected',
    );
  }
  const shared = readContext(request.context, 'request.context') ?? '';
  const list = Array.isArray(questions) ? questions : [questions];
  return {
    profile: 'decisions',
    questions: list.map((one, index) => readQuestion(one, `request.questions[${index}]`, shared)),
  };
}

function inputsOf(input: z.infer<typeof inputSchema>): readonly EmbeddingInput[] {
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
