/**
 * Runs a program over bytes. A state is the set of readings that a text so far may have, each a
 * node within the rules that are open; states and their ways on are found when first asked for and
 * kept, so that what a model writes again and again costs a look-up a byte.
 *
 * Holds: from every state some bytes lead to a complete text. What is kept is bounded, and dropped
 * as a whole when it is too much; states that are in use stay valid. Readings of one state are
 * bounded too: of more, the first ones go on, and the texts accepted are still of the grammar.
 */
import { StatusError } from '../../base/errors.js';
import { AutomatonState } from './automaton-state.js';
import type { Reading } from './automaton-state.js';
import { Frame } from './frame.js';
import { END, framesMax } from './grammar-program.js';
import type { GrammarNode, GrammarProgram } from './grammar-program.js';
import { isPlainByte } from './token-trie.js';

const plainBytes = Array.from({ length: 256 }, (_, byte) => byte).filter(isPlainByte);

const readingsMax = 512;
const statesMax = 2048;
const maskBytesMax = 2 ** 21;
/** Nodes looked at for one mask. */
const visitsMax = 400_000;

export class Automaton {
  readonly start: AutomatonState;
  readonly #program: GrammarProgram;
  /** Counters beyond this cannot run out within one token. */
  readonly #counterMax: number;
  readonly #frames = new Map<string, Frame>();
  readonly #states = new Map<string, AutomatonState>();
  #frameCount = 1;
  #maskBytes = 0;
  #visits = 0;

  /** `longest`: bytes of the longest token. */
  constructor(program: GrammarProgram, longest: number) {
    this.#program = program;
    this.#counterMax = longest + 1;
    const root = new Frame({ id: 0, node: END, needed: 0, left: 0, parent: null });
    this.start = this.#close([{ node: program.start, frame: root }])!;
  }

