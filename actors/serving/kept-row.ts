/**
 * What a session does with its row between turns: changes that are over at once, and the points
 * that it can go back to. Plain object of the session's actor; the row is the store's.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { Checkpoint, Row } from '../../runtime/text/retained-row.js';
import type { SessionChange } from '../../http/text-serving.js';
import type { SessionAnswer } from '../protocol.js';
import type { SessionHome } from './session-home.js';

/** Each keeps pages, maybe a state, and a copy of the ids. */
const checkpointsMax = 64;

export interface KeptRowInput {
  readonly id: string;
  /** Null for the one turn of a request: nobody asks such a session for changes. */
  readonly row: Row | null;
  readonly home: SessionHome;
}

export class KeptRow {
  readonly #input: KeptRowInput;
  readonly #checkpoints = new Map<string, Checkpoint>();
  #checkpointed = 0;

  constructor(input: KeptRowInput) {
    this.#input = input;
  }

  describe(state: SessionAnswer['state']): SessionAnswer {
    const { id, row, home } = this.#input;
    return {
      id,
      state,
      tokens: row?.ids.length ?? 0,
      checkpoints: [...this.#checkpoints].map(([name, { ids }]) => ({
        id: name,
        tokens: ids.length,
      })),
      context: home.geometry.context,
    };
  }

  /** The changed session; of a fork the new one. Throws what cannot be. */
  change(change: SessionChange): SessionAnswer {
    const { home } = this.#input;
    const row = this.#input.row!;
    const { store } = home;
    this.check();
    switch (change.op) {
      case 'fork': {
        const made = home.hasRoom() ? store.fork(row) : null;
        if (made === null) throw home.noRow();
        return home.open(made);
      }
      case 'rewind':
        this.#checkRewind(change.tokens, row);
        store.rewind(row, change.tokens);
        break;
      case 'checkpoint':
        this.#checkRoom();
        this.#checkpointed += 1;
        this.#checkpoints.set(`checkpoint-${this.#checkpointed}`, home.turns.rows.checkpoint(row));
        break;
      case 'restore':
        store.restore(row, this.#checkpoint(change.checkpoint));
    }
    return this.describe('idle');
  }

  /** Throws where what the row held is gone for good. */
  check(): void {
    const { row, home } = this.#input;
    const loss = row === null ? null : home.turns.rows.lossOf(row);
    if (loss !== null) throw StatusError.from(loss);
  }

  dropCheckpoints(): void {
    const { rows } = this.#input.home.turns;
    for (const checkpoint of this.#checkpoints.values()) rows.dropCheckpoint(checkpoint);
  }

  #checkRoom(): void {
    const { size } = this.#checkpoints;
    if (size < checkpointsMax) return;
    throw new StatusError(
      'resourceExhausted',
      `session ${this.#input.id} has ${size} checkpoints; ${checkpointsMax} are possible, ` +
        'and go with the session: go on in a fork of it',
      { param: 'session', retryAfterS: 1 },
    );
  }

  #checkRewind(tokens: number, row: Row): void {
    if (Number.isInteger(tokens) && tokens >= 0 && tokens <= row.ids.length) return;
    throw new StatusError(
      'failedPrecondition',
      `a rewind to ${tokens} tokens of session ${this.#input.id}, which has ${row.ids.length}`,
      { param: 'tokens' },
    );
  }

  #checkpoint(id: string): Checkpoint {
    const found = this.#checkpoints.get(id);
    const loss = found === undefined ? null : this.#input.home.turns.rows.lossOf(found);
    if (loss !== null) throw StatusError.from(loss);
    if (found !== undefined) return found;
    const known = [...this.#checkpoints.keys()].join(', ') || 'none';
    throw new StatusError(
      'notFound',
      `session ${this.#input.id} has no checkpoint '${id}' (it has ${known})`,
      { param: 'checkpoint' },
    );
  }
}
