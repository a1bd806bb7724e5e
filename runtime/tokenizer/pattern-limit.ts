/**
 * A limit on time for the patterns of a tokenizer.json. They are regular expressions of somebody
 * else, and some never end on some texts; what runs under this limit does. Files without patterns
 * do not pay for it.
 */
import { createContext, Script, type Context } from 'node:vm';
import { StatusError } from '../base/errors.js';

/** Eight megabytes take two seconds with the published patterns. */
export const PATTERN_MS = 5_000;

interface World extends Context {
  run: () => unknown;
}

export class PatternLimit {
  readonly #name: string;
  readonly #limitMs: number;
  /** Only the call into it has the limit; what runs inside is ours and ends with it. */
  readonly #world = createContext({ run: () => null }) as World;
  readonly #script = new Script('run()');

  /** `name` is the asset's name in errors. */
  constructor(name: string, limitMs: number) {
    this.#name = name;
    this.#limitMs = limitMs;
  }

  run<T>(length: number, action: () => T): T {
    this.#world.run = action;
    try {
      return this.#script.runInContext(this.#world, { timeout: this.#limitMs }) as T;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new StatusError(
        'resourceExhausted',
        `the patterns of ${this.#name} were not done with ${length} characters after ${this.#limitMs} ms`,
        { where: this.#name },
      );
    } finally {
      this.#world.run = () => null;
    }
  }
}

/** Whether steps of a tokenizer.json have patterns of their own. */
export function hasPatterns(steps: unknown): boolean {
  if (steps === null || typeof steps !== 'object') return false;
  return Object.entries(steps).some(
    ([key, value]) => (key === 'Regex' && typeof value === 'string') || hasPatterns(value),
  );
}
