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

  /** Runs `call` as one that is open; it rejects and never throws. */
  hold<Answer>(
    { requestId, model }: Pick<OpenCall, 'requestId' | 'model'>,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const open = { requestId, model, sinceMs: this.#clock.now() };
    this.#calls.add(open);
    return call().then(
      (answer) => {
        this.#calls.delete(open);
        return answer;
      },
      (error: unknown) => {
        this.#calls.delete(open);
        throw error;
      },
    );
  }

  get all(): readonly OpenCall[] {
    return [...this.#calls];
  }
}
