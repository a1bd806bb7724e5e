/**
 * A turn table without a device: real rows, epochs that end when they are taken, and a model that
 * says the next number. A thousand turns take milliseconds.
 */
import { TurnTable, type EpochWork } from '../../../actors/serving/turn-table.js';
import { Turn, type TurnInput } from '../../../actors/serving/turn.js';
import type { EvictedSessions } from '../../../http/text-serving.js';
import type { TextControl } from '../../../runtime/packages/text-control.js';
import type { TextGeometry } from '../../../runtime/profiles/text.js';
import type { Row } from '../../../runtime/text/retained-row.js';
import { RowStore } from '../../../runtime/text/row-store.js';

export const VOCABULARY = 1_000;

export class EpochDriver {
  readonly store: RowStore;
  readonly table: TurnTable;
  /** Kinds of what each turn's session was told. */
  readonly told = new Map<Turn, string[]>();
  /** Sessions whose contents are gone for good. */
  readonly lost: string[] = [];
  epochs = 0;
  #streams = 0;
  #nowMs = 0;

  constructor(geometry: TextGeometry, evictedSessions: EvictedSessions = 'replay') {
    this.store = new RowStore(geometry);
    this.table = new TurnTable({
      control: {} as TextControl,
      store: this.store,
      geometry,
      now: () => (this.#nowMs += 1),
      tell: (turn, kind) => void this.told.get(turn)!.push(kind),
      publish: (turn, { delta }) => void (delta !== null && (turn.sent += 1)),
      flush: () => undefined,
      evictedSessions,
      lost: (session) => void this.lost.push(session),
      kindOf: () => 'text',
      propose: () => [],
      unproposed: () => undefined,
    });
  }

  turn(prompt: readonly number[], maxTokens: number | null, row: Row | null = null): Turn {
    this.#streams += 1;
    const made = new Turn({ ...plain, prompt, maxTokens, stream: this.#streams });
    this.told.set(made, []);
    this.table.queue(made, row);
    return made;
  }

  /** Takes what its reader holds; a row of its own goes back when it has ended. */
  read(turn: Turn): void {
    while (turn.taken < turn.sent && this.isOpen(turn)) this.table.took(turn.input.stream!);
  }

  isOpen(turn: Turn): boolean {
    return !this.told.get(turn)!.some((kind) => /^turn\.(ended|failed|settled)$/.test(kind));
  }

  /** One epoch; what it took, or null when nobody can go on. */
  step(): EpochWork | null {
    const work = this.table.next();
    if (work === null) return null;
    this.epochs += 1;
    for (const span of work.spans) {
      const { ids, selects } = span.span;
      const selected = selects ? (ids.at(-1)! + 1) % VOCABULARY : null;
      this.table.commit(span, { completed: ids.length, selected, details: [] }, null);
    }
    this.store.settle(work.hold);
    for (const { turn } of work.spans) {
      if (!this.isOpen(turn) && turn.isOwner && turn.row?.isOpen) this.store.close(turn.row);
    }
    return work;
  }
}

const plain: TurnInput = {
  session: 'test:/turn',
  stream: null,
  arrivedMs: 0,
  prompt: [],
  maxTokens: null,
  stop: [],
  bound: { bound: new Uint8Array(0), history: 0 },
  seed: 0n,
  details: true,
  grammar: null,
  scored: null,
  form: null,
  isCaptured: false,
  tokenizer: null,
  terminal: new Set<number>(),
};
