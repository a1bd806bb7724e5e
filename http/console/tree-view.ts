/** The tree of actors as a virtual list, with what opens, closes and selects. */
import type { ConsoleModel } from './console-model.js';
import { byId, element } from './element.js';
import { count, duration } from './format.js';
import type { ConsoleView } from './console-view.js';
import { matches, treeRows } from './tree-rows.js';
import type { TreeFilter, TreeRow } from './tree-rows.js';
import { VirtualList } from './virtual-list.js';

export class TreeView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #list: VirtualList<TreeRow>;
  readonly #closed = new Set<string>();
  readonly #filter = byId('filter') as HTMLInputElement;
  readonly #total = byId('actor-count');
  #rows: readonly TreeRow[] = [];
  #revealed: string | null = null;

  constructor(model: ConsoleModel, choose: (address: string) => void) {
    this.#model = model;
    this.#list = new VirtualList<TreeRow>({
      label: 'Actors by thread and supervisor',
      role: 'tree',
      rowHeight: 24,
      key: ({ key }) => key,
      draw: (node, row) => drawRow(node, row, row.key === model.selected),
      choose: (row) => (row.actor === null ? this.#toggle(row) : choose(row.key)),
      press: (key, row) => this.#press(key, row),
      empty: () => (this.#filter.value === '' ? 'No actors yet.' : 'Nothing matches.'),
    });
    byId('tree').append(this.#list.node);
    this.#filter.addEventListener('input', () => model.changed());
    this.#filter.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') this.#list.focus();
      if (event.key === 'Enter') this.#chooseFirst(choose);
      if (event.key === 'Escape') this.#filter.value = '';
      if (event.key === 'Escape') model.changed();
    });
  }

  draw(): void {
    const { actors } = this.#model.history.picture;
    this.#rows = treeRows(actors, this.#closed, this.#wanted());
    this.#list.set(this.#rows);
    this.#total.textContent = count(actors.size);
    const { selected } = this.#model;
    if (selected !== null && selected !== this.#revealed) this.#list.reveal(selected);
    this.#revealed = selected;
  }

  focus(): void {
    this.#list.focus();
  }

  search(): void {
    this.#filter.focus();
    this.#filter.select();
  }

  #wanted(): TreeFilter {
    const text = this.#filter.value.trim();
    const also = new Set(this.#model.requestsWith(text).map(({ address }) => address));
    return { text, also };
  }

  /** The first that matches itself, not one that is only the way to it. */
  #chooseFirst(choose: (address: string) => void): void {
    const wanted = this.#wanted();
    const row = this.#rows.find(({ actor }) => actor !== null && matches(actor, wanted));
    if (row !== undefined) choose(row.key);
  }

  #press(key: string, row: TreeRow): boolean {
    const isOpening = key === 'ArrowRight' && row.children > 0 && !row.isOpen;
    const isClosing = key === 'ArrowLeft' && row.isOpen;
    if (isOpening || isClosing || (key === 'toggle' && row.children > 0)) this.#toggle(row);
    else if (key === 'ArrowLeft') this.#list.reveal(this.#parentOf(row));
    else return false;
    this.#list.focus();
    return true;
  }

  #parentOf(row: TreeRow): string {
    const at = this.#rows.indexOf(row);
    const above = this.#rows.slice(0, at).findLast(({ depth }) => depth < row.depth);
    return above?.key ?? row.key;
  }

  #toggle({ key }: TreeRow): void {
    if (!this.#closed.delete(key)) this.#closed.add(key);
    this.draw();
  }
}

function drawRow(node: HTMLElement, row: TreeRow, isSelected: boolean): void {
  const { actor, depth, name, children, isOpen, position, siblings } = row;
  const state = actor?.state ?? '';
  const waits = actor === null ? 0 : actor.mailbox;
  const oldest = waits > 0 ? duration(actor?.oldestMs ?? 0) : '';
  const drawn = [name, depth, children > 0, isOpen, isSelected, state, waits, oldest].join('\n');
  if (node.dataset.drawn === drawn) return;
  node.dataset.drawn = drawn;
  node.setAttribute('aria-level', String(depth + 1));
  node.setAttribute('aria-posinset', String(position));
  node.setAttribute('aria-setsize', String(siblings));
  node.setAttribute('aria-selected', String(isSelected));
  if (children > 0) node.setAttribute('aria-expanded', String(isOpen));
  else node.removeAttribute('aria-expanded');
  node.classList.toggle('thread', actor === null);
  node.title =
    actor === null
      ? `thread ${name}`
      : `${row.key}\n${actor.kind}, under ${actor.parent ?? 'none'}`;
  node.style.setProperty('--depth', String(Math.min(depth, 6)));
  node.replaceChildren(
    element('span', { class: children > 0 ? 'twist' : 'twist leaf', 'aria-hidden': 'true' }),
    element('span', { class: 'name' }, name),
    element(
      'span',
      { class: 'mailbox', title: 'messages that wait, and for how long the oldest has' },
      waits === 0 ? '' : `${count(waits)} · ${oldest}`,
    ),
    element('span', { class: 'state' }, state),
  );
}
