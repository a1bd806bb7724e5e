/** Requests and answers of `/tokenize` and `/detokenize`. */
import { z } from '@hono/zod-openapi';
import type { Prompt } from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import { readChat } from './chat-prompt.js';
import { freeField, modelField, readText, readTokens, tokenList, wrong } from './field.js';
import { chatFields } from './chat.js';

export const tokenizeRequest = z
  .object({
    model: modelField,
    prompt: freeField({ type: 'string', description: 'A text; or `messages`.' }),
    messages: chatFields.messages,
    tools: chatFields.tools,
    tool_choice: chatFields.tool_choice,
  })
  .openapi('TokenizeRequest', { required: ['model'] });

export const tokenizeAnswer = z
  .object({ model: z.string(), count: z.number().int(), tokens: z.array(z.number().int()) })
  .openapi('TokenizeAnswer');

export const detokenizeRequest = z
  .object({ model: modelField, tokens: freeField({ ...tokenList, description: 'Token ids.' }) })
  .openapi('DetokenizeRequest', { required: ['model', 'tokens'] });

export const detokenizeAnswer = z
  .object({ model: z.string(), prompt: z.string() })
  .openapi('DetokenizeAnswer');

export function readTokenized(body: z.infer<typeof tokenizeRequest>): Prompt {
  if (body.messages === undefined) return { kind: 'text', text: readText(body.prompt, 'prompt') };
  if (body.prompt === undefined) return readChat(body).prompt;
  throw wrong('prompt', 'cannot be given together with messages');
}

export function readIds({ tokens }: z.infer<typeof detokenizeRequest>): readonly number[] {
  if (Array.isArray(tokens)) return readTokens(tokens, 'tokens');
  throw wrong('tokens', `must be an array of token ids, not ${typeName(tokens)}`);
}
