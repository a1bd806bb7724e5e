/**
 * The template language in a world of its own, a context whose strings and lists have limits. One
 * step of a template can ask for more than the machine has (`replace` of a million letters by a
 * million letters each), and V8 ends the whole process at some such sizes. So no string of a render
 * grows beyond `STRING_MAX`, and what its multiplying steps make is counted before it is there.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createContext, Script, type Context } from 'node:vm';

/** Characters of any string of a render. */
export const STRING_MAX = 4 * 1024 * 1024;
/** Characters that the multiplying steps of one render may make, all of them together. */
export const MADE_MAX = 16 * STRING_MAX;
/** What one item of a list weighs in them. */
const ITEM_CHARACTERS = 16;

/** What is used of `@huggingface/jinja`, whose own types do not resolve here. */
export interface Language {
  readonly tokenize: (source: string, options: Readonly<Record<string, boolean>>) => unknown[];
  readonly parse: (tokens: unknown[]) => Program;
  readonly Environment: new () => Environment;
  readonly Interpreter: new (environment: Environment) => {
    run(program: Program): { readonly value: unknown };
    evaluate(node: Node, environment: Environment): { readonly value: unknown };
  };
}

export type Program = Node;

interface Node {
  readonly type: string;
}

export interface Environment {
  set(name: string, value: unknown): unknown;
}

interface World extends Context {
  run: () => unknown;
  readonly String: StringConstructor;
  readonly Array: ArrayConstructor;
}

type Method = (this: unknown, ...given: never[]) => unknown;
type Replacer = (...found: unknown[]) => unknown;

export class TemplateWorld {
  readonly language: Language;
  readonly #world = createContext({ run: () => '' }) as World;
  /** Only the call into the world has a limit on time; what runs inside ends with it. */
  readonly #script = new Script('run()');
  #made = 0;

  constructor() {
    const path = createRequire(import.meta.url).resolve('@huggingface/jinja');
    const around = `(module, exports) => {${readFileSync(path, 'utf8')}\n}`;
    const load = new Script(around, { filename: path }).runInContext(this.#world) as (
      module: { exports: unknown },
      exports: unknown,
    ) => void;
    const module = { exports: {} };
    load(module, module.exports);
    this.language = guarded(module.exports as Language, (characters) => this.#count(characters));
    const { String: strings, Array: arrays } = new Script('({ String, Array })').runInContext(
      this.#world,
    ) as World;
    this.#guardStrings(strings.prototype);
    this.#guardLists(arrays);
  }

  /** Throws an error with code `ERR_SCRIPT_EXECUTION_TIMEOUT` after the limit. */
  run<T>(action: () => T, limitMs: number): T {
    this.#made = 0;
    this.#world.run = action;
    try {
      return this.#script.runInContext(this.#world, { timeout: limitMs }) as T;
    } finally {
      this.#world.run = () => '';
    }
  }

  #guardStrings(prototype: String): void {
    const made = (characters: number): void => this.#count(characters);
    for (const name of ['replace', 'replaceAll'] as const) {
      wrap(prototype, name, (original) => {
        return function (this: string, pattern: unknown, by: string | Replacer) {
          if (typeof by !== 'function') {
            // At most one match between any two characters, each text of a match counted in full.
            made((this.length + 1) * (by.length + 1));
            return Reflect.apply(original, this, [pattern, by]);
          }
          const counted: Replacer = (...found) => {
            const text = String(by(...found));
            made(text.length);
            return text;
          };
          return Reflect.apply(original, this, [pattern, counted]);
        };
      });
    }
    wrap(prototype, 'repeat', (original) => {
      return function (this: string, count: number) {
        made(this.length * count);
        return Reflect.apply(original, this, [count]);
      };
    });
    wrap(prototype, 'split', (original) => {
      return function (this: string, ...given: unknown[]) {
        const parts = Reflect.apply(original, this, given) as string[];
        made(parts.length * ITEM_CHARACTERS);
        return parts;
      };
    });
  }

  #guardLists(arrays: ArrayConstructor): void {
    const made = (characters: number): void => this.#count(characters);
    const items = (given: unknown): void => {
      const { length } = Object(given) as { length?: number };
      made((length ?? 1) * ITEM_CHARACTERS);
    };
    wrap(arrays.prototype, 'concat', (original) => {
      return function (this: unknown[], ...others: unknown[]) {
        [this, ...others].forEach(items);
        return Reflect.apply(original, this, others);
      };
    });
    for (const [holder, name] of [
      [arrays.prototype, 'slice'],
      [arrays, 'from'],
    ] as const) {
      wrap(holder, name, (original) => {
        return function (this: unknown, ...given: unknown[]) {
          items(name === 'from' ? given[0] : this);
          return Reflect.apply(original, this, given);
        };
      });
    }
    wrap(arrays.prototype, 'join', () => {
      return function (this: unknown[], separator: string = ',') {
        let text = '';
        this.forEach((item, index) => {
          const next = `${index === 0 ? '' : separator}${String(item ?? '')}`;
          made(next.length);
          text += next;
        });
        return text;
      };
    });
  }

  #count(characters: number): void {
    this.#made += characters;
    if (this.#made <= MADE_MAX) return;
    throw new Error(
      `its steps make ${this.#made} characters (an item of a list counts ${ITEM_CHARACTERS}); at most ${MADE_MAX} are possible`,
    );
  }
}

/** Nodes whose text is a new one each time, and not just a join of two that are there. */
const making = new Set(['CallExpression', 'FilterExpression', 'SliceExpression']);

/** The same language, whose every value is looked at as soon as it is there. */
function guarded(language: Language, made: (characters: number) => void): Language {
  class Interpreter extends language.Interpreter {
    override evaluate(node: Node, environment: Environment) {
      const result = super.evaluate(node, environment);
      const { value } = result;
      if (typeof value !== 'string') return result;
      if (making.has(node.type)) made(value.length);
      if (value.length <= STRING_MAX) return result;
      throw new Error(`it gave ${value.length} characters; at most ${STRING_MAX} are possible`);
    }
  }
  return { ...language, Interpreter };
}

function wrap(holder: object, name: string, around: (original: Method) => unknown): void {
  const original = Reflect.get(holder, name) as Method;
  Object.defineProperty(holder, name, { value: around(original) });
}
