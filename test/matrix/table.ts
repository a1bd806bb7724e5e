/**
 * The matrix as a page: a row a state, a column a harm. No cell is empty: a harm was done there and
 * all laws held, or nobody is there to be harmed, and why.
 */
import type { Cell } from './cells.js';
import type { ChartPlace } from './chart-places.js';
import { placeName } from './follower.js';
import { harms, type Harm } from './harms.js';

export type Mark = 'holds' | 'passes' | 'nobody' | 'broken' | 'unmet';

const signs: Readonly<Record<Mark, string>> = {
  holds: '✓',
  passes: '·',
  nobody: '–',
  broken: '✗',
  unmet: '?',
};

export const meanings: Readonly<Record<Mark, string>> = {
  holds:
    'it befell an actor in this state, or just after its end; every law held, nothing was left',
  passes: 'no actor is ever found here: an eventless transition leaves in the step that enters',
  nobody:
    'no run that came here had anybody to harm: no call is open, or the device is gone by then',
  broken: 'a law was broken',
  unmet: 'no run came here; its charts are explored in test/exploration',
};

/** Rows of the charts, each with the cells of one state. */
export class Table {
  readonly #cells = new Map<string, Mark>();

  constructor(places: readonly ChartPlace[], cells: readonly Cell[]) {
    for (const { kind, ...place } of places) {
      for (const harm of harms) {
        this.#cells.set(`${placeName(place)} ${harm}`, kind === 'passes' ? 'passes' : 'unmet');
      }
    }
    for (const cell of cells) this.#cells.set(nameOf(cell), markOf(cell));
  }

  count(mark: Mark): number {
    return [...this.#cells.values()].filter((one) => one === mark).length;
  }

  lines(places: readonly ChartPlace[]): string[] {
    const head = `| state | ${harms.join(' | ')} |`;
    const rows = places.map((place) => {
      const marks = harms.map((harm) => signs[this.#cells.get(`${placeName(place)} ${harm}`)!]);
      return `| ${placeName(place)} | ${marks.join(' | ')} |`;
    });
    return [head, `|---|${harms.map(() => '---').join('|')}|`, ...rows];
  }
}

const nameOf = ({ place, harm }: { place: Cell['place']; harm: Harm }): string =>
  `${placeName(place)} ${harm}`;

export function markOf({ runs }: Cell): Mark {
  if (runs.some(({ broken }) => broken.length > 0)) return 'broken';
  if (runs.some(({ outcome }) => outcome === 'harmed')) return 'holds';
  return runs.length > 0 ? 'nobody' : 'unmet';
}

export const legend: readonly string[] = (Object.keys(signs) as Mark[]).map(
  (mark) => `- ${signs[mark]} ${meanings[mark]}`,
);
