/**
 * What two runs of the same traffic may say differently though they answered the same: the one
 * table of it. Everything else of a payload is compared byte by byte.
 */

interface ExemptRow {
  /** Names from the outside in; `*` is every element of a list. */
  readonly path: string;
  /** The `object` of payloads that have it; absent: all. */
  readonly of?: RegExp;
  readonly because: string;
}

const generated = /^(chat\.completion|text_completion)/;

export const exemptFields: readonly ExemptRow[] = [
  { path: 'id', of: generated, because: 'numbers the answers of one process' },
  { path: 'created', because: 'is the time of day' },
  { path: 'data.*.created', because: 'is the time of day' },
  { path: 'timings', because: 'are measured times' },
  {
    path: 'system_fingerprint',
    because: 'counts how often the model was brought up, after a lost thread too',
  },
  {
    path: 'usage.prompt_tokens_details',
    because: 'pages that others had read already are a matter of who came first',
  },
  {
    path: 'usage.completion_tokens_details',
    because: 'how much could be proposed depends on the room that others left',
  },
  { path: 'choices.*.message.tool_calls.*.id', because: 'numbers the calls of one process' },
  { path: 'choices.*.delta.tool_calls.*.id', because: 'numbers the calls of one process' },
  { path: 'state', of: /^session$/, because: 'is of the moment: another turn may run' },
];

const routes = exemptFields.map((row) => ({ ...row, names: row.path.split('.') }));
/** Of whatever could be exempt: most payloads have nothing of it, and are taken as they are. */
const suspect = new RegExp(
  `"(${[...new Set(routes.map(({ names }) => names.at(-1)))].join('|')})":`,
);

/** The text of a payload without what is exempt; what is no object of JSON is given back. */
export function comparable(text: string): string {
  if (!suspect.test(text)) return text;
  const value = objectOf(text);
  if (value === null) return text;
  strip(value);
  return JSON.stringify(value);
}

/** Takes out of a parsed payload what is exempt. */
export function strip(value: Record<string, unknown>): void {
  const kind = typeof value['object'] === 'string' ? value['object'] : '';
  for (const { names, of } of routes) {
    if (of === undefined || of.test(kind)) remove(value, names);
  }
}

export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function remove(value: unknown, [name, ...rest]: readonly string[]): void {
  if (name === '*') {
    if (Array.isArray(value)) for (const one of value) remove(one, rest);
  } else if (isObject(value) && name !== undefined) {
    if (rest.length === 0) delete value[name];
    else remove(value[name], rest);
  }
}
