/** `POST /v1/completions`, as OpenAI has it: texts or tokens in, what may follow them out. */
import type { Prompt } from '../../runtime/profiles/text.js';
import { CompletionChoice } from '../completion-choice.js';
import type { LoomApp } from '../context.js';
import { requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import {
  COMPLETION_TOKENS,
  completionsAnswer,
  completionsRequest,
  readPrompts,
  refuseCompletion,
} from '../schemas/completions.js';
import { wrong } from '../schemas/field.js';
import { readGeneration } from '../schemas/generation.js';
import type { Services } from '../services.js';
import type { CallOptions } from '../serving.js';
import { answerGenerated, type Choice, type TextForm, type TextReading } from '../text-call.js';
import { turnBody } from '../turn-body.js';
import { describe } from './describe.js';

const path = '/v1/completions';

export const completionForm: TextForm = {
  idPrefix: 'cmpl',
  whole: 'text_completion',
  chunk: 'text_completion',
};

export function completionsRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'post',
    path,
    tag: 'inference',
    summary: 'Continues texts; with `stream`, as events that end with [DONE].',
    body: completionsRequest,
    headers: requestHeaders,
    answers: { 200: { text: 'The answers, in order.', schema: completionsAnswer, isStream: true } },
    errors: [400, 404, 408, 413, 415, 429, 503, 504],
  });
  app.post(path, (c) =>
    answerGenerated(c, services, {
      path,
      read: (body, options) => readBody(services, body, options),
    }),
  );
}

async function readBody(
  services: Services,
  value: unknown,
  options: CallOptions,
): Promise<TextReading> {
  const body = checkBody(completionsRequest, value);
  refuseCompletion(body);
  const prompts = readPrompts(body.prompt);
  const topLogprobs = body.logprobs ?? null;
  const maxTokens = body.max_tokens ?? COMPLETION_TOKENS;
  const generation = readGeneration({ ...body, max_tokens: maxTokens }, topLogprobs);
  const count = body.n ?? 1;
  requireFew(prompts.length, count, services.limits.batchMax);
  const echo = (prompt: Prompt): Promise<string> =>
    body.echo === true ? echoOf(prompt, { services, model: body.model, options }) : noEcho;
  const echoes = await Promise.all(prompts.map(echo));
  const choice = (at: number): Choice => {
    const prompt = prompts[Math.floor(at / count)]!;
    return {
      body: turnBody(generation, {
        prompt,
        session: null,
        hasTools: false,
        calls: null,
        isPromptScored: body.echo === true && topLogprobs !== null,
        index: at % count,
      }),
      writer: new CompletionChoice({
        index: at,
        echo: echoes[Math.floor(at / count)]!,
        topLogprobs,
      }),
    };
  };
  return {
    form: completionForm,
    model: body.model,
    choices: Array.from({ length: prompts.length * count }, (_, at) => choice(at)),
    choicesPerPrompt: count,
    promptField: 'prompt',
    isStream: generation.isStream,
    hasUsage: generation.hasUsage,
  };
}

const noEcho = Promise.resolve('');

interface EchoOptions {
  readonly services: Services;
  readonly model: string;
  readonly options: CallOptions;
}

/** A prompt as text; of token ids the package's tokenizer knows it. */
async function echoOf(prompt: Prompt, { services, model, options }: EchoOptions): Promise<string> {
  if (prompt.kind === 'tokens') return services.text.detokenize(model, prompt.ids, options);
  return prompt.kind === 'text' ? prompt.text : '';
}

function requireFew(prompts: number, count: number, limit: number): void {
  if (prompts * count <= limit) return;
  throw wrong(
    'n',
    `${count} answers to each of ${prompts} prompts are ${prompts * count}, the limit is ` +
      `${limit}; ask for fewer, or raise it with --max-batch N`,
  );
}
