/**
 * What the `openai` client must see of a server of embeddings: run against the fake server in
 * test/http and against the real one. `oracle` says the vector of a text by other means.
 */
import OpenAI, {
  APIConnectionTimeoutError,
  APIUserAbortError,
  BadRequestError,
  NotFoundError,
} from 'openai';
import * as assert from 'uvu/assert';

export interface EmbeddingsSubject {
  /** With `/v1` at the end. */
  readonly baseURL: string;
  readonly model: string;
  readonly oracle: (text: string) => readonly number[];
  /** Bound of the difference to the oracle; 0 where sums are exact. */
  readonly tolerance: number;
  /** Makes requests slow enough to be aborted; undone by the function that it gives back. */
  readonly hold?: () => () => void;
}

const texts = ['abc', 'hello', 'ünïcödé €', 'a'.repeat(500), '0'];

export async function embeddingsConformance(subject: EmbeddingsSubject): Promise<void> {
  const client = new OpenAI({ baseURL: subject.baseURL, apiKey: 'unused', maxRetries: 0 });
  await listsModels(client, subject);
  await embeds(client, subject);
  await typedErrors(client, subject);
  if (subject.hold !== undefined) await aborts(client, subject, subject.hold);
  // Whatever went wrong before, the next request succeeds.
  await embeds(client, subject);
}

async function listsModels(client: OpenAI, { model }: EmbeddingsSubject): Promise<void> {
  const ids: string[] = [];
  for await (const listed of client.models.list()) ids.push(listed.id);
  assert.ok(ids.includes(model), `models list ${model}`);
  const one = await client.models.retrieve(model);
  assert.is(one.id, model);
  assert.is(one.object, 'model');
}

/** Without `encoding_format` the client asks for base64 and decodes it. */
async function embeds(client: OpenAI, subject: EmbeddingsSubject): Promise<void> {
  const { model } = subject;
  for (const encoding of [undefined, 'float', 'base64'] as const) {
    const answer = await client.embeddings.create({
      model,
      input: texts,
      ...(encoding === undefined ? {} : { encoding_format: encoding }),
    });
    assert.is(answer.object, 'list');
    assert.is(answer.model, model);
    assert.ok(answer.usage.prompt_tokens > 0);
    assert.is(answer.usage.total_tokens, answer.usage.prompt_tokens);
    assert.is(answer.data.length, texts.length);
    for (const [index, row] of answer.data.entries()) {
      assert.is(row.index, index);
      closeTo(valuesOf(row.embedding), subject.oracle(texts[index] ?? ''), subject.tolerance);
    }
  }
  const single = await client.embeddings.create({ model, input: 'abc' });
  closeTo(single.data[0]?.embedding ?? [], subject.oracle('abc'), subject.tolerance);
}

/** Asked for base64 by name, the client hands the text through. */
function valuesOf(embedding: readonly number[] | string): readonly number[] {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

function closeTo(actual: readonly number[], wanted: readonly number[], tolerance: number): void {
  assert.is(actual.length, wanted.length);
  for (const [index, value] of actual.entries()) {
    const gap = Math.abs(value - (wanted[index] ?? NaN));
    assert.ok(gap <= tolerance, `value ${index}: ${value}, the oracle says ${wanted[index]}`);
  }
}

async function typedErrors(client: OpenAI, { model }: EmbeddingsSubject): Promise<void> {
  const unknown = await failure(client.embeddings.create({ model: 'no-such-model', input: 'a' }));
  assert.instance(unknown, NotFoundError);
  assert.is((unknown as NotFoundError).code, 'model_not_found');
  assert.is((unknown as NotFoundError).param, 'model');
  const empty = await failure(client.embeddings.create({ model, input: '' }));
  assert.instance(empty, BadRequestError);
  assert.is((empty as BadRequestError).param, 'input');
  assert.is((empty as BadRequestError).type, 'invalid_request_error');
  assert.ok((empty as BadRequestError).requestID, 'the request id is in the error');
  const missing = await failure(client.models.retrieve('no-such-model'));
  assert.instance(missing, NotFoundError);
}

async function aborts(
  client: OpenAI,
  { model }: EmbeddingsSubject,
  hold: () => () => void,
): Promise<void> {
  const release = hold();
  try {
    const controller = new AbortController();
    const pending = failure(
      client.embeddings.create({ model, input: 'abc' }, { signal: controller.signal }),
    );
    setTimeout(() => controller.abort(), 50);
    assert.instance(await pending, APIUserAbortError);
    const late = await failure(
      client.embeddings.create({ model, input: 'abc' }, { timeout: 50, maxRetries: 0 }),
    );
    assert.instance(late, APIConnectionTimeoutError);
  } finally {
    release();
  }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.unreachable('the request should have failed');
}
