/**
 * A turn of a session, read from its body: messages are answered as a chat, a prompt (or nothing:
 * the turn goes on from what the session holds) as a completion. A turn has one choice.
 */
import { ChatChoice } from './chat-choice.js';
import { CompletionChoice } from './completion-choice.js';
import { chatForm } from './routes/chat.js';
import { completionForm } from './routes/completions.js';
import { checkBody } from './schemas/check.js';
import { chatLogprobs, refuseFields } from './schemas/chat.js';
import { readChat } from './schemas/chat-prompt.js';
import { wrong } from './schemas/field.js';
import { readGeneration, type Generation } from './schemas/generation.js';
import { readTurnPrompt, turnRequest } from './schemas/sessions.js';
import type { Services } from './services.js';
import type { TextReading } from './text-call.js';
import type { SessionState } from './text-serving.js';
import { isForced, turnBody } from './turn-body.js';

interface Reading {
  readonly generation: Generation;
  readonly topLogprobs: number | null;
  readonly session: SessionState;
}

export function readTurn(services: Services, session: SessionState, value: unknown): TextReading {
  const body = checkBody(turnRequest, value);
  refuseFields(body);
  if ((body['n'] ?? 1) !== 1) throw wrong('n', 'a turn has one answer; fork the session for more');
  const topLogprobs = chatLogprobs(body);
  const max_tokens = body.max_completion_tokens ?? body.max_tokens;
  const generation = readGeneration({ ...body, max_tokens }, topLogprobs);
  const reading = { generation, topLogprobs, session };
  const prompt = readTurnPrompt(body);
  if (body.messages !== undefined) return chatTurn(services, body, reading);
  return {
    ...shared(reading),
    promptField: 'prompt',
    form: completionForm,
    choices: [
      {
        body: turnBody(generation, {
          prompt: prompt ?? { kind: 'tokens', ids: [] },
          session: session.id,
          hasTools: false,
          calls: null,
          index: 0,
        }),
        writer: new CompletionChoice({ index: 0, echo: '', topLogprobs }),
      },
    ],
  };
}

function chatTurn(
  services: Services,
  body: ReturnType<typeof checkBody<typeof turnRequest>>,
  reading: Reading,
): TextReading {
  const { generation, topLogprobs, session } = reading;
  const { prompt, hasTools, calls } = readChat(body, { form: generation.grammar });
  return {
    ...shared(reading),
    promptField: 'messages',
    form: chatForm,
    choices: [
      {
        body: turnBody(generation, { prompt, session: session.id, hasTools, calls, index: 0 }),
        writer: new ChatChoice({
          index: 0,
          hasTools,
          isForced: isForced(calls, generation),
          isSingleCall: body.parallel_tool_calls === false,
          topLogprobs,
          callId: () => services.ports.ids.next('call'),
        }),
      },
    ],
  };
}

function shared({ generation, session }: Reading) {
  const { isStream, hasUsage } = generation;
  return { model: session.model, choicesPerPrompt: 1, isStream, hasUsage };
}
