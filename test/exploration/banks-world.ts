/**
 * Banks and the cohorts that bind them, on a device with room for fewer banks than there are:
 * invocations ask in a line, the head has idle banks leave, absent ones are filled; a read fails,
 * an operator sends a bank away, a generation ends.
 *
 * Laws: a bank never leaves its users (I1), what is resident never exceeds the room (I7), whoever
 * asks is told once, nobody waits for ever; at the end every bank of an ended generation is gone.
 */
import { bank } from '../../actors/model/bank.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { ChartWorld, type ChartKind, type ChartState, type Draft } from './chart-world.js';

export interface BanksScope {
  readonly name: string;
  /** Banks that fit at a time. */
  readonly room: number;
  readonly banks: readonly string[];
  /** The banks that each invocation binds. */
  readonly cohorts: readonly (readonly string[])[];
  readonly failures: number;
  readonly dismissals: number;
  readonly retirements: number;
}

interface Booked {
  state: 'absent' | 'activating' | 'resident' | 'deactivating';
  users: number;
  isRetired: boolean;
  isLoading: boolean;
  isStopped: boolean;
}

interface Outside {
  budget: Pick<BanksScope, 'failures' | 'dismissals' | 'retirements'>;
  book: Record<string, Booked>;
  /** What each invocation does; `left` is how many banks it waits for. */
  cohorts: Record<string, 'new' | 'asks' | 'waits' | 'runs' | 'done' | 'failed'>;
  doomed: Record<string, boolean>;
  line: string[];
}

type Here = Draft<Outside>;
type Change = readonly [string, (draft: Here) => void];
const status = { code: 'dataLoss', message: 'a read failed' } as const;

const banksIn = (scope: BanksScope, cohort: string): readonly string[] =>
  scope.cohorts[Number(cohort.slice(1))]!;

class Book {
  readonly #scope: BanksScope;

  constructor(scope: BanksScope) {
    this.#scope = scope;
  }

