/**
 * Asks the server for what the console shows. Where it wants a token, the page asks for it once and
 * keeps it as long as the tab is open.
 */
import { eventsOf } from './event-stream.js';
import type { Chart, Explanation, RecordBatch, RequestRow, Tree } from './wire.js';

const tokenKey = 'loom-serve admin token';

/** The server wants a token, or another one. */
export class TokenWanted extends Error {}

export class ServerClient {
  useToken(token: string): void {
    sessionStorage.setItem(tokenKey, token);
  }

  async charts(): Promise<readonly Chart[]> {
    return ((await this.#json('/console/charts')) as { charts: readonly Chart[] }).charts;
  }

  async tree(): Promise<Tree> {
    return (await this.#json('/console/tree')) as Tree;
  }

  async requests(): Promise<readonly RequestRow[]> {
    const answer = await this.#json('/console/requests');
    return (answer as { requests: readonly RequestRow[] }).requests;
  }

  async isRecording(): Promise<boolean> {
    return ((await this.#json('/console/recording')) as { recording: boolean }).recording;
  }

  async setRecording(recording: boolean): Promise<boolean> {
    const answer = await this.#json('/console/recording', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ recording }),
    });
    return (answer as { recording: boolean }).recording;
  }

  async explain(request: string): Promise<readonly Explanation[]> {
    const path = `/admin/explain/${encodeURIComponent(request)}`;
    const answer = await this.#json(path).catch(() => ({ explanations: [] }));
    return (answer as { explanations: readonly Explanation[] }).explanations;
  }

  /** What is kept of the recording, as a file. */
  async trace(): Promise<Blob> {
    return (await this.#fetch('/console/trace')).blob();
  }

  /** Batches with their ids, from the one after `from`, until the connection ends. */
  async *records(
    from: number,
  ): AsyncGenerator<{ readonly id: number; readonly batch: RecordBatch }> {
    const answer = await this.#fetch(`/console/events?from=${from}`);
    if (answer.body === null) return;
    for await (const { id, data } of eventsOf(answer.body)) {
      yield { id: Number(id), batch: JSON.parse(data) as RecordBatch };
    }
  }

  async #json(path: string, init: RequestInit = {}): Promise<unknown> {
    return (await this.#fetch(path, init)).json();
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = sessionStorage.getItem(tokenKey);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const answer = await fetch(path, { ...init, headers });
    if (answer.ok) return answer;
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    const message = error?.message ?? `the server answers ${answer.status}`;
    throw answer.status === 401 ? new TokenWanted(message) : new Error(message);
  }
}
