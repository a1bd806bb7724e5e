/**
 * Law I12 over HTTP: exactly one terminal a request. Every request has an id of its own; the server
 * writes one line when it is done with it (at debug level), counts it once, and a client that
 * stayed has one answer, with the status of that line.
 */
import * as assert from 'uvu/assert';

interface Sent {
  readonly id: string;
  /** What the client saw; null when it left before. */
  status: number | null;
}

export class History {
  readonly #sent: Sent[] = [];
  #next = 1;

  /** The id to send as x-request-id. */
  send(): Sent {
    const sent = { id: `history-${this.#next++}`, status: null };
    this.#sent.push(sent);
    return sent;
  }

  get length(): number {
    return this.#sent.length;
  }

  /** `output`: all that the server wrote. */
  isComplete(output: string): boolean {
    return terminals(output).size >= this.#sent.length;
  }

  /** Fails on a request without a terminal, with two, or with another one than its client saw. */
  check(output: string): void {
    const ends = terminals(output);
    for (const { id, status } of this.#sent) {
      const found = ends.get(id) ?? [];
      assert.is(found.length, 1, `${id} has ${found.length} terminals: ${found.join(', ')}`);
      if (status !== null) assert.is(found[0], status, `${id}: its client saw ${status}`);
    }
  }
}

/** Statuses by request id, from the lines of the log. */
function terminals(output: string): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const line of output.split('\n')) {
    if (!line.includes('"requestId":"history-')) continue;
    const { requestId, status } = JSON.parse(line) as { requestId: string; status: number };
    ends.set(requestId, [...(ends.get(requestId) ?? []), status]);
  }
  return ends;
}
