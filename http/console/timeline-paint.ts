/** How works look on the canvas of the device timeline, in the colours of the page. */
import { shortName } from './format.js';
import type { DeviceLanes } from './timeline-lanes.js';
import { endOf } from './work-log.js';
import type { LoggedWork } from './work-log.js';

export interface TimelineScale {
  readonly fromMs: number;
  readonly toMs: number;
  /** The moment that the page shows. */
  readonly nowMs: number;
  /** Moments are told from there on. */
  readonly originMs: number;
  readonly width: number;
  readonly pixelsPerMs: number;
}

export const laneHeight = 18;
const rulerHeight = 18;
const barHeight = 11;

export class TimelinePaint {
  readonly top = rulerHeight + 4;
  readonly #canvas: HTMLCanvasElement;
  readonly #scale: TimelineScale;
  readonly #pen: CanvasRenderingContext2D;
  readonly #style: CSSStyleDeclaration;
  readonly #colours = new Map<string, string>();
  #height = 0;

  constructor(canvas: HTMLCanvasElement, scale: TimelineScale) {
    this.#canvas = canvas;
    this.#scale = scale;
    this.#pen = canvas.getContext('2d')!;
    this.#style = getComputedStyle(canvas);
  }

  heightOf(devices: readonly DeviceLanes[]): number {
    const rows = devices.reduce((sum, { lanes }) => sum + (lanes + 1) * laneHeight + 6, 0);
    return this.top + rows;
  }

  begin(height: number): void {
    const { width } = this.#scale;
    const ratio = devicePixelRatio;
    this.#height = height;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    // A size that is set makes a new bitmap, even when it is the same.
    if (this.#canvas.width !== across) this.#canvas.width = across;
    if (this.#canvas.height !== down) this.#canvas.height = down;
    this.#canvas.style.height = `${height}px`;
    this.#pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#pen.clearRect(0, 0, width, height);
    this.#pen.font = '11px system-ui, sans-serif';
    this.#ruler();
  }

  device(name: string, y: number): void {
    this.#pen.fillStyle = this.#colour('--panel');
    this.#pen.fillRect(0, y, this.#pen.measureText(name).width + 14, laneHeight - 2);
    this.#pen.fillStyle = this.#colour('--soft');
    this.#pen.fillText(name, 8, y + 12);
  }

  work(work: LoggedWork, y: number, isMarked: boolean): void {
    const pen = this.#pen;
    const { nowMs } = this.#scale;
    const { acceptedMs, startedMs, life, failed } = work;
    pen.globalAlpha = acceptedMs > nowMs ? 0.3 : 1;
    const middle = y + laneHeight / 2;
    const colour = this.#colour(failed ? '--bad' : isMarked ? '--accent' : '--work');
    const end = this.#x(endOf(work) ?? nowMs);
    if (life !== null) {
      pen.fillStyle = this.#colour('--line-strong');
      const from = this.#x(life.fromMs);
      pen.fillRect(from, middle - 1, Math.max(1, this.#x(life.toMs ?? nowMs) - from), 2);
    }
    const accepted = this.#x(acceptedMs);
    const started = startedMs === null ? end : this.#x(startedMs);
    const top = middle - barHeight / 2;
    pen.fillStyle = this.#colour('--panel');
    pen.strokeStyle = colour;
    pen.fillRect(accepted, top, Math.max(1, started - accepted), barHeight);
    pen.strokeRect(accepted + 0.5, top + 0.5, Math.max(1, started - accepted - 1), barHeight - 1);
    pen.fillStyle = colour;
    if (startedMs !== null) pen.fillRect(started, top, Math.max(2, end - started), barHeight);
    // On smaller bars the marks would be all that is seen.
    if (end - accepted >= 10) this.#marks(work, top);
    this.#label(work, Math.max(started, 0), end, middle);
    pen.globalAlpha = 1;
  }

  end(): void {
    const pen = this.#pen;
    const x = Math.round(this.#x(this.#scale.nowMs)) + 0.5;
    pen.strokeStyle = this.#colour('--accent');
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, this.#height);
    pen.stroke();
  }

  /** Bytes that went up when it was accepted, and came back when it retired. */
  #marks(
    { acceptedMs, retiredMs, uploadBytes = 0, readbackBytes = 0 }: LoggedWork,
    top: number,
  ): void {
    this.#pen.fillStyle = this.#colour('--ink');
    if (uploadBytes > 0) this.#triangle(this.#x(acceptedMs), top - 3, 4);
    if (readbackBytes > 0 && retiredMs !== null) {
      this.#triangle(this.#x(retiredMs), top + barHeight + 3, -4);
    }
  }

  #triangle(x: number, y: number, size: number): void {
    this.#pen.beginPath();
    this.#pen.moveTo(x, y);
    this.#pen.lineTo(x - Math.abs(size) * 0.7, y + size);
    this.#pen.lineTo(x + Math.abs(size) * 0.7, y + size);
    this.#pen.fill();
  }

  #label({ invocation, startedMs }: LoggedWork, from: number, to: number, middle: number): void {
    const text = shortName(invocation);
    if (startedMs === null || this.#pen.measureText(text).width + 10 > to - from) return;
    this.#pen.fillStyle = this.#colour('--on-work');
    this.#pen.fillText(text, from + 5, middle + 4);
  }

  #ruler(): void {
    const pen = this.#pen;
    const { fromMs, toMs, originMs, width, pixelsPerMs } = this.#scale;
    const step = niceStep(90 / pixelsPerMs);
    pen.strokeStyle = this.#colour('--line');
    pen.fillStyle = this.#colour('--soft');
    const first = Math.ceil((fromMs - originMs) / step) * step;
    for (let at = first; at <= toMs - originMs; at += step) {
      const x = Math.round(this.#x(originMs + at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, this.#height);
      pen.stroke();
      const text = rulerText(at, step);
      if (x + 8 + pen.measureText(text).width < width) pen.fillText(text, x + 4, 12);
    }
  }

  #x(atMs: number): number {
    return (atMs - this.#scale.fromMs) * this.#scale.pixelsPerMs;
  }

  #colour(name: string): string {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    const colour = this.#style.getPropertyValue(name);
    this.#colours.set(name, colour);
    return colour;
  }
}

/** The next of 1, 2, 5, 10, … */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= atLeast) ?? 10);
}

function rulerText(atMs: number, step: number): string {
  const digits = Math.max(0, Math.ceil(3 - Math.log10(step)));
  return `${(atMs / 1000).toFixed(Math.min(digits, 6))} s`;
}
