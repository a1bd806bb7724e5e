/**
 * What the devices do, on a canvas: for each submission a thin line for the life of its cohort or
 * epoch, an outline while it waits, a bar while it runs, marks for bytes that go up and come back.
 * What lies after the moment that is shown is pale. Arrows move from work to work.
 */
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element } from './element.js';
import { bytes, duration, instant, shortName } from './format.js';
import { deviceLanes, reach } from './timeline-lanes.js';
import type { LaidWork } from './timeline-lanes.js';
import { TimelinePaint, laneHeight } from './timeline-paint.js';
import type { TimelineScale } from './timeline-paint.js';
import type { LoggedWork } from './work-log.js';

interface Box {
  readonly work: LoggedWork;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export class TimelineView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #canvas = element('canvas', {
    tabindex: 0,
    role: 'application',
    'aria-label': 'Device timeline; arrows move from work to work, plus and minus zoom',
  });
  readonly #space = element('div', { class: 'canvas-space' }, this.#canvas);
  readonly #host = byId('timeline');
  readonly #detail = byId('timeline-detail');
  /** Milliseconds in sight. */
  #spanMs = 2000;
  #chosen: LoggedWork | null = null;
  #boxes: readonly Box[] = [];

  constructor(model: ConsoleModel) {
    this.#model = model;
    this.#host.append(this.#space);
    new ResizeObserver(() => this.draw()).observe(this.#host);
    this.#canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    this.#canvas.addEventListener('click', (event) => this.#pick(event, true));
    this.#canvas.addEventListener('pointermove', (event) => this.#pick(event, false));
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    byId('timeline-in').addEventListener('click', () => this.zoom(0.5));
    byId('timeline-out').addEventListener('click', () => this.zoom(2));
    byId('timeline-all').addEventListener('click', () => this.showAll());
  }

  zoom(factor: number): void {
    this.#spanMs = Math.min(3_600_000, Math.max(0.5, this.#spanMs * factor));
    this.draw();
  }

  /** The whole recording. */
  showAll(): void {
    const { fromMs, toMs } = this.#model.history.span;
    this.#spanMs = Math.max(1, (toMs - fromMs) * 1.1);
    this.draw();
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0) return;
    const scale = this.#scale(width);
    const { works } = this.#model.history;
    const gapMs = 3 / scale.pixelsPerMs;
    const seen = works.between(scale.fromMs, scale.toMs);
    const devices = deviceLanes(seen, scale.nowMs, gapMs);
    const paint = new TimelinePaint(this.#canvas, scale);
    paint.begin(Math.max(height, paint.heightOf(devices)));
    const boxes: Box[] = [];
    let y = paint.top;
    for (const { device, lanes, works: laid } of devices) {
      paint.device(device, y);
      y += laneHeight;
      for (const item of laid) boxes.push(this.#drawWork(paint, scale, item, y));
      y += lanes * laneHeight + 6;
    }
    paint.end();
    this.#boxes = boxes;
    this.#tell(seen.length);
  }

  #scale(width: number): TimelineScale {
    const { isFollowing, nowMs, originMs, span } = this.#model.history;
    const spanMs = this.#spanMs;
    // The present stands near the right edge; what a file has after it needs room.
    const ahead = isFollowing ? 0.02 : 0.3;
    const latest = Math.min(nowMs + spanMs * ahead, span.toMs + spanMs * 0.02);
    const toMs = Math.max(nowMs + spanMs * 0.02, latest);
    const fromMs = toMs - spanMs;
    return { fromMs, toMs, nowMs, originMs, width, pixelsPerMs: width / spanMs };
  }

  #drawWork(paint: TimelinePaint, scale: TimelineScale, item: LaidWork, top: number): Box {
    const { work, lane } = item;
    const y = top + lane * laneHeight;
    const isChosen = this.#chosen?.invocation === work.invocation;
    const isSelected = this.#model.selected === work.invocation;
    paint.work(work, y, isChosen || isSelected);
    const [fromMs, toMs] = reach(work, scale.nowMs);
    const x = (fromMs - scale.fromMs) * scale.pixelsPerMs;
    return { work, x, y, width: Math.max(4, (toMs - fromMs) * scale.pixelsPerMs) };
  }

  #tell(total: number): void {
    const text =
      this.#chosen !== null
        ? describe(this.#chosen, this.#model.history.originMs)
        : total === 0
          ? 'No submissions in this time.'
          : `${total} submissions in ${duration(this.#spanMs)}`;
    if (this.#detail.textContent !== text) this.#detail.textContent = text;
  }

  #pick(event: PointerEvent | MouseEvent, isClick: boolean): void {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const x = event.clientX - left;
    const y = event.clientY - top;
    const box = this.#boxes.findLast(
      (found) =>
        y >= found.y && y < found.y + laneHeight && x >= found.x - 2 && x <= found.x + found.width,
    );
    this.#chosen = box?.work ?? null;
    if (isClick && box !== undefined) this.#model.select(box.work.invocation);
    else this.#model.changed();
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    this.zoom(Math.exp((event.deltaY || event.deltaX) / 300));
  }

  #key(event: KeyboardEvent): void {
    const works = this.#boxes.map(({ work }) => work);
    const at = works.findIndex(({ invocation }) => invocation === this.#chosen?.invocation);
    if (event.key === 'ArrowRight') this.#chosen = works[at < 0 ? 0 : at + 1] ?? this.#chosen;
    else if (event.key === 'ArrowLeft') this.#chosen = works.at(at < 0 ? -1 : at - 1) ?? null;
    else if (event.key === 'Enter' && this.#chosen) this.#model.select(this.#chosen.invocation);
    else if (event.key === '+') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
  }
}

function describe(work: LoggedWork, originMs: number): string {
  const { acceptedMs, startedMs, retiredMs, uploadBytes = 0, readbackBytes = 0 } = work;
  const waited = (startedMs ?? retiredMs ?? acceptedMs) - acceptedMs;
  const parts = [
    shortName(work.invocation),
    `accepted ${instant(acceptedMs - originMs)}`,
    `waited ${duration(waited)}`,
    startedMs !== null && retiredMs !== null ? `ran ${duration(retiredMs - startedMs)}` : '',
    uploadBytes > 0 ? `↑ ${bytes(uploadBytes)}` : '',
    readbackBytes > 0 ? `↓ ${bytes(readbackBytes)}` : '',
    work.failed ? 'failed' : retiredMs === null ? 'on the device' : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
