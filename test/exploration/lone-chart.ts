/** A chart alone: counts of what runs because of it, and of what may still befall it. */
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { MachineTable } from '../../runtime/system/machine-table.js';
import { ChartWorld, type ChartEffect, type ChartState, type Draft } from './chart-world.js';

const ONE = 'one';

export type Counts = Record<string, number>;
type Here = Draft<Counts>;
type Change = readonly [string, (draft: Here) => void];

interface Single {
  readonly name: string;
  readonly table: MachineTable;
  readonly input?: unknown;
  readonly counts: Counts;
  /** By effect. */
  readonly does: Readonly<Record<string, (counts: Counts) => void>>;
  readonly moves: (counts: Counts, at: string) => readonly (MachineEvent & { counts: Counts })[];
  readonly breach: (counts: Counts, at: string | null) => string | null;
  readonly isEnd: (counts: Counts, at: string | null) => boolean;
  /** By what may befall: whether there is anything that it would. */
  readonly harmed?: Readonly<Record<string, (counts: Counts) => boolean>>;
}

/** A chart alone: events and effects change counts, none of which may fall below zero. */
export function alone(single: Single): ChartWorld<Counts> {
  const effects: Record<string, ChartEffect<Counts>> = {};
  for (const [type, does] of Object.entries(single.does)) {
    effects[type] = ({ outside }) => does(outside);
  }
  const at = ({ charts }: ChartState<Counts>): string | null => charts[ONE]?.at ?? null;
  return new ChartWorld<Counts>({
    name: single.name,
    threadOf: () => 'one',
    kinds: { one: { table: single.table, effects } },
    outside: single.counts,
    start: (draft) => draft.spawn(ONE, 'one', single.input),
    moves: (state) =>
      state.charts[ONE] === undefined
        ? []
        : single.moves(state.outside, state.charts[ONE].at).map(({ counts, ...event }): Change => [
            event.type,
            (draft) => {
              add(draft.outside, counts);
              draft.step(ONE, event);
            },
          ]),
    breach: (state) => {
      const below = Object.entries(state.outside).find(([, count]) => count < 0);
      if (below !== undefined) return `${below[0]} is ${below[1]}`;
      return single.breach(state.outside, at(state));
    },
    isEnd: (state) => single.isEnd(state.outside, at(state)),
    harmed: Object.fromEntries(
      Object.entries(single.harmed ?? {}).map(([harm, finds]) => [
        harm,
        ({ outside }: ChartState<Counts>) => finds(outside),
      ]),
    ),
  });
}

function add(counts: Counts, added: Readonly<Counts>): void {
  for (const [name, count] of Object.entries(added)) counts[name] = (counts[name] ?? 0) + count;
}

export const plus =
  (added: Readonly<Counts>) =>
  (counts: Counts): void =>
    add(counts, added);

export const event = (type: string, counts: Counts = {}, more: object = {}) => ({
  type,
  counts,
  ...more,
});
