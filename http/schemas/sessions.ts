/** Requests and answers of `/v1/sessions`, for checking and for /openapi.json. */
import { z } from '@hono/zod-openapi';
import type { Prompt } from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import { chatFields } from './chat.js';
import { readChat } from './chat-prompt.js';
import { readPrompt } from './completions.js';
import { freeField, modelField, tokenList, wrong } from './field.js';
import { generationFields } from './generation.js';
import { formatField, outputAnswer } from './sequences.js';

const promptForms = {
  oneOf: [{ type: 'string' }, { ...tokenList, minItems: 1 }],
  description: 'A text, or a list of token ids; or `messages`.',
};

/** The server looks at it, whoever asks. */
const savedName = (about: string) =>
  z
    .string({ error: (issue) => `must be a string, not ${typeName(issue.input)}` })
    .openapi({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$', description: about });

export const openSessionRequest = z
  .object({
    model: modelField,
    restore: savedName('A saved session that it shall hold.').nullish(),
  })
  .openapi('OpenSessionRequest', { required: ['model'] });

export const appendRequest = z
  .object({
    prompt: freeField(promptForms),
    messages: chatFields.messages,
    encoding_format: formatField,
  })
  .openapi('AppendRequest');

export const turnRequest = z
  .object({ prompt: freeField(promptForms), ...chatFields, ...generationFields })
  .loose()
  .openapi('TurnRequest');

const wholeNumber = (about: string) =>
  z
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .openapi({ description: about });

export const rewindRequest = z
  .object({ tokens: wholeNumber('How many of its first tokens the session keeps.') })
  .openapi('RewindRequest');

export const restoreRequest = z
  .object({ checkpoint: z.string({ error: 'must be the id of a checkpoint' }).min(1) })
  .openapi('RestoreRequest');

export const saveRequest = z
  .object({ name: savedName('Of the file; one that is there is replaced.') })
  .openapi('SaveSessionRequest', { required: ['name'] });

export const savedAnswer = z
  .object({
    id: z.string(),
    object: z.literal('session.saved'),
    name: z.string(),
    tokens: z.number().int(),
    bytes: z.number().int(),
  })
  .openapi('SessionSaved');

const checkpointAnswer = z.object({ id: z.string(), tokens: z.number().int() });

export const sessionAnswer = z
  .object({
    id: z.string(),
    object: z.literal('session'),
    model: z.string(),
    state: z.enum(['idle', 'running']),
    tokens: z.number().int(),
    context: z.number().int().openapi({ description: 'Most tokens that it can hold.' }),
    checkpoints: z.array(checkpointAnswer),
    output: outputAnswer
      .optional()
      .openapi({ description: 'Of an append to a sequence: what its tokens gave.' }),
  })
  .openapi('Session');

export const sessionsAnswer = z
  .object({ object: z.literal('list'), data: z.array(sessionAnswer) })
  .openapi('Sessions');

export const deletedAnswer = z
  .object({ id: z.string(), object: z.literal('session.deleted'), deleted: z.literal(true) })
  .openapi('SessionDeleted');

interface PromptFields {
  readonly prompt?: unknown;
  readonly messages?: unknown;
}

/** Messages that are only read end without an opening for an answer. */
export function readAppended(body: PromptFields): Prompt {
  requireOne(body);
  if (body.messages !== undefined) return readChat(body, { isOpen: false }).prompt;
  if (body.prompt === undefined) throw wrong('prompt', 'or messages must be given');
  return readPrompt(body.prompt, 'prompt');
}

/** Null: the turn goes on from what the session holds. */
export function readTurnPrompt(body: PromptFields): Prompt | null {
  requireOne(body);
  return body.prompt === undefined ? null : readPrompt(body.prompt, 'prompt');
}

function requireOne({ prompt, messages }: PromptFields): void {
  if (prompt !== undefined && messages !== undefined) {
    throw wrong('prompt', 'cannot be given together with messages');
  }
}
