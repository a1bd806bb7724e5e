/**
 * A world of charts that send each other events, as pure data: the tables that actors step, mail,
 * and an account of the world outside, which is what laws are about. What an actor's effects do is
 * said here once more, in a few words each; the charts are the real ones. Whatever one thread tells
 * an actor arrives in its order; what several tell it, in any.
 */
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { startMachine, stepMachine } from '../../runtime/system/machine-step.js';
import type { MachineSnapshot, MachineStep } from '../../runtime/system/machine-step.js';
import type { CompiledState, MachineTable } from '../../runtime/system/machine-table.js';
import type { Move, World } from './explore.js';

interface Chart {
  readonly kind: string;
  readonly at: string;
  readonly context: unknown;
}

export interface ChartState<Outside> {
  /** By name; one that has ended is gone. */
  readonly charts: Record<string, Chart>;
  /** By `thread>to`. */
  readonly mail: Record<string, MachineEvent[]>;
  readonly outside: Outside;
  /** What went wrong on the way here. */
  breach: string | null;
}

/** What an effect of a chart does to the world. */
export type ChartEffect<Outside> = (
  draft: Draft<Outside>,
  chart: { readonly name: string; readonly context: unknown; readonly event: MachineEvent },
) => void;

export interface ChartKind<Outside> {
  readonly table: MachineTable;
  /** Of those that are not named here nobody keeps account. */
  readonly effects: Readonly<Record<string, ChartEffect<Outside>>>;
  /** Once, when it comes to a final state. */
  readonly ended?: (draft: Draft<Outside>, name: string, state: string) => void;
}

export interface ChartWorldOptions<Outside> {
  readonly name: string;
  readonly threadOf: (chart: string) => string;
  readonly kinds: Readonly<Record<string, ChartKind<Outside>>>;
  readonly outside: Outside;
  readonly start: (draft: Draft<Outside>) => void;
  /** What may happen outside, each with what it does. */
  readonly moves: (
    state: ChartState<Outside>,
  ) => readonly (readonly [string, (draft: Draft<Outside>) => void])[];
  readonly breach: (state: ChartState<Outside>) => string | null;
  /** By what may befall: whether there is anybody whom it would. */
  readonly harmed?: Readonly<Record<string, (state: ChartState<Outside>) => boolean>>;
  readonly isEnd: (state: ChartState<Outside>) => boolean;
}

/** A state while it changes. */
export class Draft<Outside> {
  readonly state: ChartState<Outside>;
  readonly #world: ChartWorld<Outside>;

  constructor(world: ChartWorld<Outside>, state: ChartState<Outside>) {
    this.#world = world;
    this.state = state;
  }

  get outside(): Outside {
    return this.state.outside;
  }

  has(name: string): boolean {
    return name in this.state.charts;
  }

  spawn(name: string, kind: string, input: unknown): void {
    const step = startMachine(this.#world.kindOf(kind).table, input);
    this.#follow(name, kind, { step, event: { type: 'start' } });
  }

  /** It arrives later; to one that has ended, never. */
  tell(from: string, to: string, event: MachineEvent): void {
    (this.state.mail[`${this.#world.threadOf(from)}>${to}`] ??= []).push(event);
  }

  /** The next of what a thread has told one. */
  deliver(pair: string): void {
    const list = this.state.mail[pair]!;
    const event = list.shift()!;
    if (list.length === 0) delete this.state.mail[pair];
    this.step(pair.slice(pair.indexOf('>') + 1), event);
  }

  step(name: string, event: MachineEvent): void {
    const chart = this.state.charts[name];
    if (chart === undefined) return;
    const { kind, at } = chart;
    const step = stepMachine(this.#world.kindOf(kind).table, this.#snapshot(chart), event);
    if (!step.isExpected) this.fault(`${name} in ${at} does not expect ${event.type}`);
    this.#follow(name, kind, { step, event });
  }

  /** The first is kept. */
  fault(what: string): void {
    this.state.breach ??= what;
  }

  #snapshot({ kind, at, context }: Chart): MachineSnapshot {
    const state = this.#world.stateOf(kind, at);
    return { state, context, status: 'active', output: undefined };
  }

  #follow(
    name: string,
    kind: string,
    { step, event }: { step: MachineStep; event: MachineEvent },
  ): void {
    const { state, context, status } = step.snapshot;
    this.state.charts[name] = { kind, at: state.name, context };
    const { effects, ended } = this.#world.kindOf(kind);
    for (const { type, context: then } of step.effects) {
      effects[type]?.(this, { name, context: then, event });
    }
    this.#world.rested.add(`${this.#world.kindOf(kind).table.id}.${state.name}`);
    if (status !== 'done') return;
    this.#world.noteHarms(`${this.#world.kindOf(kind).table.id}.${state.name}`, this.state);
    delete this.state.charts[name];
    ended?.(this, name, state.name);
  }
}

