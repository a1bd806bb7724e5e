/**
 * Calls that the server has taken from http and not answered: by which it knows a request that no
 * actor shows, because it is on its way or its thread does not answer.
 */
import { ChurnSet } from '../../runtime/base/churn-map.js';
import type { Clock } from '../../runtime/base/ports.js';

export interface OpenCall {
  readonly requestId: string;
  readonly model: string;
  readonly sinceMs: number;
}

export class OpenCalls {
  readonly #clock: Clock;
  readonly #calls = new ChurnSet<OpenCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `call` as one that is open. */
  async hold<Answer>(
    { requestId, model }: Pick<OpenCall, 'requestId' | 'model'>,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const open = { requestId, model, sinceMs: this.#clock.now() };
    this.#calls.add(open);
    try {
      return await call();
    } finally {
      this.#calls.delete(open);
    }
  }

  get all(): readonly OpenCall[] {
    return [...this.#calls];
  }
}
