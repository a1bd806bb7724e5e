/**
 * Renders the chat templates of one package. A template is a program of somebody else in a language
 * without limits, so each render ends after a fixed time, makes no long ranges and gives at most so
 * much text. It sees no clock: the same chat gives the same text on any day.
 */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { createContext, Script, type Context } from 'node:vm';
import { StatusError } from '../base/errors.js';
import type { ChatTemplates } from './chat.js';

/** Long templates over long chats take some ten milliseconds. */
export const RENDER_MS = 1_000;
/** Characters of a chat as text. */
export const RENDERED_MAX = 4 * 1024 * 1024;
/** Numbers that `range` may give: it makes them all at once. */
const RANGE_MAX = 100_000;

type Program = ReturnType<typeof parse>;

interface Sandbox extends Context {
  run: () => string;
}

export class ChatRenderer {
  readonly #templates: ChatTemplates;
  readonly #limitMs: number;
  readonly #parsed = new Map<string, Program>();
  /** Only the call into it has a limit on time; what runs inside is ours and ends with it. */
  readonly #sandbox = createContext({ run: () => '' }) as Sandbox;
  readonly #script = new Script('run()');

  constructor(templates: ChatTemplates, limitMs = RENDER_MS) {
    this.#templates = templates;
    this.#limitMs = limitMs;
  }

  /** Template `name` over the fields of a JSON object and the special tokens. */
  render(name: string, json: string): string {
    const source = this.#source(name);
    const fields = fieldsOf(json);
    this.#sandbox.run = () => this.#run(name, source, fields);
    try {
      const text = this.#script.runInContext(this.#sandbox, { timeout: this.#limitMs }) as string;
      if (text.length <= RENDERED_MAX) return text;
      throw refused(
        name,
        `it gave ${text.length} characters; at most ${RENDERED_MAX} are possible`,
      );
    } catch (error) {
      throw this.#statusOf(name, error);
    } finally {
      this.#sandbox.run = () => '';
    }
  }

  #run(name: string, source: string, fields: Readonly<Record<string, unknown>>): string {
    let program = this.#parsed.get(name);
    if (program === undefined) {
      program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
      this.#parsed.set(name, program);
    }
    const environment = globals();
    const given = { ...this.#templates.tokens, ...fields };
    for (const [key, value] of Object.entries(given)) environment.set(key, value);
    return (new Interpreter(environment).run(program) as { readonly value: string }).value;
  }

  #source(name: string): string {
    const { templates } = this.#templates;
    const source = Object.hasOwn(templates, name) ? templates[name] : undefined;
    if (source !== undefined) return source;
    const known = Object.keys(templates)
      .map((each) => `'${each}'`)
      .join(', ');
    throw new StatusError(
      'failedPrecondition',
      `chat.render: the package has no template '${name}' (it has ${known || 'none'}; assets.tokenizer_config and assets.templates in model.json)`,
    );
  }

  #statusOf(name: string, error: unknown): unknown {
    if (error instanceof StatusError) return error;
    const { message, code } = error as { message: string; code?: string };
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return refused(name, message);
    return new StatusError(
      'resourceExhausted',
      `chat template '${name}' was not done after ${this.#limitMs} ms`,
    );
  }
}

/** Templates complain of chats that they do not know, and of fields that are not there. */
const refused = (name: string, why: string): StatusError =>
  new StatusError('invalidArgument', `chat template '${name}': ${why}`, { param: 'messages' });

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below: what it is instead does not matter.
  }
  throw new StatusError('internal', `chat.render was given ${json.length} characters of no object`);
}

/** What templates may call beside the language. */
function globals(): Environment {
  const environment = new Environment();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  for (const [name, value] of Object.entries(constants)) environment.set(name, value);
  environment.set('raise_exception', (message: unknown) => {
    throw new Error(String(message));
  });
  environment.set('range', range);
  return environment;
}

function range(first: number, second?: number, step = 1): number[] {
  const [from, to] = second === undefined ? [0, first] : [first, second];
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count <= RANGE_MAX) return Array.from({ length: count }, (_, index) => from + index * step);
  throw new Error(`range(${from}, ${to}, ${step}); at most ${RANGE_MAX} numbers are possible`);
}
