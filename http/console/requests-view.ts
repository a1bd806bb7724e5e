/** Open requests: where each is and what it waits for; the whole chain of reasons on demand. */
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element } from './element.js';
import { count, duration, shortName } from './format.js';
import type { Explanation, RequestRow } from './wire.js';
import { VirtualList } from './virtual-list.js';

export type Explain = (request: string) => Promise<readonly Explanation[]>;

export class RequestsView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #list: VirtualList<RequestRow>;
  readonly #explain: Explain;
  readonly #total = byId('request-count');
  readonly #reasons = byId('reasons');
  #asked: string | null = null;

  constructor(model: ConsoleModel, explain: Explain) {
    this.#model = model;
    this.#explain = explain;
    this.#list = new VirtualList<RequestRow>({
      label: 'Open requests',
      role: 'listbox',
      rowHeight: 40,
      key: ({ id, address }) => `${id} ${address}`,
      draw: (node, row) => drawRow(node, row, row.address === model.selected),
      choose: (row) => this.#choose(row),
      empty: () =>
        model.isLive ? 'No request is open.' : 'Open requests are shown of a live server.',
    });
    byId('requests').append(this.#list.node);
  }

  draw(): void {
    const { requests } = this.#model;
    this.#list.set(requests);
    this.#total.textContent = count(requests.length);
    const isOpen = requests.some(({ id }) => id === this.#asked);
    if (!isOpen) this.#reasons.replaceChildren();
    this.#reasons.hidden = this.#reasons.childElementCount === 0;
  }

  focus(): void {
    this.#list.focus();
  }

  #choose({ id, address }: RequestRow): void {
    this.#model.select(address);
    this.#asked = id;
    void this.#explain(id).then((explanations) => {
      if (this.#asked !== id) return;
      this.#reasons.replaceChildren(...explanations.map(chainOf));
      this.#model.changed();
    });
  }
}

/** From what it waits for itself to what that waits for in turn. */
function chainOf({ request, model, waiting }: Explanation): HTMLElement {
  const steps = waiting.map(({ text, unblockedBy }) =>
    element('li', {}, text, element('span', { class: 'soft' }, ` — ${unblockedBy}`)),
  );
  const nothing = element('p', {}, 'It waits for nothing: it runs.');
  return element(
    'div',
    {},
    element('h4', {}, `${request} · ${model}`),
    waiting.length === 0 ? nothing : element('ol', {}, ...steps),
  );
}

function drawRow(node: HTMLElement, row: RequestRow, isSelected: boolean): void {
  const { id, state, ageMs, waitingFor, address } = row;
  const age = duration(ageMs);
  const drawn = [id, address, state, age, waitingFor, isSelected].join('\n');
  if (node.dataset.drawn === drawn) return;
  node.dataset.drawn = drawn;
  node.setAttribute('aria-selected', String(isSelected));
  node.title = `${address}\n${waitingFor ?? ''}`;
  node.replaceChildren(
    element('span', { class: 'name' }, id),
    element('span', { class: 'from' }, shortName(address)),
    element('span', { class: 'state' }, state),
    element('span', { class: 'time' }, age),
    element('span', { class: 'why' }, waitingFor ?? 'runs'),
  );
}
