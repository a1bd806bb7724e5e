/** Memory of each device: who holds how much of the budget. */
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element } from './element.js';
import { bytes } from './format.js';
import type { MemoryRecord } from './wire.js';

/** Hues of the page's palette, one after another. */
const hues = 6;

export class MemoryView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #host = byId('memory');
  #drawn: readonly MemoryRecord[] = [];

  constructor(model: ConsoleModel) {
    this.#model = model;
  }

  draw(): void {
    const samples = this.#model.memory();
    const isSame =
      samples.length === this.#drawn.length &&
      samples.every((sample, index) => sample === this.#drawn[index]);
    if (isSame && this.#host.childElementCount > 0) return;
    this.#drawn = samples;
    const empty = element(
      'p',
      { class: 'empty' },
      'Told when it changes, while the server records.',
    );
    this.#host.replaceChildren(...(samples.length === 0 ? [empty] : samples.map(deviceOf)));
  }
}

function deviceOf({ device, budget, resident, reserved, byOwner }: MemoryRecord): HTMLElement {
  const owners = [...byOwner].sort((left, right) => right.bytes - left.bytes);
  const told = owners.reduce((sum, owner) => sum + owner.bytes, 0);
  const used = Math.max(told, resident + reserved);
  const part = (size: number): string =>
    `${((size / Math.max(budget, used, 1)) * 100).toFixed(2)}%`;
  const bar = element('div', { class: 'budget', role: 'img' });
  bar.setAttribute('aria-label', `${bytes(used)} of ${bytes(budget)} used`);
  for (const [index, owner] of owners.entries()) {
    const piece = element('span', { class: `hue-${index % hues}` });
    piece.style.width = part(owner.bytes);
    bar.append(piece);
  }
  bar.title = `${bytes(resident)} resident, ${bytes(reserved)} reserved`;
  const rows = owners.map((owner, index) =>
    element(
      'tr',
      {},
      element('td', {}, element('i', { class: `hue-${index % hues}` })),
      element('td', {}, owner.kind),
      element('td', { class: 'deployment' }, owner.deployment),
      element('td', { class: 'number' }, bytes(owner.bytes)),
    ),
  );
  return element(
    'div',
    { class: 'device' },
    element(
      'p',
      { class: 'sum' },
      element('b', {}, bytes(used)),
      ` of ${bytes(budget)}`,
      element('span', { class: 'soft' }, device),
    ),
    bar,
    element('table', {}, element('tbody', {}, ...rows)),
  );
}
