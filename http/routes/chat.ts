/** `POST /v1/chat/completions`, as OpenAI has it: messages in, one or several answers out. */
import { ChatChoice } from '../chat-choice.js';
import type { LoomApp } from '../context.js';
import { requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import { chatAnswer, chatLogprobs, chatRequest, refuseFields } from '../schemas/chat.js';
import { readChat } from '../schemas/chat-prompt.js';
import { readGeneration } from '../schemas/generation.js';
import type { Services } from '../services.js';
import { answerGenerated, type Choice, type TextForm, type TextReading } from '../text-call.js';
import { isForced, turnBody } from '../turn-body.js';
import { describe } from './describe.js';

const path = '/v1/chat/completions';

export const chatForm: TextForm = {
  idPrefix: 'chatcmpl',
  whole: 'chat.completion',
  chunk: 'chat.completion.chunk',
};

export function chatRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'post',
    path,
    tag: 'inference',
    summary: 'Answers a conversation; with `stream`, as events that end with [DONE].',
    body: chatRequest,
    headers: requestHeaders,
    answers: { 200: { text: 'The answers, in order.', schema: chatAnswer, isStream: true } },
    errors: [400, 404, 408, 413, 415, 429, 503, 504],
  });
  app.post(path, (c) =>
    answerGenerated(c, services, { path, read: (body) => readBody(services, body) }),
  );
}

function readBody(services: Services, value: unknown): TextReading {
  const body = checkBody(chatRequest, value);
  refuseFields(body);
  const topLogprobs = chatLogprobs(body);
  const max_tokens = body.max_completion_tokens ?? body.max_tokens;
  const generation = readGeneration({ ...body, max_tokens }, topLogprobs);
  const { prompt, hasTools, calls } = readChat(body, { form: generation.grammar });
  const count = body.n ?? 1;
  const choice = (index: number): Choice => ({
    body: turnBody(generation, { prompt, session: null, hasTools, calls, index }),
    writer: new ChatChoice({
      index,
      hasTools,
      isForced: isForced(calls, generation),
      isSingleCall: body.parallel_tool_calls === false,
      topLogprobs,
      callId: () => services.ports.ids.next('call'),
    }),
  });
  return {
    form: chatForm,
    model: body.model,
    choices: Array.from({ length: count }, (_, index) => choice(index)),
    choicesPerPrompt: count,
    promptField: 'messages',
    isStream: generation.isStream,
    hasUsage: generation.hasUsage,
  };
}
