/**
 * The law of a stream, checked on the bytes that a client got: what comes first for a choice, its
 * deltas, exactly one reason for its end; usage alone where it was asked for; [DONE] once and last;
 * an error instead of [DONE], and nothing after it. It knows no code of the server.
 */
import * as assert from 'uvu/assert';

export interface LawOptions {
  readonly form: 'chat' | 'completion';
  /** Choices that were asked for. */
  readonly choices?: number;
  /** `stream_options.include_usage` was set. */
  readonly usage?: boolean;
  /** How it must end: complete, with an error event, or cut off anywhere. */
  readonly ends?: 'done' | 'error' | 'anywhere';
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details?: {
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
}

interface ToolCallDelta {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface ChunkChoice {
  readonly index: number;
  readonly delta?: {
    readonly role?: string;
    readonly content?: string;
    readonly tool_calls?: readonly ToolCallDelta[];
  };
  readonly text?: string;
  readonly logprobs: unknown;
  readonly finish_reason: string | null;
}

export interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly ChunkChoice[];
  readonly usage?: Usage | null;
  readonly timings?: Readonly<Record<string, number | null>>;
  readonly system_fingerprint?: string;
  readonly error?: { readonly message: string; readonly code: string; readonly type: string };
}

/** What a lawful stream said. */
export interface Heard {
  readonly texts: readonly string[];
  readonly finishes: readonly (string | null)[];
  readonly calls: readonly (readonly ToolCallDelta[])[];
  readonly logprobs: readonly (readonly unknown[])[];
  readonly usage: Usage | null;
  readonly error: Chunk['error'] | null;
  readonly comments: number;
  readonly chunks: readonly Chunk[];
}

/** Events of a whole body, in order; a last one that is cut off is left out. */
export function eventsOf(body: string): { readonly data: string[]; readonly comments: number } {
  const blocks = body.split('\n\n');
  blocks.pop();
  const data: string[] = [];
  let comments = 0;
  for (const block of blocks) {
    if (block.startsWith(':')) comments += 1;
    else {
      assert.match(block, /^data: [^\n]*$/, `one line of data, not ${JSON.stringify(block)}`);
      data.push(block.slice('data: '.length));
    }
  }
  return { data, comments };
}

export function checkLaw(body: string, options: LawOptions): Heard {
  const { form, choices = 1, usage = false, ends = 'done' } = options;
  const { data, comments } = eventsOf(body);
  if (ends !== 'anywhere') assert.ok(body.endsWith('\n\n'), 'the last event is whole');
  const doneAt = data.indexOf('[DONE]');
  if (doneAt >= 0) assert.is(doneAt, data.length - 1, '[DONE] is last and comes once');
  const chunks = data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as Chunk);
  const errorAt = chunks.findIndex((chunk) => chunk.error !== undefined);
  if (errorAt >= 0) {
    assert.is(errorAt, chunks.length - 1, 'nothing follows an error');
    assert.is(doneAt, -1, 'an error comes instead of [DONE]');
  }
  if (ends === 'done') assert.ok(doneAt >= 0, 'the stream ends with [DONE]');
  if (ends === 'error') assert.ok(errorAt >= 0, 'the stream ends with an error');
  const said = errorAt >= 0 ? chunks.slice(0, errorAt) : chunks;
  checkHeads(said, form);
  const heard = Array.from({ length: choices }, (_, index) => hearChoice(said, index, form));
  const total = said.flatMap((chunk) => chunk.choices);
  assert.ok(
    total.every(({ index }) => index >= 0 && index < choices),
    'no choice that was not asked for',
  );
  if (ends === 'done') {
    assert.ok(
      heard.every(({ finish }) => finish !== null),
      'every choice says why it ended',
    );
  }
  return {
    texts: heard.map(({ text }) => text),
    finishes: heard.map(({ finish }) => finish),
    calls: heard.map(({ calls }) => calls),
    logprobs: heard.map(({ logprobs }) => logprobs),
    usage: checkUsage(said, usage, doneAt >= 0),
    error: chunks[errorAt]?.error ?? null,
    comments,
    chunks: said,
  };
}

/** All chunks are of one answer. */
function checkHeads(chunks: readonly Chunk[], form: LawOptions['form']): void {
  const [first] = chunks;
  for (const { id, object, created, model } of chunks) {
    assert.is(object, form === 'chat' ? 'chat.completion.chunk' : 'text_completion');
    assert.equal([id, created, model], [first!.id, first!.created, first!.model]);
  }
}

function hearChoice(chunks: readonly Chunk[], index: number, form: LawOptions['form']) {
  const own = chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index));
  let finish: string | null = null;
  let text = '';
  const calls: ToolCallDelta[] = [];
  const logprobs: unknown[] = [];
  for (const [at, choice] of own.entries()) {
    assert.is(finish, null, 'nothing of a choice follows the reason for its end');
    finish = choice.finish_reason;
    if (form === 'chat') {
      const { delta } = choice;
      assert.is(delta?.role, at === 0 ? 'assistant' : undefined, 'the role comes first, and once');
      text += delta?.content ?? '';
      calls.push(...(delta?.tool_calls ?? []));
    } else {
      assert.type(choice.text, 'string');
      text += choice.text;
    }
    if (choice.logprobs !== null) logprobs.push(choice.logprobs);
  }
  return { text, finish, calls, logprobs };
}

function checkUsage(chunks: readonly Chunk[], wanted: boolean, isDone: boolean): Usage | null {
  const alone = chunks.filter((chunk) => chunk.choices.length === 0);
  if (!wanted) {
    assert.is(alone.length, 0, 'no chunk without choices where no usage was asked for');
    return null;
  }
  for (const chunk of chunks) {
    if (chunk.choices.length > 0) assert.is(chunk.usage, null, 'usage is null until the end');
  }
  if (!isDone) return null;
  assert.is(alone.length, 1, 'usage comes once');
  assert.is(chunks.indexOf(alone[0]!), chunks.length - 1, 'usage is the last chunk');
  const { usage } = alone[0]!;
  assert.ok(usage, 'the chunk without choices has usage');
  assert.is(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
  return usage;
}
