/** An SVG that can be dragged and zoomed. It fits what it shows as long as that can be read. */
import { svg } from './element.js';
import type { PlacedState } from './chart-layout.js';

interface Shown {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly SVGElement[];
}

const scaleMin = 0.25;
const scaleMax = 2.5;
/** Text below this part of its size cannot be read: better show a part of the chart. */
const readable = 0.75;

export class ChartPane {
  readonly #host: HTMLElement;
  readonly #svg = svg('svg', { role: 'group', class: 'chart' });
  readonly #content = svg('g');
  #size = { width: 0, height: 0 };
  #view = { x: 0, y: 0, scale: 1 };
  /** Until somebody moves the view by hand it fits by itself. */
  #isOwn = true;
  /** What must stay in sight. */
  #focus: PlacedState | null = null;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#svg.append(arrowHead(), this.#content);
    host.append(this.#svg);
    new ResizeObserver(() => (this.#isOwn ? this.fit() : this.#place())).observe(host);
    host.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    host.addEventListener('pointerdown', (event) => this.#drag(event));
  }

  show(shown: Shown | null): void {
    this.#content.replaceChildren(...(shown?.nodes ?? []));
    this.#size = { width: shown?.width ?? 0, height: shown?.height ?? 0 };
    this.#svg.toggleAttribute('hidden', shown === null);
    this.#focus = null;
    this.fit();
  }

  /** The one that can be largest. */
  best<T extends { readonly width: number; readonly height: number }>(sizes: readonly T[]): T {
    const { clientWidth, clientHeight } = this.#host;
    const scale = ({ width, height }: T): number =>
      Math.min(clientWidth / width, clientHeight / height);
    return sizes.reduce((left, right) => (scale(right) > scale(left) ? right : left));
  }

  label(text: string): void {
    this.#svg.setAttribute('aria-label', text);
  }

  /** Never smaller than `least`: by itself it stays readable. */
  fit(least = readable): void {
    const { width, height } = this.#size;
    const { clientWidth, clientHeight } = this.#host;
    if (width === 0 || clientWidth === 0) return;
    const whole = Math.min(clientWidth / width, clientHeight / height, 1.15);
    const scale = Math.max(whole, least);
    const x = Math.max((clientWidth - width * scale) / 2, scale > whole ? 0 : -Infinity);
    this.#view = { scale, x, y: Math.max(0, (clientHeight - height * scale) / 2) };
    this.#isOwn = true;
    if (this.#focus !== null) this.keepInSight(this.#focus);
    this.#place();
  }

  zoom(factor: number, at?: { readonly x: number; readonly y: number }): void {
    const { clientWidth, clientHeight } = this.#host;
    const { x, y } = at ?? { x: clientWidth / 2, y: clientHeight / 2 };
    const scale = Math.min(scaleMax, Math.max(scaleMin, this.#view.scale * factor));
    const grown = scale / this.#view.scale;
    const { x: left, y: top } = this.#view;
    this.#view = { scale, x: x - (x - left) * grown, y: y - (y - top) * grown };
    this.#isOwn = false;
    this.#place();
  }

  /** Moves as little as shows the state, when the chart is larger than the pane. */
  keepInSight(place: PlacedState): void {
    this.#focus = place;
    const { x, y, width, height } = place;
    const { scale, x: left, y: top } = this.#view;
    const { clientWidth, clientHeight } = this.#host;
    const { width: whole, height: high } = this.#size;
    const margin = 24;
    const shift = (from: number, to: number, size: number): number => {
      if (from < margin) return margin - from;
      return to > size - margin ? size - margin - to : 0;
    };
    const isWide = whole * scale > clientWidth || !this.#isOwn;
    const isHigh = high * scale > clientHeight || !this.#isOwn;
    const dx = isWide ? shift(left + x * scale, left + (x + width) * scale, clientWidth) : 0;
    const dy = isHigh ? shift(top + y * scale, top + (y + height) * scale, clientHeight) : 0;
    this.#view = { scale, x: left + dx, y: top + dy };
    this.#place();
  }

  #place(): void {
    const { x, y, scale } = this.#view;
    this.#content.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { left, top } = this.#host.getBoundingClientRect();
    const at = { x: event.clientX - left, y: event.clientY - top };
    this.zoom(Math.exp(-event.deltaY / 400), at);
  }

  #drag(start: PointerEvent): void {
    if (start.button !== 0) return;
    let { clientX, clientY } = start;
    const move = (event: PointerEvent): void => {
      const { x, y, scale } = this.#view;
      this.#view = { scale, x: x + event.clientX - clientX, y: y + event.clientY - clientY };
      ({ clientX, clientY } = event);
      this.#isOwn = false;
      this.#place();
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
  }
}

function arrowHead(): SVGElement {
  const marker = svg('marker', {
    id: 'arrow',
    viewBox: '0 0 8 8',
    refX: 7,
    refY: 4,
    markerWidth: 7,
    markerHeight: 7,
    orient: 'auto-start-reverse',
  });
  marker.append(svg('path', { d: 'M0.5,0.8 L7.5,4 L0.5,7.2 Z', fill: 'context-stroke' }));
  return svg('defs', {}, marker);
}
