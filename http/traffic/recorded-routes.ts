/**
 * Which requests a recording keeps, and which of their answers a replay can expect again: the one
 * table of it. The first row that fits counts; what fits none is kept and compared.
 */

interface RouteRow {
  readonly route: RegExp;
  /** `effect`: it is played again for what it does, and what it says is not compared. */
  readonly keeps: 'nothing' | 'effect';
  readonly because: string;
}

const rows: readonly RouteRow[] = [
  {
    route: /^\w+ \/(console|metrics|livez|readyz|docs|openapi\.json)(\/|$)/,
    keeps: 'nothing',
    because: 'it looks at the server, and what it sees is of the moment',
  },
  {
    route: /^GET \/admin\//,
    keeps: 'nothing',
    because: 'it looks at the server, and what it sees is of the moment',
  },
  {
    route: /^\w+ \/admin\//,
    keeps: 'effect',
    because: 'what a model has in memory is of the moment',
  },
  {
    route: /^GET \/v1\/sessions(\/|$)/,
    keeps: 'effect',
    because: 'which sessions there are, and what they have read by then, is of the moment',
  },
  {
    route: /^DELETE \/v1\/requests\//,
    keeps: 'effect',
    because: 'whether its request was still open is of the moment',
  },
];

const fitting = (method: string, path: string): RouteRow | undefined =>
  rows.find(({ route }) => route.test(`${method} ${path.split('?')[0]}`));

export const isRecorded = (method: string, path: string): boolean =>
  fitting(method, path)?.keeps !== 'nothing';

/** Why its answer is not compared; null: it is. */
export function uncompared(method: string, path: string): string | null {
  const row = fitting(method, path);
  return row === undefined ? null : row.because;
}

/** Answers that say what the moment allowed: a request with one did not complete. */
const momentary: ReadonlySet<number> = new Set([408, 409, 410, 425, 429, 499]);

export const isComplete = (status: number): boolean => status < 500 && !momentary.has(status);
