/**
 * Visits every state that a world can come to, breadth first, and judges each: a law that is broken
 * there, a state in which nothing can happen though something must, and states from which no end
 * can be reached any more. What breaks comes with the shortest way to it.
 */

export interface Move<State> {
  readonly name: string;
  readonly next: State;
}

export interface World<State> {
  readonly name: string;
  readonly starts: readonly State[];
  /** Equal states have equal keys. */
  key(state: State): string;
  moves(state: State): readonly Move<State>[];
  /** The law that is broken; null: none. */
  breach(state: State): string | null;
  /** Everything has ended here: it may stay so for ever. */
  isEnd(state: State): boolean;
  /** Where its charts have rested or ended so far, as `machine.state`. */
  readonly rested: ReadonlySet<string>;
}

export interface Exploration {
  readonly world: string;
  readonly states: number;
  readonly moves: number;
  readonly ends: number;
  /** Of the way to the farthest state. */
  readonly depth: number;
  readonly places: ReadonlySet<string>;
  /** Each with the moves that lead there; at most a few. */
  readonly breaches: readonly string[];
}

interface Visit<State> {
  readonly state: State;
  readonly from: number;
  readonly by: string;
  readonly depth: number;
  /** Visits that lead here in one move. */
  readonly before: number[];
}

const BREACHES_MAX = 3;

/** Throws when there are more states than `statesMax`: then nothing is proved. */
export function explore<State>(world: World<State>, statesMax: number): Exploration {
  return new Explorer(world, statesMax).run();
}

class Explorer<State> {
  readonly #world: World<State>;
  readonly #statesMax: number;
  readonly #visits: Visit<State>[] = [];
  readonly #known = new Map<string, number>();
  readonly #breaches: string[] = [];
  readonly #ends: number[] = [];
  #moves = 0;

  constructor(world: World<State>, statesMax: number) {
    this.#world = world;
    this.#statesMax = statesMax;
  }

  run(): Exploration {
    const { starts, name } = this.#world;
    for (const state of starts) this.#visit(state, -1, 'start');
    for (let at = 0; at < this.#visits.length; at++) {
      if (this.#breaches.length >= BREACHES_MAX) break;
      this.#expand(at);
    }
    if (this.#breaches.length === 0) this.#checkEnds();
    return {
      world: name,
      states: this.#visits.length,
      moves: this.#moves,
      ends: this.#ends.length,
      depth: this.#visits.at(-1)?.depth ?? 0,
      places: this.#world.rested,
      breaches: this.#breaches,
    };
  }

  #expand(at: number): void {
    const { state } = this.#visits[at]!;
    const breach = this.#world.breach(state);
    if (breach !== null) return this.#report(at, breach);
    const moves = this.#world.moves(state);
    if (this.#world.isEnd(state)) this.#ends.push(at);
    else if (moves.length === 0) this.#report(at, 'nothing can happen, and it is not the end');
    for (const { name, next } of moves) {
      this.#moves += 1;
      this.#visit(next, at, name);
    }
  }

  #visit(state: State, from: number, by: string): void {
    const key = this.#world.key(state);
    const known = this.#known.get(key);
    if (known !== undefined) {
      if (from >= 0) this.#visits[known]!.before.push(from);
      return;
    }
    if (this.#visits.length >= this.#statesMax) {
      throw new Error(`${this.#world.name} has more than ${this.#statesMax} states`);
    }
    this.#known.set(key, this.#visits.length);
    const depth = from < 0 ? 0 : this.#visits[from]!.depth + 1;
    this.#visits.push({ state, from, by, depth, before: from < 0 ? [] : [from] });
  }

  /** Backwards from the ends: whatever is not met can never end. */
  #checkEnds(): void {
    const met = new Set(this.#ends);
    const queue = [...this.#ends];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const before of this.#visits[at]!.before) {
        if (met.has(before)) continue;
        met.add(before);
        queue.push(before);
      }
    }
    const lost = this.#visits.findIndex((_, at) => !met.has(at));
    if (lost >= 0) this.#report(lost, 'no end can be reached from here');
  }

  #report(at: number, what: string): void {
    const way: string[] = [];
    for (let i = at; i >= 0; i = this.#visits[i]!.from) way.unshift(this.#visits[i]!.by);
    const where = this.#world.key(this.#visits[at]!.state);
    this.#breaches.push(`${what}\n  after ${way.join(' · ')}\n  in ${where}`);
  }
}
