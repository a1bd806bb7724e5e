/** The last transitions of the selected actor, or of all, each with the message that caused it. */
import type { Causes } from './causes.js';
import { transitionsMax } from './console-model.js';
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element } from './element.js';
import { instant, shortName } from './format.js';
import type { TransitionEntry } from './history.js';
import { threadOf } from './picture.js';
import { VirtualList } from './virtual-list.js';

export class TransitionsView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #list: VirtualList<TransitionEntry>;
  readonly #note = byId('transitions-note');

  constructor(model: ConsoleModel) {
    this.#model = model;
    this.#list = new VirtualList<TransitionEntry>({
      label: 'Last transitions, latest first',
      role: 'listbox',
      rowHeight: 44,
      key: ({ seq }) => String(seq),
      draw: (node, entry) => this.#drawRow(node, entry),
      choose: (entry) => this.#choose(entry),
      empty: () => this.#emptyText(),
    });
    byId('transitions').append(this.#list.node);
  }

  draw(): void {
    const { history, selected } = this.#model;
    const rows = history.transitions(selected, transitionsMax);
    this.#note.textContent = selected === null ? 'all actors' : shortName(selected);
    this.#list.set(rows);
  }

  focus(): void {
    this.#list.focus();
  }

  #choose(entry: TransitionEntry): void {
    const { causes } = this.#model.history;
    const turn = causes.turn(entry.turn);
    if (turn !== null) this.#model.goTo(turn);
    else this.#model.select(entry.record.actor);
  }

  #emptyText(): string {
    const { isLive, isRecording, selected } = this.#model;
    if (isLive && !isRecording) return 'The server records nothing now. Press Record to see more.';
    return selected === null ? 'No transitions yet.' : 'No transitions of this actor yet.';
  }

  #drawRow(node: HTMLElement, entry: TransitionEntry): void {
    const { selected, turn, history } = this.#model;
    const isMarked = entry.turn !== null && entry.turn === turn;
    const from = senderOf(history.causes, entry);
    const drawn = [entry.seq, isMarked, selected === null, from].join('\n');
    if (node.dataset.drawn === drawn) return;
    node.dataset.drawn = drawn;
    node.setAttribute('aria-selected', String(isMarked));
    const { record } = entry;
    const moves =
      record.from === record.to ? `stays ${record.to}` : `${record.from} → ${record.to}`;
    node.title = `${record.actor}\n${record.event}: ${moves}`;
    node.replaceChildren(
      element('span', { class: 'event' }, record.event),
      element('span', { class: 'time' }, instant(record.atMs - history.originMs)),
      element('span', { class: 'moves' }, moves),
      element('span', { class: 'from' }, selected === null ? shortName(record.actor) : from),
    );
  }
}

/** Who sent the message, with its thread where that is another. */
function senderOf(causes: Causes, { turn: id, record }: TransitionEntry): string {
  const turn = causes.turn(id);
  if (turn === null) return '';
  if (turn.from === record.actor) return '← itself';
  const thread = threadOf(turn.from);
  const name = shortName(turn.from);
  return thread === threadOf(record.actor) || thread === name ? `← ${name}` : `← ${thread} ${name}`;
}
