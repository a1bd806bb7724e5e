/**
 * What the `openai` client must see of a server of text: run against the fake server in test/http
 * and against real ones. It knows no answer, only how answers hang together.
 */
import OpenAI, { APIUserAbortError, BadRequestError, NotFoundError } from 'openai';
import * as assert from 'uvu/assert';

export interface TextSubject {
  /** With `/v1` at the end. */
  readonly baseURL: string;
  readonly model: string;
  /** What is asked of the model; it must answer with two tokens at least. */
  readonly prompt: string;
  /** The package has a template for conversations. */
  readonly hasChat: boolean;
}

const few = { max_tokens: 8, temperature: 0 };

export async function textConformance(subject: TextSubject): Promise<void> {
  const client = new OpenAI({ baseURL: subject.baseURL, apiKey: 'unused', maxRetries: 0 });
  await completes(client, subject);
  await completesInStreams(client, subject);
  if (subject.hasChat) {
    await chats(client, subject);
    await chatsInStreams(client, subject);
  }
  await typedErrors(client, subject);
  await aborts(client, subject);
  // Whatever went wrong before, the next request succeeds.
  await completes(client, subject);
}

async function completes(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const asked = { model, prompt, ...few };
  const answer = await client.completions.create({ ...asked, n: 2, logprobs: 1 });
  assert.is(answer.object, 'text_completion');
  assert.equal(
    answer.choices.map(({ index }) => index),
    [0, 1],
  );
  const [first, second] = answer.choices;
  assert.is(first!.text, second!.text, 'without temperature all answers are one');
  assert.is(first!.logprobs?.tokens?.length, first!.logprobs?.token_logprobs?.length);
  assert.ok(first!.logprobs!.token_logprobs!.every((value) => value <= 0));
  const { usage } = answer;
  assert.ok(usage!.prompt_tokens > 0 && usage!.completion_tokens > 0);
  assert.is(usage!.total_tokens, usage!.prompt_tokens + usage!.completion_tokens);
  const echoed = await client.completions.create({ ...asked, echo: true });
  assert.is(echoed.choices[0]!.text, prompt + first!.text);
}

async function completesInStreams(client: OpenAI, subject: TextSubject): Promise<void> {
  const { model, prompt } = subject;
  const asked = { model, prompt, ...few };
  const whole = await client.completions.create(asked);
  const stream = await client.completions.create({
    ...asked,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let usage: unknown = null;
  const finishes: string[] = [];
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? '';
    const finish = chunk.choices[0]?.finish_reason ?? null;
    if (finish !== null) finishes.push(finish);
    usage = chunk.usage ?? usage;
  }
  assert.is(text, whole.choices[0]!.text);
  assert.equal(finishes, [whole.choices[0]!.finish_reason]);
  assert.is((usage as { total_tokens: number }).total_tokens, whole.usage!.total_tokens);
}

async function chats(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const answer = await client.chat.completions.create({
    model,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    ...few,
    logprobs: true,
    top_logprobs: 2,
  });
  const [choice] = answer.choices;
  assert.is(choice!.message.role, 'assistant');
  assert.type(choice!.message.content, 'string');
  assert.ok(choice!.finish_reason === 'stop' || choice!.finish_reason === 'length');
  const logprobs = choice!.logprobs!.content!;
  assert.ok(logprobs.length > 0 && logprobs.every((token) => token.top_logprobs.length <= 2));
}

async function chatsInStreams(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const asked = { model, messages: [{ role: 'user' as const, content: prompt }], ...few };
  const whole = await client.chat.completions.create(asked);
  const runner = client.chat.completions.stream({
    ...asked,
    stream_options: { include_usage: true },
  });
  const streamed = await runner.finalChatCompletion();
  assert.is(streamed.choices[0]!.message.content, whole.choices[0]!.message.content);
  assert.is(streamed.choices[0]!.finish_reason, whole.choices[0]!.finish_reason);
  assert.is(streamed.usage?.completion_tokens, whole.usage?.completion_tokens);
}

async function typedErrors(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const unknown = await failure(client.completions.create({ model: 'no-such-model', prompt }));
  assert.instance(unknown, NotFoundError);
  assert.is((unknown as NotFoundError).code, 'model_not_found');
  const hot = await failure(client.completions.create({ model, prompt, temperature: 3 }));
  assert.instance(hot, BadRequestError);
  assert.is((hot as BadRequestError).param, 'temperature');
  // A stream that does not begin is an error like any other.
  const messages = [{ role: 'user' as const, content: prompt }];
  const asked = { model: 'no-such-model', messages, stream: true } as const;
  assert.instance(await failure(client.chat.completions.create(asked)), NotFoundError);
}

async function aborts(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const stream = await client.completions.create({ model, prompt, ...few, stream: true });
  for await (const chunk of stream) {
    assert.is(chunk.object, 'text_completion');
    break;
  }
  const controller = new AbortController();
  controller.abort();
  const options = { signal: controller.signal };
  const left = await failure(client.completions.create({ model, prompt }, options));
  assert.instance(left, APIUserAbortError);
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.unreachable('the request should have failed');
}
