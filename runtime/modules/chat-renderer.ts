/**
 * Renders the chat templates of one package. A template is a program of somebody else in a language
 * without limits, so each render ends after a fixed time, makes no long ranges and no long texts
 * (`template-world.ts`). It sees no clock: the same chat gives the same text on any day.
 */
import { StatusError } from '../base/errors.js';
import type { ChatTemplates } from './chat.js';
import { TemplateWorld, type Environment, type Language, type Program } from './template-world.js';

/** Long templates over long chats take some ten milliseconds. */
export const RENDER_MS = 1_000;
/** Numbers that `range` may give: it makes them all at once. */
const RANGE_MAX = 100_000;

interface Chat {
  readonly name: string;
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class ChatRenderer {
  readonly #templates: ChatTemplates;
  readonly #limitMs: number;
  readonly #parsed = new Map<string, Program>();
  #world: TemplateWorld | null = null;

  constructor(templates: ChatTemplates, limitMs = RENDER_MS) {
    this.#templates = templates;
    this.#limitMs = limitMs;
  }

  /** Template `name` over the fields of a JSON object and the special tokens. */
  render(name: string, json: string): string {
    const source = this.#source(name);
    const fields = fieldsOf(json);
    // Most packages render no chats.
    const world = (this.#world ??= new TemplateWorld());
    try {
      return world.run(() => this.#run(world.language, { name, source, fields }), this.#limitMs);
    } catch (error) {
      throw this.#statusOf(name, error);
    }
  }

  #run(language: Language, { name, source, fields }: Chat): string {
    const { Environment, Interpreter, parse, tokenize } = language;
    let program = this.#parsed.get(name);
    if (program === undefined) {
      program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
      this.#parsed.set(name, program);
    }
    const environment = withGlobals(new Environment());
    const given = { ...this.#templates.tokens, ...fields };
    for (const [key, value] of Object.entries(given)) environment.set(key, value);
    return new Interpreter(environment).run(program).value as string;
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
function withGlobals(environment: Environment): Environment {
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
