/**
 * The chart of the selected actor: drawn from the machine that runs, with the state it is in and
 * the transitions that it takes lit as they happen. Drag, wheel and buttons move the view.
 */
import { ChartLayouts, labelLine, startName } from './chart-layout.js';
import type { ChartLayout, PlacedEdge, PlacedState } from './chart-layout.js';
import { ChartPane } from './chart-pane.js';
import type { ConsoleModel, Selected } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element, svg } from './element.js';
import { StateCard } from './state-card.js';
import type { Chart } from './wire.js';

/** Transitions of one moment that are lit at once, at most. */
const litMax = 12;

export class ChartView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #layouts = new ChartLayouts(measureText);
  readonly #pane = new ChartPane(byId('chart-pane'));
  readonly #title = byId('chart-title');
  readonly #note = byId('chart-note');
  readonly #card: StateCard;
  /** The chart that is drawn, or being laid out. */
  #drawn: { id: string; charts: unknown; actor: string } | null = null;
  #layout: ChartLayout | null = null;
  readonly #states = new Map<string, SVGGElement>();
  readonly #edges = new Map<string, SVGGElement>();
  /** The last transition that was lit. */
  #seen = -1;
  #current: string | null = null;

  constructor(model: ConsoleModel) {
    this.#model = model;
    this.#card = new StateCard(byId('state-card'));
  }

  draw(): void {
    const selected = this.#model.selection();
    this.#drawTitle(selected);
    const chart = selected === null ? null : this.#model.charts.chart(selected.chart);
    if (selected === null || chart === null) return this.#clear(selected);
    const { charts } = this.#model;
    const isSame = this.#drawn?.id === chart.id && this.#drawn.charts === charts;
    if (this.#drawn?.actor !== selected.address) this.#seen = selected.transitions[0]?.seq ?? -1;
    if (!isSame) void this.#lay(chart);
    this.#drawn = { id: chart.id, charts, actor: selected.address };
    if (this.#layout !== null) this.#light(selected);
  }

  zoom(factor: number): void {
    this.#pane.zoom(factor);
  }

  /** The whole chart, however small. */
  fit(): void {
    this.#pane.fit(0);
  }

  #drawTitle(selected: Selected | null): void {
    const parts =
      selected === null
        ? [element('span', { class: 'soft' }, 'no actor selected')]
        : [
            element('span', { class: 'address' }, selected.address),
            element(
              'span',
              { class: selected.isGone ? 'badge gone' : 'badge' },
              `${selected.isGone ? 'ended' : ''} ${selected.state ?? ''}`.trim() || 'running',
            ),
          ];
    this.#title.replaceChildren(...parts);
  }

  #clear(selected: Selected | null): void {
    this.#drawn = null;
    this.#layout = null;
    this.#pane.show(null);
    this.#card.show(null, null);
    this.#note.textContent =
      selected === null
        ? 'Select an actor to see the machine that it runs.'
        : 'This actor runs no state machine, or nothing tells yet which one.';
  }

  async #lay(chart: Chart): Promise<void> {
    const { charts } = this.#model;
    this.#layout = null;
    this.#pane.show(null);
    this.#note.textContent = 'Laying out the chart…';
    const layouts = await this.#layouts.layouts(charts, chart.id);
    // Another chart may have been asked for meanwhile.
    if (this.#drawn?.id !== chart.id || this.#drawn.charts !== charts) return;
    const layout = this.#pane.best(layouts);
    this.#layout = layout;
    this.#note.textContent = '';
    this.#current = null;
    this.#build(chart, layout);
    this.#model.changed();
  }

  #build(chart: Chart, layout: ChartLayout): void {
    this.#states.clear();
    this.#edges.clear();
    const edges = layout.edges.map((edge) => {
      const node = drawEdge(edge);
      this.#edges.set(edge.id, node);
      return node;
    });
    const states = layout.states.map((place) => {
      const state = chart.states.find(({ name }) => name === place.name);
      const node = drawState(place, state?.type === 'final', state?.tags ?? []);
      if (state !== undefined) {
        node.addEventListener('click', () => this.#card.show(chart, state));
        this.#states.set(state.name, node);
      }
      return node;
    });
    const { width, height } = layout;
    this.#pane.show({ width, height, nodes: [...edges, ...states] });
    this.#pane.label(`${chart.id}: ${chart.description}`);
    this.#card.show(chart, null);
  }

  #light({ state, transitions, chart }: Selected): void {
    for (const [name, node] of this.#states) node.classList.toggle('current', name === state);
    const fresh = transitions.filter(({ seq }) => seq > this.#seen).slice(0, litMax);
    this.#seen = transitions[0]?.seq ?? -1;
    const last = transitions[0];
    const lastEdges = last === undefined ? [] : this.#model.charts.taken(chart, last.record);
    const taken = new Set(lastEdges.map(({ id }) => id));
    for (const [id, node] of this.#edges) node.classList.toggle('taken', taken.has(id));
    for (const { record } of fresh) {
      for (const edge of this.#model.charts.taken(chart, record)) {
        glow(this.#edges.get(edge.id));
        glow(this.#states.get(edge.to));
      }
    }
    const place = this.#layout?.states.find(({ name }) => name === state);
    if (state !== this.#current && place !== undefined) this.#pane.keepInSight(place);
    this.#current = state;
  }
}

/** Lights up and fades; those who asked for less motion see the lasting mark only. */
function glow(node: SVGGElement | undefined): void {
  if (node === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  node.classList.remove('lit');
  // Reading a measure makes the browser notice that the class was away.
  node.getBoundingClientRect();
  node.classList.add('lit');
}

function drawState(place: PlacedState, isFinal: boolean, tags: readonly string[]): SVGGElement {
  const { name, x, y, width, height } = place;
  if (name === startName) {
    return svg('g', {}, svg('circle', { class: 'start', cx: x + 5, cy: y + 5, r: 4 }));
  }
  const group = svg('g', { class: 'state-node', 'data-state': name, tabindex: 0, role: 'button' });
  group.append(svg('title', {}, [name, ...tags].join(' · ')));
  group.append(svg('rect', { x, y, width, height, rx: 7 }));
  if (isFinal) {
    const inner = { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5 };
    group.append(svg('rect', { class: 'inner', ...inner }));
  }
  group.append(svg('text', { x: x + width / 2, y: y + height / 2 + 4.5 }, name));
  if (tags.includes('holdsDevice')) {
    group.append(svg('circle', { class: 'holds', cx: x + 9, cy: y + 9, r: 2.5 }));
  }
  group.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') group.dispatchEvent(new Event('click'));
  });
  return group;
}

function drawEdge({ id, points, label }: PlacedEdge): SVGGElement {
  const group = svg('g', { class: 'edge', 'data-edge': id });
  group.append(svg('path', { d: pathOf(points), 'marker-end': 'url(#arrow)' }));
  for (const [index, line] of label.lines.entries()) {
    const at = { x: label.x + 3, y: label.y + labelLine * (index + 1) - 3 };
    group.append(svg('text', at, line));
  }
  return group;
}

/** Points of a spline come as a start and then threes: two handles and an end. */
function pathOf(points: PlacedEdge['points']): string {
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const text = ({ x, y }: { x: number; y: number }): string => `${x.toFixed(1)},${y.toFixed(1)}`;
  const parts = [`M${text(start)}`];
  for (let at = 0; at < rest.length; at += 3) {
    const three = rest.slice(at, at + 3);
    const command = three.length === 3 ? 'C' : three.length === 2 ? 'Q' : 'L';
    parts.push(command + three.map(text).join(' '));
  }
  return parts.join('');
}

const canvas = document.createElement('canvas').getContext('2d');
const fonts = { state: '600 13px system-ui, sans-serif', label: '11px ui-monospace, monospace' };

function measureText(text: string, font: 'state' | 'label'): number {
  if (canvas === null) return text.length * 7.5;
  canvas.font = fonts[font];
  return canvas.measureText(text).width;
}
