/**
 * What the page shows, apart from how: where its records come from, who is selected, which turn is
 * looked at. Views read it and call its methods; `changed` tells them to draw.
 */
import { History } from './history.js';
import type { TransitionEntry } from './history.js';
import { MachineCharts } from './machine-charts.js';
import type { Trace } from './trace-file.js';
import type { Actor } from './picture.js';
import { threadOf } from './picture.js';
import type { Chart, MemoryRecord, RequestRow, TurnRecord } from './wire.js';

/** How many transitions of an actor the page keeps in sight. */
export const transitionsMax = 200;

export interface Selected {
  readonly address: string;
  /** The id of its chart; empty when it has none. */
  readonly chart: string;
  readonly state: string | null;
  readonly isGone: boolean;
  readonly actor: Actor | null;
  /** Latest first. */
  readonly transitions: readonly TransitionEntry[];
}

export class ConsoleModel {
  history = new History();
  charts = new MachineCharts([]);
  requests: readonly RequestRow[] = [];
  /** The trace's name; null while the server itself is shown. */
  source: string | null = null;
  selected: string | null = null;
  turn: string | null = null;
  isRecording = false;
  /** Why the server does not answer; null while it does. */
  trouble: string | null = null;
  /** Why the file that was chosen last shows nothing; until something else is looked at. */
  unread: string | null = null;
  /** Threads that do not answer: their actors are missing. */
  silent: readonly { readonly name: string }[] = [];
  readonly #kinds = new Map<string, string>();
  readonly #changed: () => void;
  #liveCharts: readonly Chart[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  changed(): void {
    this.#changed();
  }

  get isLive(): boolean {
    return this.source === null;
  }

  useCharts(charts: readonly Chart[]): void {
    this.#liveCharts = charts;
    this.charts = new MachineCharts(charts);
    this.#changed();
  }

  select(address: string | null): void {
    this.selected = address;
    this.turn = null;
    this.unread = null;
    this.#changed();
  }

  /** Looks at a turn, at the actor that it is a turn of. */
  goTo(turn: TurnRecord): void {
    this.selected = turn.to;
    this.turn = turn.id;
    this.#changed();
  }

  openTrace(name: string, trace: Trace): void {
    this.#start(name);
    if (trace.charts !== null) this.charts = new MachineCharts(trace.charts);
    if (trace.tree !== null) this.history.look(trace.tree);
    this.history.isFollowing = false;
    this.history.add(trace.records);
    this.history.lost = trace.lost;
    this.history.seek(this.history.entries.length);
    this.#changed();
  }

  goLive(): void {
    this.#start(null);
    this.charts = new MachineCharts(this.#liveCharts);
    this.#changed();
  }

  /** The selected actor at the moment that is shown, also when it has ended by then. */
  selection(): Selected | null {
    if (this.selected === null) return null;
    const address = this.selected;
    const actor = this.history.picture.actors.get(address) ?? null;
    const transitions = this.history.transitions(address, transitionsMax);
    const state = actor?.state ?? transitions[0]?.record.to ?? null;
    const chart = this.#chartOf(address, actor, transitions);
    return { address, chart, state, isGone: actor === null, actor, transitions };
  }

  memory(): readonly MemoryRecord[] {
    return this.history.memory();
  }

  /** The request with an id that begins so. */
  requestsWith(text: string): readonly RequestRow[] {
    return text.length < 3 ? [] : this.requests.filter(({ id }) => id.includes(text));
  }

  #chartOf(address: string, actor: Actor | null, transitions: readonly TransitionEntry[]): string {
    if (actor !== null && this.charts.chart(actor.kind) !== null) {
      this.#kinds.set(address, actor.kind);
      return actor.kind;
    }
    const known = this.#kinds.get(address);
    if (known !== undefined) return known;
    const guess = this.charts.guess(transitions.map(({ record }) => record));
    if (guess !== '') this.#kinds.set(address, guess);
    return guess;
  }

  #start(source: string | null): void {
    this.source = source;
    this.history = new History(source === null ? undefined : Infinity);
    this.requests = [];
    this.selected = null;
    this.turn = null;
    this.unread = null;
    this.#kinds.clear();
  }
}

/** Whether a message went from one thread to another. */
export const crossesThreads = (turn: TurnRecord): boolean =>
  threadOf(turn.from) !== threadOf(turn.to);
