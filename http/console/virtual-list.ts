/**
 * A list of any length of which only the rows in sight are elements. One row has the focus of the
 * list (arrows, Home, End and page keys move it); rows keep their element while they stay in sight,
 * so focus and selection survive redrawing.
 */
import { element } from './element.js';

export interface VirtualListOptions<T> {
  readonly label: string;
  readonly role: 'tree' | 'listbox';
  readonly rowHeight: number;
  key(item: T): string;
  draw(row: HTMLElement, item: T): void;
  /** Enter, Space or a click. */
  choose(item: T): void;
  /** True when it took the key. */
  press?(key: string, item: T): boolean;
  /** What stands there when there are no rows. */
  empty(): string;
}

/** Rows beyond the edges that are elements too, so that scrolling shows no gaps. */
const overscan = 6;

export class VirtualList<T> {
  readonly node: HTMLElement;
  readonly #options: VirtualListOptions<T>;
  readonly #space = element('div', { class: 'space', role: 'presentation' });
  readonly #note = element('p', { class: 'empty' });
  readonly #rows = new Map<string, HTMLElement>();
  #items: readonly T[] = [];
  #focusKey: string | null = null;
  /** The list holds the page's focus for a row that was scrolled away. */
  #isParked = false;

  constructor(options: VirtualListOptions<T>) {
    this.#options = options;
    const { role, label } = options;
    this.node = element('div', { class: 'list', role, 'aria-label': label, tabindex: 0 });
    this.node.append(this.#space, this.#note);
    this.node.addEventListener('scroll', () => this.#show(), { passive: true });
    this.node.addEventListener('keydown', (event) => this.#key(event));
    this.node.addEventListener('focus', () => this.#isParked || this.focus());
    this.node.addEventListener('blur', () => (this.#isParked = false));
    this.node.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.#show()).observe(this.node);
  }

  set(items: readonly T[]): void {
    this.#items = items;
    const height = `${items.length * this.#options.rowHeight}px`;
    if (this.#space.style.height !== height) this.#space.style.height = height;
    this.#note.textContent = items.length === 0 ? this.#options.empty() : '';
    this.#show();
  }

  /** Brings a row into sight and gives it the list's focus, without taking the page's. */
  reveal(key: string): void {
    const index = this.#items.findIndex((item) => this.#options.key(item) === key);
    if (index < 0) return;
    this.#focusKey = key;
    this.#scrollTo(index);
    this.#show();
  }

  focus(): void {
    const index = this.#focusIndex();
    if (index < 0) return;
    this.#scrollTo(index);
    this.#show();
    this.#rows.get(this.#focusKey ?? '')?.focus({ preventScroll: true });
  }

  #focusIndex(): number {
    if (this.#items.length === 0) return -1;
    const { key } = this.#options;
    const found = this.#items.findIndex((item) => key(item) === this.#focusKey);
    if (found >= 0) return found;
    this.#focusKey = key(this.#items[0]!);
    return 0;
  }

  #show(): void {
    const { rowHeight, key, draw, role } = this.#options;
    const { scrollTop, clientHeight } = this.node;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
    const end = Math.min(
      this.#items.length,
      Math.ceil((scrollTop + clientHeight) / rowHeight) + overscan,
    );
    const seen = new Set<string>();
    // Backward, so that each row stands before the next one, for those who hear the page.
    let following: HTMLElement | null = null;
    for (let index = end - 1; index >= first; index -= 1) {
      const item = this.#items[index]!;
      const name = key(item);
      seen.add(name);
      const row = this.#rows.get(name) ?? this.#make(name, role);
      const isPlaced = row.parentNode !== null && row.nextSibling === following;
      if (!isPlaced && row !== document.activeElement) this.#space.insertBefore(row, following);
      following = row;
      row.style.transform = `translateY(${index * rowHeight}px)`;
      row.dataset.index = String(index);
      if (role === 'listbox') row.setAttribute('aria-posinset', String(index + 1));
      if (role === 'listbox') row.setAttribute('aria-setsize', String(this.#items.length));
      row.tabIndex = name === this.#focusKey ? 0 : -1;
      draw(row, item);
    }
    for (const [name, row] of this.#rows) {
      if (seen.has(name)) continue;
      // The row that has the focus would take it along when it goes.
      if (row === document.activeElement) this.#park();
      row.remove();
      this.#rows.delete(name);
    }
    this.node.tabIndex = this.#focusKey !== null && seen.has(this.#focusKey) ? -1 : 0;
  }

  #park(): void {
    this.#isParked = true;
    this.node.tabIndex = 0;
    this.node.focus({ preventScroll: true });
  }

  #make(name: string, role: 'tree' | 'listbox'): HTMLElement {
    const row = element('div', { class: 'row', role: role === 'tree' ? 'treeitem' : 'option' });
    row.style.height = `${this.#options.rowHeight}px`;
    this.#rows.set(name, row);
    return row;
  }

  #scrollTo(index: number): void {
    const { rowHeight } = this.#options;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) {
      this.node.scrollTop = top + rowHeight - clientHeight;
    }
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>('.row');
    const item = row === null ? undefined : this.#items[Number(row.dataset.index)];
    if (item === undefined) return;
    this.#focusKey = this.#options.key(item);
    this.focus();
    const isToggle = (event.target as Element).closest('.twist') !== null;
    if (isToggle && this.#options.press?.('toggle', item)) return;
    this.#options.choose(item);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = this.#focusIndex();
    if (index < 0) return;
    const item = this.#items[index]!;
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.#options.rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: this.#items.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      const next = this.#items[Math.min(this.#items.length - 1, Math.max(0, to))]!;
      this.#focusKey = this.#options.key(next);
      this.focus();
    } else if (event.key === 'Enter' || event.key === ' ') this.#options.choose(item);
    else if (!this.#options.press?.(event.key, item)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
