/**
 * What was found out about mutants, kept in a file so that a run that is cut short goes on. What
 * was noticed counts while the code that is mutated is the same; what survived is judged anew,
 * because tests and laws may have grown since.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonToSurvive, staleReasons } from './mutant-survivors.js';

export interface Verdict {
  readonly mutant: string;
  /** The law that broke or the test that failed first; null: it survived. */
  readonly by: string | null;
}

const LEAST_NOTICED = 0.95;

export class MutantVerdicts {
  readonly #file: string | null;
  readonly #byMutant = new Map<string, string | null>();

  /** `build` is where what is mutated lies; a file of other code is begun anew. */
  constructor(file: string | null, build: string) {
    this.#file = file;
    if (file === null) return;
    const code = codeHash(build);
    const [head, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [''];
    if (head !== code) writeFileSync(file, `${code}\n`);
    for (const line of head === code ? lines.filter((text) => text !== '') : []) {
      const { mutant, by } = JSON.parse(line) as Verdict;
      if (by !== null) this.#byMutant.set(mutant, by);
    }
  }

  has(mutant: string): boolean {
    return this.#byMutant.has(mutant);
  }

  add(verdict: Verdict): void {
    this.#byMutant.set(verdict.mutant, verdict.by);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(verdict)}\n`);
  }

  of(mutants: readonly string[]): Verdict[] {
    return mutants
      .filter((mutant) => this.has(mutant))
      .map((mutant) => ({ mutant, by: this.#byMutant.get(mutant)! }));
  }
}

function codeHash(build: string): string {
  const hash = createHash('sha1');
  for (const folder of ['actors', 'runtime']) {
    const names = readdirSync(join(build, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.js')).sort()) {
      hash.update(name).update(readFileSync(join(build, folder, name)));
    }
  }
  return hash.digest('hex');
}

/** A line a machine or file, and one of all: how many were noticed, by whom. */
export function tableOf(verdicts: readonly Verdict[]): string[] {
  const groups = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    const group = groupOf(verdict.mutant);
    groups.set(group, [...(groups.get(group) ?? []), verdict]);
  }
  const line = (group: string, some: readonly Verdict[]): string => {
    const noticed = some.filter(({ by }) => by !== null);
    const argued = some.filter(({ mutant, by }) => by === null && reasonToSurvive(mutant) !== null);
    const by = (what: RegExp): number => noticed.filter((one) => what.test(one.by!)).length;
    const counts = [by(/^all states$/), by(/\.test\.js$/), by(/^(?!all states$|.*\.test\.js$)/)];
    return `| ${[group, some.length, noticed.length, ...counts, argued.length].join(' | ')} |`;
  };
  return [
    '| mutants of | all | noticed | by all states | by a test | by a law | argued |',
    '|---|---|---|---|---|---|---|',
    ...[...groups].map(([group, some]) => line(group, some)),
    line('all', verdicts),
  ];
}

/** A machine, a book's class or a file. */
const groupOf = (mutant: string): string =>
  /^(\w+) (start|\S+ on )/.exec(mutant)?.[1] ?? /^[^:]*(?=: without)/.exec(mutant)?.[0] ?? 'books';

/** What is wrong with the verdicts, or with the reasons. */
export function faultsOf(verdicts: readonly Verdict[], names: readonly string[]): string[] {
  const wrong = staleReasons(names);
  for (const { mutant, by } of verdicts) {
    const reason = reasonToSurvive(mutant);
    if (by === null && reason === null) wrong.push(`${mutant}: survives without a reason`);
    if (by !== null && reason !== null) wrong.push(`${mutant}: ${by} notices it`);
  }
  const noticed = verdicts.filter(({ by }) => by !== null).length;
  if (noticed < LEAST_NOTICED * verdicts.length) {
    wrong.push(`fewer than ${100 * LEAST_NOTICED} of 100 are noticed`);
  }
  return wrong;
}
