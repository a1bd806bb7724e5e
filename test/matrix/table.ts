/**
 * The matrix as a page: a row a state, a column a harm. No cell is empty: a harm was done there and
 * all laws held, or nobody is there to be harmed, and how that is known.
 */
import type { Cell } from './cells.js';
import type { ChartPlace } from './chart-places.js';
import { placeName } from './follower.js';
import { harms, type Harm } from './harms.js';

export const allMarks = [
  ...(['holds', 'ends', 'passes', 'spared', 'nobody', 'unmet', 'broken'] as const),
];
export type Mark = (typeof allMarks)[number];

const signs: Readonly<Record<Mark, string>> = {
  holds: '✓',
  ends: '■',
  passes: '·',
  spared: '–',
  nobody: '∅',
  broken: '✗',
  unmet: '?',
};

export const meanings: Readonly<Record<Mark, string>> = {
  holds:
    'it befell an actor in this state, or just after its end; every law held, what served before ' +
    'served again, nothing was left',
  ends:
    'it befell one, and every law held; no run of it asks the server to serve again, because it ' +
    'had ended as its chart says: drained, or without its device from the start',
  passes: 'no actor is ever found here: an eventless transition leaves in the step that enters',
  spared:
    'nobody is there whom it would befall, in none of the explored states with an actor here: no ' +
    'device that could be lost, no model that could be removed, no caller',
  nobody: 'no run that came here had anybody to harm; no exploration says that there is nobody',
  broken: 'a law was broken',
  unmet: 'no run came here; its charts are explored in test/exploration',
};

/** Rows of the charts, each with the cells of one state. */
export class Table {
  readonly #cells = new Map<string, Mark>();

  /** `isSpared` knows cells in which a harm finds nobody. */
  constructor(
    places: readonly ChartPlace[],
    cells: readonly Cell[],
    isSpared: (place: string, harm: Harm) => boolean = () => false,
  ) {
    for (const { kind, ...place } of places) {
      for (const harm of harms) {
        this.#cells.set(`${placeName(place)} ${harm}`, kind === 'passes' ? 'passes' : 'unmet');
      }
    }
    for (const cell of cells) {
      const mark = markOf(cell);
      const isKnown = mark === 'nobody' && isSpared(placeName(cell.place), cell.harm);
      this.#cells.set(nameOf(cell), isKnown ? 'spared' : mark);
    }
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
  const harmed = runs.filter(({ outcome }) => outcome === 'harmed');
  if (harmed.length > 0) return harmed.some(({ servesAgain }) => servesAgain) ? 'holds' : 'ends';
  return runs.length > 0 ? 'nobody' : 'unmet';
}

export const legend: readonly string[] = allMarks.map(
  (mark) => `- ${signs[mark]} ${meanings[mark]}`,
);
