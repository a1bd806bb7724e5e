/** What a chart, or one state of it, says about itself: beside the drawing, in words. */
import { element } from './element.js';
import { labelOf } from './machine-charts.js';
import type { Chart, ChartState, ChartTransition } from './wire.js';

export class StateCard {
  readonly #node: HTMLElement;
  #shown: unknown = undefined;

  constructor(node: HTMLElement) {
    this.#node = node;
  }

  /** A state of the chart; the chart itself when that is null. */
  show(chart: Chart | null, state: ChartState | null): void {
    const what = state ?? chart;
    if (what === this.#shown) return;
    this.#shown = what;
    if (chart === null) this.#node.replaceChildren();
    else if (state === null) {
      this.#node.replaceChildren(
        element('p', {}, element('b', {}, chart.id), ` ${chart.description}`),
        element('p', { class: 'soft path' }, `actors/${chart.path}`),
      );
    } else {
      const rows = chart.transitions.filter(({ from }) => from === state.name);
      this.#node.replaceChildren(
        element(
          'p',
          {},
          element('b', {}, state.name),
          ...state.tags.map((tag) => element('span', { class: 'tag' }, tag)),
          ` ${state.description}`,
        ),
        element('ul', {}, ...rows.map(rowOf)),
      );
    }
  }
}

function rowOf(transition: ChartTransition): HTMLElement {
  const { actions, to, from } = transition;
  const moves = to === null || to === from ? '' : ` → ${to}`;
  return element(
    'li',
    {},
    element('code', {}, labelOf(transition)),
    moves,
    element('span', { class: 'soft' }, actions.length === 0 ? '' : ` ${actions.join(', ')}`),
  );
}
