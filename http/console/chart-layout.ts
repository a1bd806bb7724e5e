/**
 * Where the states, arrows and labels of a chart lie. elkjs computes it in its own worker, downward
 * and to the right, so that the page can take what fits it; once for each chart, since charts never
 * change while the page is open.
 */
import type { ELK, ELKConstructorArguments, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { MachineCharts } from './machine-charts.js';

/** elk-api.js is a plain script of the page and puts its constructor here. */
declare const ELK: new (options: ELKConstructorArguments) => ELK;

export interface PlacedState {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly id: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** The upper left corner of its lines of text. */
  readonly label: { readonly x: number; readonly y: number; readonly lines: readonly string[] };
}

export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
}

export type MeasureText = (text: string, font: 'state' | 'label') => number;

/** Height of a line of a label, in pixels. */
export const labelLine = 13;
const stateHeight = 30;
/** The node that the arrow to the initial state comes from. */
export const startName = '';
const startSize = 10;

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'SPLINES',
  'elk.spacing.nodeNode': '18',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.edgeLabel': '3',
  'elk.layered.spacing.nodeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.padding': '[top=8,left=8,bottom=8,right=8]',
};

export class ChartLayouts {
  /** By set of charts: those of another server, or of a file, may differ under the same name. */
  readonly #layouts = new WeakMap<MachineCharts, Map<string, Promise<readonly ChartLayout[]>>>();
  readonly #measure: MeasureText;
  /** Its worker loads while nobody has chosen an actor yet. */
  readonly #elk = new ELK({ workerUrl: '/console/assets/elk-worker.min.js' });

  constructor(measure: MeasureText) {
    this.#measure = measure;
  }

  /** One for each direction. */
  layouts(charts: MachineCharts, id: string): Promise<readonly ChartLayout[]> {
    const made = this.#layouts.get(charts) ?? new Map<string, Promise<readonly ChartLayout[]>>();
    this.#layouts.set(charts, made);
    const known = made.get(id);
    if (known !== undefined) return known;
    const graph = elkGraph(charts, id, this.#measure);
    const directions = ['DOWN', 'RIGHT'].map(async (direction) => {
      const options = { ...layoutOptions, 'elk.direction': direction };
      return placed(await this.#elk.layout({ ...structuredClone(graph), layoutOptions: options }));
    });
    const layouts = Promise.all(directions);
    made.set(id, layouts);
    return layouts;
  }
}

/** A chart as elk takes it: sizes and texts, no places. */
export function elkGraph(charts: MachineCharts, id: string, measure: MeasureText): ElkNode {
  const chart = charts.chart(id)!;
  const states = chart.states.map(({ name }) => ({
    id: name,
    width: Math.ceil(measure(name, 'state')) + 28,
    height: stateHeight,
  }));
  const edges: ElkExtendedEdge[] = charts.edges(id).map((edge) => ({
    id: edge.id,
    sources: [edge.from],
    targets: [edge.to],
    labels: [
      {
        text: edge.labels.join('\n'),
        width: Math.ceil(Math.max(...edge.labels.map((label) => measure(label, 'label')))) + 6,
        height: edge.labels.length * labelLine,
      },
    ],
  }));
  return {
    id: 'chart',
    children: [{ id: startName, width: startSize, height: startSize }, ...states],
    edges: [{ id: 'start', sources: [startName], targets: [chart.initial] }, ...edges],
  };
}

function placed(graph: ElkNode): ChartLayout {
  return {
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    states: (graph.children ?? []).map(({ id, x = 0, y = 0, width = 0, height = 0 }) => ({
      name: id,
      x,
      y,
      width,
      height,
    })),
    edges: (graph.edges ?? []).map(({ id, sections, labels }) => ({
      id,
      points: (sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
        startPoint,
        ...bendPoints,
        endPoint,
      ]),
      label: {
        x: labels?.[0]?.x ?? 0,
        y: labels?.[0]?.y ?? 0,
        lines: (labels?.[0]?.text ?? '').split('\n').filter((line) => line !== ''),
      },
    })),
  };
}