  /** The state after a byte; null: the byte does not fit. */
  step(state: AutomatonState, byte: number): AutomatonState | null {
    const known = state.after[byte];
    if (known !== undefined) return known;
    const seeds: Reading[] = [];
    for (const { node, frame } of state.readings) {
      const at = this.#program.nodes[node]!;
      if (at.kind !== 'bytes') continue;
      for (const { low, high, next } of at.ranges) {
        if (byte >= low && byte <= high) seeds.push({ node: next, frame });
      }
    }
    return (state.after[byte] = this.#close(seeds));
  }

  /** The state after a token's bytes; null: they do not fit. */
  advance(from: AutomatonState, bytes: Uint8Array): AutomatonState | null {
    this.#visits = 0;
    let state: AutomatonState | null = from;
    for (const byte of bytes) {
      state = this.step(state, byte);
      if (state === null) return null;
    }
    return state;
  }

  /** Whether plain bytes, as many as there are, change nothing: the inside of a string. */
  isLoop(state: AutomatonState): boolean {
    return (state.isLoop ??= plainBytes.every((byte) => this.step(state, byte) === state));
  }

  /** The state's mask, filled the first time by whoever knows the tokens. */
  mask(state: AutomatonState, fill: (from: AutomatonState) => Uint32Array): Uint32Array {
    const like = (state.like ??= this.#likeOf(state));
    if (like.mask !== null) return like.mask;
    this.#visits = 0;
    const mask = fill(like);
    this.#maskBytes += mask.byteLength;
    if (this.#maskBytes > maskBytesMax) this.#forget();
    like.mask = mask;
    return mask;
  }

  /** The state with the same tokens: counters that no token can run out are all alike. */
  #likeOf(state: AutomatonState): AutomatonState {
    const isAlike = state.readings.every(({ frame }) => this.#alike(frame) === frame);
    if (isAlike) return state;
    const readings = state.readings.map(({ node, frame }) => ({ node, frame: this.#alike(frame) }));
    return this.#stateOf(readings, state.isComplete);
  }

  #alike(frame: Frame): Frame {
    if (frame.parent === null) return frame;
    const parent = this.#alike(frame.parent);
    const needed = Math.min(frame.needed, this.#counterMax);
    const left = frame.left === Infinity ? Infinity : Math.min(frame.left, this.#counterMax);
    if (parent === frame.parent && needed === frame.needed && left === frame.left) return frame;
    return this.#push(parent, { node: frame.node, needed, left });
  }

  /** Follows what takes no byte. Null: nothing is left. */
  #close(seeds: readonly Reading[]): AutomatonState | null {
    const { nodes, levels } = this.#program;
    const readings: Reading[] = [];
    const seen = new Set<number>();
    const open = [...seeds].reverse();
    let isComplete = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { node, frame } = at;
      const key = frame.id * nodes.length + node;
      if (frame.depth + levels[node]! > framesMax || seen.has(key)) continue;
      seen.add(key);
      this.#countVisit();
      const found = nodes[node]!;
      if (found.kind === 'bytes') {
        readings.push(at);
        if (readings.length === readingsMax) break;
      } else if (found.kind === 'end' && frame.parent === null) {
        isComplete = true;
      } else {
        this.#follow(at, found, open);
      }
    }
    return readings.length === 0 && !isComplete ? null : this.#stateOf(readings, isComplete);
  }

  #follow({ node, frame }: Reading, found: GrammarNode, open: Reading[]): void {
    if (found.kind === 'split') {
      for (let i = found.targets.length - 1; i >= 0; i -= 1) {
        open.push({ node: found.targets[i]!, frame });
      }
    } else if (found.kind === 'call') {
      const inner = this.#push(frame, { node, needed: 0, left: 0 });
      open.push({ node: found.entry, frame: inner });
    } else if (found.kind === 'repeat') {
      this.#again(node, frame, { needed: found.min, left: found.max }, open);
    } else if (found.kind === 'end' && frame.parent !== null) {
      const { node: back, parent } = frame;
      const caller = this.#program.nodes[back]!;
      if (caller.kind === 'repeat') this.#again(back, parent, frame, open);
      else if (caller.kind === 'call') open.push({ node: caller.next, frame: parent });
    }
  }

  /** Once more, or on. */
  #again(
    node: number,
    frame: Frame,
    { needed, left }: { readonly needed: number; readonly left: number },
    open: Reading[],
  ): void {
    const repeat = this.#program.nodes[node]!;
    if (repeat.kind !== 'repeat') return;
    if (needed === 0) open.push({ node: repeat.next, frame });
    if (left === 0) return;
    const inner = this.#push(frame, { node, needed: Math.max(0, needed - 1), left: left - 1 });
    open.push({ node: repeat.entry, frame: inner });
  }

  #push(
    parent: Frame,
    {
      node,
      needed,
      left,
    }: { readonly node: number; readonly needed: number; readonly left: number },
  ): Frame {
    const key = `${parent.id} ${node} ${needed} ${left}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = new Frame({ id: this.#frameCount, node, needed, left, parent });
    this.#frameCount += 1;
    this.#frames.set(key, frame);
    return frame;
  }

  #stateOf(readings: readonly Reading[], isComplete: boolean): AutomatonState {
    const key = `${isComplete} ${readings.map(({ node, frame }) => `${node}.${frame.id}`).join(' ')}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= statesMax) this.#forget();
    const state = new AutomatonState(readings, isComplete);
    this.#states.set(key, state);
    return state;
  }

  /** States that somebody holds go on working: what they knew is found anew. */
  #forget(): void {
    for (const state of this.#states.values()) state.forget();
    this.#states.clear();
    this.#frames.clear();
    this.#maskBytes = 0;
  }

  #countVisit(): void {
    this.#visits += 1;
    if (this.#visits <= visitsMax) return;
    throw new StatusError(
      'resourceExhausted',
      `the schema may be read in too many ways at once: the tokens that may follow took more than ${visitsMax} steps to find; make its alternatives differ earlier`,
      { param: this.#program.asker },
    );
  }
}