  readonly kind: ChartKind<Outside> = {
    table: bank.table,
    effects: {
      startLoading: (draft, { name }) => {
        const booked = draft.outside.book[name]!;
        if (booked.isLoading) draft.fault(`B: ${name} is filled twice at once`);
        Object.assign(booked, { isLoading: true, isStopped: false });
      },
      stopLoading: (draft, { name }) => {
        draft.outside.book[name]!.isStopped = true;
      },
      announceResident: (draft, { name }) => {
        const booked = draft.outside.book[name]!;
        if (booked.state !== 'activating') draft.fault(`B: ${name} is resident unasked`);
        booked.state = 'resident';
        this.#ready(draft);
      },
      announceFailed: (draft, { name }) => {
        draft.outside.book[name]!.state = 'absent';
        for (const [cohort, phase] of Object.entries(draft.outside.cohorts)) {
          const isIts = phase === 'waits' && banksIn(this.#scope, cohort).includes(name);
          if (isIts) draft.outside.doomed[cohort] = true;
        }
        this.#ready(draft);
        this.settle(draft);
      },
      askToLeave: (draft, { name }) => this.evict(draft, name),
      releaseStorage: (draft, { name }) => {
        const booked = draft.outside.book[name]!;
        if (booked.users > 0) draft.fault(`I1: ${name} leaves ${booked.users} users`);
        if (booked.state !== 'deactivating') draft.fault(`B: ${name} leaves unasked`);
        booked.state = 'absent';
        this.settle(draft);
      },
      unregister: (draft, { name }) => {
        const booked = draft.outside.book[name]!;
        if (booked.state !== 'absent') draft.fault(`I8: ${name} ends while it is ${booked.state}`);
        // It was not filled: who waits for others, too, lets go of it later.
        if (booked.users === 0) delete draft.outside.book[name];
      },
    },
  };

  evict(draft: Here, name: string): void {
    const booked = draft.outside.book[name];
    if (booked?.state !== 'resident') return;
    booked.state = 'deactivating';
    draft.tell('device', name, { type: 'bank.evict', users: booked.users });
  }

  /** The head of the line: room is made, or it is admitted with all of its banks. */
  settle(draft: Here): void {
    const { line, book, cohorts } = draft.outside;
    for (let head = line[0]; head !== undefined; head = line[0]) {
      const wanted = banksIn(this.#scope, head).map((name) => book[name]);
      if (wanted.some((booked) => booked === undefined || booked.isRetired)) {
        cohorts[head] = 'failed';
        line.shift();
        continue;
      }
      if (!this.#admit(draft, head)) return;
    }
  }

  #admit(draft: Here, cohort: string): boolean {
    const { book, cohorts } = draft.outside;
    const names = banksIn(this.#scope, cohort);
    const missing = names.filter((name) => book[name]!.state === 'absent');
    const leaving = names.some((name) => book[name]!.state === 'deactivating');
    const away = names.filter((name) => ['absent', 'deactivating'].includes(book[name]!.state));
    const short = away.length - (this.#scope.room - residentIn(draft.outside));
    if (short > 0) this.#makeRoom(draft, short, names);
    if (leaving || missing.length > this.#scope.room - residentIn(draft.outside)) return false;
    for (const name of names) {
      const booked = book[name]!;
      booked.users += 1;
      if (booked.state !== 'absent') continue;
      booked.state = 'activating';
      draft.tell('device', name, { type: 'bank.activate' });
    }
    cohorts[cohort] = 'waits';
    draft.outside.line.shift();
    this.#ready(draft);
    return true;
  }

  #makeRoom(draft: Here, short: number, keep: readonly string[]): void {
    const { book } = draft.outside;
    const all = Object.entries(book);
    let coming = all.filter(([, { state }]) => state === 'deactivating').length;
    for (const [name, { state, users }] of all) {
      if (coming >= short) return;
      if (state !== 'resident' || users > 0 || keep.includes(name)) continue;
      coming += 1;
      this.evict(draft, name);
    }
  }

  /** Who waits for banks goes on when all are decided. */
  #ready(draft: Here): void {
    const { book, cohorts, doomed } = draft.outside;
    for (const [cohort, phase] of Object.entries(cohorts)) {
      // What one that goes on sets in motion may decide others.
      if (phase !== 'waits' || cohorts[cohort] !== 'waits') continue;
      const names = banksIn(this.#scope, cohort);
      if (names.some((name) => book[name]!.state === 'activating')) continue;
      if (doomed[cohort]) this.finish(draft, cohort, 'failed');
      else cohorts[cohort] = 'runs';
    }
  }

  finish(draft: Here, cohort: string, how: 'done' | 'failed'): void {
    draft.outside.cohorts[cohort] = how;
    for (const name of banksIn(this.#scope, cohort)) {
      const booked = draft.outside.book[name]!;
      booked.users -= 1;
      if (booked.users > 0) continue;
      if (draft.has(name)) draft.tell('device', name, { type: 'bank.unused' });
      else delete draft.outside.book[name];
    }
    this.settle(draft);
  }
}

const residentIn = ({ book }: Outside): number =>
  Object.values(book).filter(({ state }) => state !== 'absent').length;

function spend(draft: Here, what: keyof Outside['budget']): void {
  (draft.outside.budget as Record<typeof what, number>)[what] -= 1;
}

function bankMoves({ outside }: ChartState<Outside>, book: Book): Change[] {
  const { budget } = outside;
  return Object.entries(outside.book).flatMap(([name, booked]) => {
    const list: Change[] = [];
    const load = (draft: Here, event: MachineEvent): void => {
      draft.outside.book[name]!.isLoading = false;
      draft.tell('device', name, event);
    };
    if (booked.isLoading) {
      list.push([`${name} is filled`, (draft) => load(draft, { type: 'load.done' })]);
      if (booked.isStopped || budget.failures > 0) {
        list.push([
          `${name} is not filled`,
          (draft) => {
            if (!booked.isStopped) spend(draft, 'failures');
            load(draft, { type: 'load.failed', status });
          },
        ]);
      }
    }
    if (budget.dismissals > 0 && booked.state === 'resident') {
      list.push([
        `${name} is sent away`,
        (draft) => {
          spend(draft, 'dismissals');
          book.evict(draft, name);
        },
      ]);
    }
    if (budget.retirements > 0 && !booked.isRetired) {
      list.push([
        `the generation of ${name} ends`,
        (draft) => {
          spend(draft, 'retirements');
          draft.outside.book[name]!.isRetired = true;
          draft.tell('device', name, { type: 'bank.retire' });
        },
      ]);
    }
    return list;
  });
}

export function banksWorld(scope: BanksScope): ChartWorld<Outside> {
  const book = new Book(scope);
  const { name, room, banks, cohorts, ...budget } = scope;
  const absent: Booked = {
    ...{ state: 'absent', users: 0, isRetired: false, isLoading: false, isStopped: false },
  };
  return new ChartWorld<Outside>({
    name: `bank × cohort: ${name}`,
    threadOf: () => 'device',
    kinds: { bank: book.kind },
    outside: {
      budget,
      book: Object.fromEntries(banks.map((one) => [one, { ...absent }])),
      cohorts: Object.fromEntries(cohorts.map((_, i) => [`c${i}`, 'new' as const])),
      ...{ doomed: {}, line: [] },
    },
    start(draft) {
      for (const one of banks) draft.spawn(one, 'bank', {});
    },
    moves: (state) => [
      ...Object.entries(state.outside.cohorts).flatMap(([cohort, phase]): Change[] => {
        if (phase === 'new') {
          const ask = (draft: Here): void => {
            draft.outside.cohorts[cohort] = 'asks';
            draft.outside.line.push(cohort);
            book.settle(draft);
          };
          return [[`${cohort} asks`, ask]];
        }
        const end = (draft: Here): void => book.finish(draft, cohort, 'done');
        return phase === 'runs' ? [[`${cohort} retires`, end]] : [];
      }),
      ...bankMoves(state, book),
    ],
    breach({ outside }) {
      const resident = residentIn(outside);
      return resident > room ? `I7: ${resident} banks are there, ${room} fit` : null;
    },
    isEnd({ outside, charts }) {
      const isOver = Object.values(outside.cohorts).every((at) => at === 'done' || at === 'failed');
      const rests = Object.entries(outside.book).every(([one, booked]) => {
        const isAgreed = booked.state === charts[one]?.at;
        return booked.users === 0 && !booked.isRetired && isAgreed && !booked.isLoading;
      });
      return isOver && rests;
    },
  });
}
