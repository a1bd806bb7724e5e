/**
 * The requests of all finite profiles as the machinery sees them: some members, each framed as
 * records for `prepare_request`. What a record means is in the profile's file.
 */
import type { StatusRecord } from '../base/errors.js';
import { answersOf, frameQuestion } from './decisions.js';
import type { DecisionsBody } from './decisions.js';
import { frameInput } from './embeddings.js';
import type { EmbeddingsBody } from './embeddings.js';
import type { Frame } from './request-packet.js';

export type FiniteBody = EmbeddingsBody | DecisionsBody;

export function memberCount(body: FiniteBody): number {
  return body.profile === 'embeddings' ? body.inputs.length : body.questions.length;
}

export function frameOf(body: FiniteBody, member: number): Frame {
  return body.profile === 'embeddings' ? frameInput(body, member) : frameQuestion(body, member);
}

/** Characters and token ids of a member: what preparing it is about. */
export function memberLength(body: FiniteBody, member: number): number {
  if (body.profile === 'embeddings') {
    const input = body.inputs[member]!;
    return input.kind === 'text' ? input.text.length : input.tokens.length;
  }
  const question = body.questions[member]!;
  const answers = answersOf(question).reduce((sum, answer) => sum + answer.length, 0);
  return question.text.length + question.context.length + answers;
}

/** A member as the caller's request has it: `input[3]`; `input` when it is the only one. */
export function memberName(body: FiniteBody, member: number): string {
  const field = body.profile === 'embeddings' ? 'input' : 'questions';
  return memberCount(body) === 1 ? field : `${field}[${member}]`;
}

/** An error of one member says which; a caller's mistake names it as the field at fault too. */
export function locateMember(status: StatusRecord, body: FiniteBody, member: number): StatusRecord {
  const name = memberName(body, member);
  const isOnly = memberCount(body) === 1;
  const message = isOnly ? status.message : `${name}: ${status.message}`;
  const isCallers = status.code === 'invalidArgument' && status.param === undefined;
  return { ...status, message, ...(isCallers ? { param: name } : {}) };
}

/** Optional request fields that this request uses; a package must list each in `accepts`. */
export function fieldsUsed(body: FiniteBody): readonly string[] {
  return body.profile === 'embeddings' && body.dimensions !== 0 ? ['dimensions'] : [];
}

/** Requests of one member each. */
export function separate(body: FiniteBody): readonly FiniteBody[] {
  return body.profile === 'embeddings'
    ? body.inputs.map((input) => ({ ...body, inputs: [input] }))
    : body.questions.map((question) => ({ ...body, questions: [question] }));
}
