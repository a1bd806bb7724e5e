/**
 * Requests of cases of text and sequence packages, in the shape that HTTP takes: `prompt` (text or
 * ids) or `messages` with what belongs to a chat, and the fields of sampling. What generates is
 * somebody else's affair, as with `check-request.ts`.
 */
import { z } from 'zod';
import { StatusError } from '../base/errors.js';
import type { Prompt, SamplingOptions } from '../profiles/text.js';

const ids = z.array(z.int().min(0)).min(1);

/** Fields of sampling by their names in a request; ranges are checked where they are bound. */
const samplingFields = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  min_p: 'minP',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  repetition_penalty: 'repetitionPenalty',
  seed: 'seed',
} as const satisfies Readonly<Record<string, keyof SamplingOptions>>;

const sampling = Object.fromEntries(
  Object.keys(samplingFields).map((name) => [name, z.number().optional()]),
) as Record<keyof typeof samplingFields, z.ZodOptional<z.ZodNumber>>;

export const textRequestSchema = z.strictObject({
  prompt: z.union([z.string(), ids]).optional(),
  messages: z.array(z.looseObject({})).min(1).optional(),
  tools: z.array(z.looseObject({})).optional(),
  tool_choice: z.json().optional(),
  max_tokens: z.int().min(0).optional(),
  stop: z.array(z.string().min(1)).optional(),
  logit_bias: z.record(z.string(), z.number()).optional(),
  ...sampling,
});

type TextRequest = z.infer<typeof textRequestSchema>;

/** A turn of a row of its own. */
export interface TextTurn {
  readonly prompt: Prompt;
  /** Null: as many as the row can hold. */
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  readonly sampling: SamplingOptions;
  readonly hasTools: boolean;
}

/** What a turn gave. */
export interface TextAnswer {
  readonly ids: readonly number[];
  readonly text: string;
  readonly finish: string;
  /** Of a sequence: the bytes that its tokens gave; null for text. */
  readonly captured: Uint8Array | null;
}

/** Rejects with the server's error. */
export type Generate = (turn: TextTurn, signal: AbortSignal) => Promise<TextAnswer>;

export function checkTextRequest(request: TextRequest): TextTurn {
  const { max_tokens: maxTokens = null, stop = [], tools = [] } = request;
  const options: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(samplingFields)) {
    const value = request[field as keyof typeof samplingFields];
    if (value !== undefined) options[name] = value;
  }
  if (request.logit_bias !== undefined) {
    options['logitBias'] = Object.entries(request.logit_bias).map(([id, bias]) => [+id, bias]);
  }
  return {
    prompt: promptOf(request),
    maxTokens,
    stop,
    sampling: options as SamplingOptions,
    hasTools: tools.length > 0,
  };
}

function promptOf({ prompt, messages, tools, tool_choice: choice }: TextRequest): Prompt {
  const isChat = messages !== undefined;
  if (isChat === (prompt !== undefined) || (!isChat && (tools ?? choice) !== undefined)) {
    throw new StatusError(
      'invalidArgument',
      'request: either prompt or messages (and tools and tool_choice) expected',
    );
  }
  if (typeof prompt === 'string') return { kind: 'text', text: prompt };
  if (prompt !== undefined) return { kind: 'tokens', ids: prompt };
  const chat = { messages, tools, tool_choice: choice, add_generation_prompt: true };
  return { kind: 'chat', json: JSON.stringify(chat) };
}
