/**
 * A choice as `/v1/chat/completions` spells it. With tools the answer is known only when it is
 * whole: the package reads content and calls out of it. A stream sends what is content for sure at
 * once, and the rest at the end.
 */
import { StatusError } from '../runtime/base/errors.js';
import type { SpelledToken, TextDelta, TextResult, TextToken } from './text-serving.js';
import { finiteLogprob, GatheredText, type ChoiceWriter } from './text-choice.js';

export interface ChatChoiceOptions {
  readonly index: number;
  readonly hasTools: boolean;
  /** Nothing but calls is an answer that came to its end. */
  readonly isForced: boolean;
  /** Of several calls only the first is kept. */
  readonly isSingleCall: boolean;
  /** Null: no log probabilities are wanted. */
  readonly topLogprobs: number | null;
  /** Made for each call that has no id of its own. */
  readonly callId: () => string;
}

interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Message {
  readonly content: string | null;
  readonly calls: readonly ToolCall[];
}

export class ChatChoice implements ChoiceWriter {
  readonly #options: ChatChoiceOptions;
  readonly #gathered: GatheredText;
  /** With tools: content that was streamed, and tokens whose log probabilities were not. */
  #said = '';
  #unsaid: TextToken[] = [];

  constructor(options: ChatChoiceOptions) {
    this.#options = options;
    this.#gathered = new GatheredText(options.topLogprobs !== null);
  }

  first(): object {
    return this.#chunk({ role: 'assistant', content: '' });
  }

  delta(delta: TextDelta): object | null {
    const { hasTools, topLogprobs } = this.#options;
    if (hasTools) {
      this.#gathered.add(delta);
      this.#unsaid.push(...delta.tokens);
      const { content = '' } = delta;
      if (content === '') return null;
      this.#said += content;
      return this.#chunk({ content }, this.#unsaidLogprobs());
    }
    const hasLogprobs = topLogprobs !== null && delta.tokens.length > 0;
    if (delta.text === '' && !hasLogprobs) return null;
    return this.#chunk({ content: delta.text }, this.#logprobs(delta.tokens));
  }

  last(result: TextResult): readonly object[] {
    if (!this.#options.hasTools) return [this.#chunk({}, null, result.finish)];
    const { content, calls } = this.#message(result);
    // Blanks in front of calls may have been taken for content.
    const isMore = content !== null && content.startsWith(this.#said);
    const rest = isMore ? content.slice(this.#said.length) : '';
    const chunks: object[] = [];
    if (rest !== '') chunks.push(this.#chunk({ content: rest }, this.#unsaidLogprobs()));
    for (const [index, call] of calls.entries()) {
      chunks.push(this.#chunk({ tool_calls: [{ index, ...call }] }, this.#unsaidLogprobs()));
    }
    return [...chunks, this.#chunk({}, this.#unsaidLogprobs(), finishOf(result, calls))];
  }

  /** Each once. */
  #unsaidLogprobs(): object | null {
    const tokens = this.#unsaid;
    this.#unsaid = [];
    return tokens.length === 0 ? null : this.#logprobs(tokens);
  }

  gather(delta: TextDelta): void {
    this.#gathered.add(delta);
  }

  whole(result: TextResult): object {
    const { content, calls } = this.#message(result);
    const called = calls.length === 0 ? {} : { tool_calls: calls };
    return {
      index: this.#options.index,
      message: { role: 'assistant', content, refusal: null, ...called },
      logprobs: this.#logprobs(this.#gathered.tokens),
      finish_reason: finishOf(result, calls),
    };
  }

  #chunk(delta: object, logprobs: object | null = null, finish: string | null = null): object {
    return { index: this.#options.index, delta, logprobs, finish_reason: finish };
  }

  #message({ chat, model, finish }: TextResult): Message {
    const { hasTools, isForced, isSingleCall, callId } = this.#options;
    if (!hasTools || chat === null) return { content: this.#gathered.text, calls: [] };
    const { content, calls } = readMessage(chat, model, callId);
    if (isForced && finish === 'stop' && calls.length === 0) {
      throw unreadable(model, 'it has no call, and the text is in the form of call_form');
    }
    return { content, calls: isSingleCall ? calls.slice(0, 1) : calls };
  }

  #logprobs(tokens: readonly TextToken[]): object | null {
    const { topLogprobs } = this.#options;
    if (topLogprobs === null) return null;
    const content = tokens.map((token) => ({
      ...likelihood(token),
      top_logprobs: token.top.slice(0, topLogprobs).map(likelihood),
    }));
    return { content, refusal: null };
  }
}

function likelihood(token: SpelledToken & { readonly logprob: number | null }): object {
  const { text, logprob, bytes = [...Buffer.from(text)] } = token;
  return { token: text, logprob: finiteLogprob(logprob), bytes };
}

/** An answer that was cut may have calls that were not finished. */
function finishOf({ finish }: TextResult, calls: readonly ToolCall[]): string {
  return finish === 'stop' && calls.length > 0 ? 'tool_calls' : finish;
}

/** What `answer_chat` of the package made of the text. */
function readMessage(json: string, model: string, callId: () => string): Message {
  const { content, tool_calls: calls } = parsed(json, model);
  if (content !== undefined && content !== null && typeof content !== 'string') {
    throw unreadable(model, 'content is no text');
  }
  if (calls === undefined || calls === null) return { content: content ?? null, calls: [] };
  if (!Array.isArray(calls)) throw unreadable(model, 'tool_calls is no array');
  return {
    content: content ?? null,
    calls: calls.map((call: unknown) => readCall(call, model, callId)),
  };
}

function parsed(json: string, model: string): { content?: unknown; tool_calls?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw unreadable(model, (error as Error).message);
  }
  if (typeof value === 'object' && value !== null) return value;
  throw unreadable(model, 'it is no object');
}

/** `{name, arguments}`, alone or as OpenAI wraps it; arguments as a value or as JSON text. */
function readCall(value: unknown, model: string, callId: () => string): ToolCall {
  const call = (value ?? {}) as { id?: unknown; function?: unknown };
  const called = (call.function ?? call) as { name?: unknown; arguments?: unknown };
  if (typeof called.name !== 'string') throw unreadable(model, 'a call has no name');
  const given = called.arguments ?? {};
  return {
    id: typeof call.id === 'string' ? call.id : callId(),
    type: 'function',
    function: {
      name: called.name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    },
  };
}

function unreadable(model: string, why: string): StatusError {
  return new StatusError('internal', `answer_chat of ${model} gave no message: ${why}`);
}
