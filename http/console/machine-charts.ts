/**
 * The charts of the server's machines as graphs: one edge for all transitions between two states.
 * It also says which chart an actor runs, and which edges a transition took: an event and then the
 * eventless transitions that followed it are one record.
 */
import type { Chart, ChartTransition, TransitionRecord } from './wire.js';

export interface ChartEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Of each transition its event, with its guard. */
  readonly labels: readonly string[];
  readonly transitions: readonly ChartTransition[];
}

export class MachineCharts {
  readonly #charts = new Map<string, Chart>();
  readonly #edges = new Map<string, ChartEdge[]>();

  constructor(charts: readonly Chart[]) {
    for (const chart of charts) {
      this.#charts.set(chart.id, chart);
      this.#edges.set(chart.id, edgesOf(chart));
    }
  }

  chart(id: string): Chart | null {
    return this.#charts.get(id) ?? null;
  }

  edges(id: string): readonly ChartEdge[] {
    return this.#edges.get(id) ?? [];
  }

  /** The edges that a transition took, in order; empty when the chart has no such way. */
  taken(id: string, { from, to, event }: TransitionRecord): ChartEdge[] {
    const edges = this.edges(id);
    const starts = edges.filter((edge) => edge.from === from && listens(edge, event));
    for (const edge of starts) if (edge.to === to) return [edge];
    for (const edge of starts) {
      const rest = eventless(edges, edge.to, to);
      if (rest !== null) return [edge, ...rest];
    }
    // An event that moves nothing may let an eventless transition go.
    return eventless(edges, from, to) ?? [];
  }

  /** The chart in which all these transitions are declared, for actors whose kind nobody told. */
  guess(transitions: readonly TransitionRecord[]): string {
    for (const [id, chart] of this.#charts) {
      const names = new Set(chart.states.map(({ name }) => name));
      const fits = transitions.every(
        (record) => names.has(record.from) && names.has(record.to) && this.#hasWay(id, record),
      );
      if (fits && transitions.length > 0) return id;
    }
    return '';
  }

  #hasWay(id: string, record: TransitionRecord): boolean {
    return record.from === record.to || this.taken(id, record).length > 0;
  }
}

function edgesOf({ transitions }: Chart): ChartEdge[] {
  const found = new Map<string, ChartTransition[]>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === null || to === from) continue;
    const key = `${from} → ${to}`;
    found.set(key, [...(found.get(key) ?? []), transition]);
  }
  return [...found].map(([id, list]) => ({
    id,
    from: list[0]!.from,
    to: list[0]!.to!,
    labels: [...new Set(list.map(labelOf))],
    transitions: list,
  }));
}

export function labelOf({ event, guard }: ChartTransition): string {
  const name = event === '' ? 'always' : event;
  return guard === null ? name : `${name} [${guard}]`;
}

const listens = ({ transitions }: ChartEdge, event: string): boolean =>
  transitions.some((transition) => transition.event === event);

/** The shortest way over eventless transitions; null when there is none. */
function eventless(edges: readonly ChartEdge[], from: string, to: string): ChartEdge[] | null {
  const queue: { at: string; way: ChartEdge[] }[] = [{ at: from, way: [] }];
  const seen = new Set([from]);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const edge of edges) {
      if (edge.from !== next.at || !listens(edge, '')) continue;
      if (edge.to === to) return [...next.way, edge];
      if (seen.has(edge.to)) continue;
      seen.add(edge.to);
      queue.push({ at: edge.to, way: [...next.way, edge] });
    }
  }
  return null;
}
