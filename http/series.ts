/**
 * One metric with its values by label set. prom-client writes the text format and calls `get` for
 * it; counting is done here because five updates a request through its own instruments (which hash
 * labels with each update) cost as much as parsing the request.
 */
import { assert } from '../runtime/base/errors.js';
import type { Labels } from './serving.js';

export interface SeriesRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, ascending; histograms only. */
  readonly buckets?: readonly number[];
}

interface Point {
  readonly labels: Record<string, string>;
  /** The value of a counter or gauge, the sum of a histogram. */
  value: number;
  count: number;
  /** Observations in each bucket alone; the last is beyond every bound. */
  readonly buckets: number[];
}

export interface SeriesValue {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

export class Series {
  readonly name: string;
  readonly help: string;
  readonly type: SeriesRow['kind'];
  readonly aggregator = 'sum';
  readonly #row: SeriesRow;
  readonly #bounds: readonly number[];
  readonly #points = new Map<string, Point>();

  constructor(name: string, row: SeriesRow) {
    this.name = name;
    this.help = row.help;
    this.type = row.kind;
    this.#row = row;
    this.#bounds = row.buckets ?? [];
  }

  add(labels: Labels, amount: number): void {
    this.#point(labels).value += amount;
  }

  set(labels: Labels, value: number): void {
    this.#point(labels).value = value;
  }

  observe(labels: Labels, value: number): void {
    const point = this.#point(labels);
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket += 1;
    point.buckets[bucket] = (point.buckets[bucket] ?? 0) + 1;
    point.value += value;
    point.count += 1;
  }

  reset(): void {
    this.#points.clear();
  }

  /** The values as prom-client prints them. */
  get(): Promise<{ name: string; help: string; type: string; values: SeriesValue[] }> {
    const { name, help, type } = this;
    const points = [...this.#points.values()];
    const values = points.flatMap((point) =>
      type === 'histogram'
        ? this.#histogramValues(point)
        : [{ metricName: name, labels: point.labels, value: point.value }],
    );
    return Promise.resolve({ name, help, type, values });
  }

  #histogramValues(point: Point): SeriesValue[] {
    const { name } = this;
    const { labels } = point;
    let below = 0;
    const buckets = [...this.#bounds, '+Inf'].map((le, index) => {
      below += point.buckets[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: point.value },
      { metricName: `${name}_count`, labels, value: point.count },
    ];
  }

  #keyOf(labels: Labels): string {
    const names = this.#row.labels;
    let key = '';
    for (let at = 0; at < names.length; at += 1) {
      const value = labels[names[at]!];
      if (value === undefined) assert(false, `a value for the label ${names[at]} of ${this.name}`);
      key = at === 0 ? value : `${key}\0${value}`;
    }
    return key;
  }

  #point(labels: Labels): Point {
    const key = this.#keyOf(labels);
    const found = this.#points.get(key);
    if (found !== undefined) return found;
    const made = { labels: { ...labels }, value: 0, count: 0, buckets: [] };
    this.#points.set(key, made);
    return made;
  }
}