export class ChartWorld<Outside> implements World<ChartState<Outside>> {
  readonly #options: ChartWorldOptions<Outside>;
  readonly #states = new Map<string, CompiledState>();
  /** Final states too, in which no chart is found. */
  readonly rested = new Set<string>();
  /** By place, what found somebody there. */
  readonly #harms = new Map<string, Set<string>>();

  constructor(options: ChartWorldOptions<Outside>) {
    this.#options = options;
    for (const [kind, { table }] of Object.entries(options.kinds)) this.#index(kind, table);
  }

  get name(): string {
    return this.#options.name;
  }

  get starts(): readonly ChartState<Outside>[] {
    const { outside } = this.#options;
    const empty = { charts: {}, mail: {}, outside: copyOf(outside), breach: null };
    const draft = new Draft(this, empty);
    this.#options.start(draft);
    return [draft.state];
  }

  /** Ids of the machines whose charts live in it. */
  get machines(): readonly string[] {
    return Object.values(this.#options.kinds).map(({ table }) => table.id);
  }

  threadOf(chart: string): string {
    return this.#options.threadOf(chart);
  }

  kindOf(kind: string): ChartKind<Outside> {
    return this.#options.kinds[kind]!;
  }

  stateOf(kind: string, name: string): CompiledState {
    return this.#states.get(`${kind} ${name}`)!;
  }

  key({ charts, mail, outside, breach }: ChartState<Outside>): string {
    return JSON.stringify([sorted(charts), sorted(mail), outside, breach]);
  }

  moves(state: ChartState<Outside>): Move<ChartState<Outside>>[] {
    const changed = (name: string, change: (draft: Draft<Outside>) => void) => {
      const draft = new Draft(this, copyOf(state));
      change(draft);
      return { name, next: draft.state };
    };
    const pairs = Object.keys(state.mail);
    return [
      ...pairs.map((pair) =>
        changed(`${pair} ${state.mail[pair]![0]!.type}`, (draft) => draft.deliver(pair)),
      ),
      ...this.#options.moves(state).map(([name, change]) => changed(name, change)),
    ];
  }

  /** Notes what would befall somebody while a chart is in this place. */
  noteHarms(place: string, state: ChartState<Outside>): void {
    const known = this.#harms.get(place) ?? new Set();
    this.#harms.set(place, known);
    for (const [harm, finds] of Object.entries(this.#options.harmed ?? {})) {
      if (!known.has(harm) && finds(state)) known.add(harm);
    }
  }

  get isAboutHarms(): boolean {
    return this.#options.harmed !== undefined;
  }

  /** In any state in which a chart is in the place; null: that is not known here. */
  findsAnybody(place: string, harm: string): boolean | null {
    const known = this.#harms.get(place);
    return known === undefined || !(harm in this.#options.harmed!) ? null : known.has(harm);
  }

  breach(state: ChartState<Outside>): string | null {
    for (const { kind, at } of Object.values(state.charts)) {
      this.noteHarms(`${this.kindOf(kind).table.id}.${at}`, state);
    }
    return state.breach ?? this.#options.breach(state);
  }

  isEnd(state: ChartState<Outside>): boolean {
    return Object.keys(state.mail).length === 0 && this.#options.isEnd(state);
  }

  #index(kind: string, { initial }: MachineTable): void {
    const visit = (state: CompiledState): void => {
      const key = `${kind} ${state.name}`;
      if (this.#states.has(key)) return;
      this.#states.set(key, state);
      for (const list of [...state.on.values(), state.always]) {
        for (const { plan } of list) visit(plan.target);
      }
    };
    visit(initial.target);
  }
}

const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

function sorted(record: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}
