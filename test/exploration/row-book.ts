/**
 * The device's side of rows, in plain data: whose are there, who waits for room in a line, who is
 * asked to leave. What `runtime/memory/row-table.ts` and the line of admissions decide, said again
 * in a few words: the head of the line has rows that rest leave and asks for those in use;
 * meanwhile whoever fits passes it.
 *
 * The memory of rows has one mailbox: what its own thread tells it is there at once, what its
 * generation tells it is on its way first.
 */
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { MachineTable } from '../../runtime/system/machine-table.js';
import type { ChartKind, Draft } from './chart-world.js';

type News = 'granted' | 'cancelled' | 'wanted' | 'evicted';

export interface RowBookState {
  room: number;
  line: string[];
  /** By model, like all that follows. */
  rows: Record<string, 'absent' | 'inUse' | 'resting' | 'leaving'>;
  isWanted: Record<string, boolean>;
  /** On its way to the generation. */
  news: Record<string, News[]>;
  /** They have left, and the generation has not heard of it. */
  isStale: Record<string, boolean>;
  /** From the generation, and not there yet. */
  onTheWay: Record<string, string[]>;
  mailbox: Record<string, MachineEvent[]>;
}

type Change<Outside> = readonly [string, (draft: Draft<Outside>) => void];

export class RowBook<Outside extends RowBookState> {
  readonly #rowsOf: (model: string) => string;

  constructor(rowsOf: (model: string) => string) {
    this.#rowsOf = rowsOf;
  }

  kind(table: MachineTable, modelOf: (chart: string) => string): ChartKind<Outside> {
    type Here = Draft<Outside>;
    const effect =
      (does: (draft: Here, model: string) => void) =>
      (draft: Here, { name }: { readonly name: string }): void =>
        does(draft, modelOf(name));
    return {
      table,
      effects: {
        askRoom: effect((draft, model) => {
          draft.outside.line.push(model);
          this.#settle(draft);
        }),
        withdrawAsk: effect((draft, model) => this.#withdraw(draft, model)),
        tellWanted: effect((draft, model) => draft.outside.news[model]!.push('wanted')),
        restRows: effect((draft, model) => {
          this.#expect(draft, model, 'inUse');
          draft.outside.rows[model] = 'resting';
          draft.outside.isWanted[model] = false;
          this.#settle(draft);
        }),
        tellEvicted: effect((draft, model) => {
          draft.outside.isStale[model] = true;
          draft.outside.news[model]!.push('evicted');
        }),
        releaseStorage: effect((draft, model) => {
          this.#expect(draft, model, 'leaving');
          draft.outside.rows[model] = 'absent';
          this.#settle(draft);
        }),
      },
    };
  }

  /** Messages to the memory of its rows that arrive, or are handled. */
  moves({ onTheWay, mailbox }: Outside, model: string): Change<Outside>[] {
    const list: Change<Outside>[] = [];
    const [coming] = onTheWay[model]!;
    if (coming !== undefined) {
      const arrive = ({ outside }: Draft<Outside>): void =>
        void outside.mailbox[model]!.push({ type: outside.onTheWay[model]!.shift()! });
      list.push([`${coming} of ${model} arrives`, arrive]);
    }
    const [next] = mailbox[model]!;
    if (next !== undefined) {
      const handle = (draft: Draft<Outside>): void =>
        draft.step(this.#rowsOf(model), draft.outside.mailbox[model]!.shift()!);
      list.push([`${next.type} of ${model}`, handle]);
    }
    return list;
  }

  /** The next of the news. */
  hear(draft: Draft<Outside>, model: string): News {
    const { news, isStale } = draft.outside;
    const next = news[model]!.shift()!;
    if (next === 'evicted') isStale[model] = false;
    if (next === 'granted' && isStale[model]) {
      draft.fault(`the rows of ${model} have left and come back, and it has not heard of it`);
    }
    return next;
  }

  breach({ rows, room }: Outside): string | null {
    const there = Object.values(rows).filter((state) => state !== 'absent').length;
    return there > room ? `I7: rows of ${there} models are there, those of ${room} fit` : null;
  }

  #expect(draft: Draft<Outside>, model: string, due: RowBookState['rows'][string]): void {
    const state = draft.outside.rows[model]!;
    if (state !== due) draft.fault(`I1: the rows of ${model} are ${state} instead of ${due}`);
  }

  #withdraw(draft: Draft<Outside>, model: string): void {
    const { outside } = draft;
    if (!outside.line.includes(model)) return;
    outside.line = outside.line.filter((one) => one !== model);
    outside.news[model]!.push('cancelled');
    const isThere = outside.rows[model] === 'resting';
    outside.mailbox[model]!.push({ type: 'rows.refused', isThere });
    this.#settle(draft);
  }

  #settle(draft: Draft<Outside>): void {
    const { outside } = draft;
    for (const model of [...outside.line])
      if (this.#fits(outside, model)) this.#admit(draft, model);
    const [head] = outside.line;
    if (head !== undefined && outside.rows[head] === 'absent') this.#makeRoom(draft, head);
  }

  #fits({ rows, room }: Outside, model: string): boolean {
    if (rows[model] === 'resting') return true;
    const there = Object.values(rows).filter((state) => state !== 'absent').length;
    return rows[model] === 'absent' && there < room;
  }

  #admit(draft: Draft<Outside>, model: string): void {
    const { outside } = draft;
    outside.line = outside.line.filter((one) => one !== model);
    outside.rows[model] = 'inUse';
    outside.isWanted[model] = false;
    outside.news[model]!.push('granted');
    outside.mailbox[model]!.push({ type: 'rows.placed' });
  }

  /** One that rests leaves, or is on its way; where none does, one in use is asked for. */
  #makeRoom(draft: Draft<Outside>, head: string): void {
    const { rows, isWanted, mailbox } = draft.outside;
    const others = Object.keys(rows).filter((one) => one !== head);
    if (others.some((one) => rows[one] === 'leaving')) return;
    const idle = others.find((one) => rows[one] === 'resting');
    if (idle !== undefined) {
      rows[idle] = 'leaving';
      mailbox[idle]!.push({ type: 'rows.evict' });
      return;
    }
    const busy = others.find((one) => rows[one] === 'inUse');
    if (busy === undefined || others.some((one) => isWanted[one])) return;
    isWanted[busy] = true;
    mailbox[busy]!.push({ type: 'rows.want' });
  }
}
