/**
 * Traffic of every kind that a recording has, as clients of a server behind a socket: lanes that go
 * on side by side, each a conversation of its own. `rounds` repeats all of it; what is asked
 * differs from round to round, and so do the answers.
 */
import type { EventStreamReading } from './event-stream.js';
import { readEvents } from './event-stream.js';

/** Ids of packages by what they are asked for. */
export interface MixedModels {
  readonly embeddings: string;
  readonly decisions: string;
  readonly text: string;
  readonly sequence: string | null;
  /** Folder of a package that a request registers and removes; it has this id. */
  readonly passing: { readonly id: string; readonly folder: string } | null;
}

export interface Sent {
  readonly status: number;
  readonly text: string;
  json(): Record<string, unknown>;
}

export class MixedTraffic {
  readonly #url: string;
  readonly #models: MixedModels;
  /** Answers by status. */
  readonly statuses = new Map<number, number>();
  left = 0;

  constructor(url: string, models: MixedModels) {
    this.#url = url;
    this.#models = models;
  }

  get count(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0) + this.left;
  }

  async round(at: number): Promise<void> {
    await Promise.all([
      this.#finite(at),
      this.#texts(at),
      this.#streams(at),
      this.#session(at),
      this.#sequences(at),
      this.#leavers(at),
      this.#changes(at),
    ]);
  }

  async send(method: string, path: string, body?: unknown, more: RequestInit = {}): Promise<Sent> {
    const response = await fetch(`${this.#url}${path}`, this.#init(method, body, more));
    const text = await response.text();
    this.#saw(response.status);
    return {
      status: response.status,
      text,
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  }

  #init(method: string, body: unknown, more: RequestInit): RequestInit {
    const headers = { 'content-type': 'application/json', ...more.headers };
    return { method, ...more, headers, body: body === undefined ? null : JSON.stringify(body) };
  }

  #saw(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  async #stream(path: string, body: object, reading: EventStreamReading = {}): Promise<number> {
    const init = this.#init('POST', { ...body, stream: true }, reading.init ?? {});
    const response = await fetch(`${this.#url}${path}`, init);
    const { events, hasLeft } = await readEvents(response, reading);
    if (hasLeft) this.left += 1;
    else this.#saw(response.status);
    return events;
  }

  async #finite(at: number): Promise<void> {
    const { embeddings: model, decisions } = this.#models;
    const input = [`one of ${at}`, `and another ${'x'.repeat(at % 40)}`];
    await this.send('POST', '/v1/embeddings', { model, input });
    await this.send('POST', '/v1/embeddings', { model, input: 'alone', encoding_format: 'base64' });
    const questions = { kind: 'choice', text: `bonjour ${at}`, labels: ['fra', 'eng', 'deu'] };
    await this.send('POST', '/v1/decisions', { model: decisions, questions });
    await this.send('POST', '/v1/embeddings', { model });
    await this.send('POST', '/v1/embeddings', { model: 'nobody', input });
    await this.send('GET', '/v1/models');
  }

  async #texts(at: number): Promise<void> {
    const { text: model } = this.#models;
    const prompt = `In the beginning of ${at}`;
    const seeded = { model, prompt, max_tokens: 12, temperature: 1, seed: at };
    await this.send('POST', '/v1/completions', seeded);
    await this.send('POST', '/v1/completions', { model, prompt, max_tokens: 8, n: 2 });
    await this.send('POST', '/v1/completions', { ...seeded, logprobs: 2, max_tokens: 4 });
    const messages = [{ role: 'user', content: `who are you, number ${at}?` }];
    await this.send('POST', '/v1/chat/completions', { model, messages, max_tokens: 10 });
    await this.send('POST', '/tokenize', { model, prompt });
  }

  async #streams(at: number): Promise<void> {
    const { text: model } = this.#models;
    const messages = [{ role: 'user', content: `say more of ${at}` }];
    // Without a seed: what is drawn depends on the id of the request.
    const chat = { model, messages, max_tokens: 16, temperature: 1 };
    await this.#stream('/v1/chat/completions', chat);
    const usage = { stream_options: { include_usage: true } };
    await this.#stream('/v1/completions', { model, prompt: 'And', max_tokens: 12, n: 2, ...usage });
    await this.#stream('/v1/completions', { model, prompt: 'Or', max_tokens: 6, logprobs: 1 });
  }

  async #session(at: number): Promise<void> {
    const { text: model } = this.#models;
    const opened = await this.send('POST', '/v1/sessions', { model });
    if (opened.status !== 201) return;
    const path = `/v1/sessions/${opened.json()['id'] as string}`;
    await this.send('POST', `${path}/append`, { prompt: `It came to pass in ${at}` });
    await this.send('POST', `${path}/checkpoint`);
    const turn = { prompt: ' that', max_tokens: 8, temperature: 1 };
    await this.send('POST', `${path}/generate`, turn);
    const forked = await this.send('POST', `${path}/fork`);
    if (forked.status === 201) {
      const fork = `/v1/sessions/${forked.json()['id'] as string}`;
      await Promise.all([
        this.#stream(`${fork}/generate`, { max_tokens: 6, seed: 5 }),
        this.send('POST', `${path}/generate`, { max_tokens: 6, seed: 6 }),
      ]);
      await this.send('DELETE', fork);
    }
    await this.send('POST', `${path}/rewind`, { tokens: 3 });
    await this.send('POST', `${path}/generate`, { max_tokens: 5, temperature: 0 });
    await this.send('POST', `${path}/restore`, { checkpoint: 'checkpoint-1' });
    await this.send('GET', path);
    await this.send('DELETE', path);
    await this.send('POST', `${path}/generate`, turn);
  }

  /** What one session holds is saved, and another goes on with it. */
  async saved(name: string): Promise<void> {
    const { text: model } = this.#models;
    const opened = await this.send('POST', '/v1/sessions', { model });
    const path = `/v1/sessions/${opened.json()['id'] as string}`;
    await this.send('POST', `${path}/append`, { prompt: 'what shall be kept' });
    await this.send('POST', `${path}/save`, { name });
    const restored = await this.send('POST', '/v1/sessions', { model, restore: name });
    const other = `/v1/sessions/${restored.json()['id'] as string}`;
    await this.send('POST', `${other}/generate`, { max_tokens: 6, temperature: 1 });
    await Promise.all([path, other].map((one) => this.send('DELETE', one)));
  }

  async #sequences(at: number): Promise<void> {
    const { sequence: model } = this.#models;
    if (model === null) return;
    const input = [[1, 2, 3 + (at % 900)], [7]];
    await this.send('POST', '/v1/sequences', { model, input });
    const opened = await this.send('POST', '/v1/sessions', { model });
    if (opened.status !== 201) return;
    const session = opened.json()['id'] as string;
    await this.send('POST', '/v1/sequences', { model, input: [4, 5, 6], session });
    await this.send('POST', `/v1/sessions/${session}/append`, { prompt: [8, 9] });
    await this.send('DELETE', `/v1/sessions/${session}`);
  }

  /** One goes in the middle of its stream, one of a session too; one is cancelled by its id. */
  async #leavers(at: number): Promise<void> {
    const { text: model } = this.#models;
    const long = { model, prompt: `A long one, ${at}`, max_tokens: 300, temperature: 0 };
    await this.#stream('/v1/completions', long, { leavesAfter: 3 });
    const opened = await this.send('POST', '/v1/sessions', { model });
    if (opened.status === 201) {
      const path = `/v1/sessions/${opened.json()['id'] as string}`;
      await this.#stream(`${path}/generate`, { ...long, model: undefined }, { leavesAfter: 2 });
      await this.send('DELETE', path);
    }
    const id = `cancelled-${at}`;
    const init = { headers: { 'x-request-id': id } };
    const onEvent = async (events: number): Promise<void> => {
      if (events === 2) await this.send('DELETE', `/v1/requests/${id}`);
    };
    await this.#stream('/v1/completions', long, { init, onEvent });
  }

  async #changes(at: number): Promise<void> {
    const { passing } = this.#models;
    if (passing === null) return;
    const { id: model, folder } = passing;
    await this.send('POST', '/admin/models?wait', { package: folder });
    await this.send('POST', '/v1/embeddings', { model, input: `passing ${at}` });
    await this.send('DELETE', `/admin/models/${model}`);
    await this.send('POST', '/v1/embeddings', { model, input: `gone ${at}` });
  }
}
