/**
 * One turn with what caused it and what it led to: three lists of links, so that a reader walks
 * from cause to effect over threads. Records that are lost or too old end the walk and are said.
 */
import { crossesThreads } from './console-model.js';
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { button, byId, element } from './element.js';
import { duration, instant, shortName } from './format.js';
import { threadOf } from './picture.js';
import type { Entry } from './causes.js';
import type { TurnRecord } from './wire.js';

/** Effects of one turn that are listed; the rest is counted. */
const effectsMax = 40;

export class TurnView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #host = byId('turn');
  #drawn = '';

  constructor(model: ConsoleModel) {
    this.#model = model;
  }

  draw(): void {
    const { turn: id, history } = this.#model;
    const turn = history.causes.turn(id);
    const effects = id === null ? [] : history.causes.effectsOf(id);
    // What a turn led to may still come.
    const drawn = `${id} ${turn !== null} ${effects.length}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#host.hidden = turn === null;
    if (turn === null) return;
    const cause = history.causes.causeOf(turn);
    this.#host.replaceChildren(
      this.#head(turn),
      section('Caused by', [cause === null ? unknownCause(turn) : this.#link(cause)]),
      section('In this turn', history.causes.within(turn.id).map(inner)),
      section('Led to', [
        ...effects.slice(0, effectsMax).map((effect) => this.#link(effect)),
        ...(effects.length > effectsMax ? [more(effects.length - effectsMax)] : []),
      ]),
    );
  }

  #instant({ startMs }: TurnRecord): string {
    return instant(startMs - this.#model.history.originMs);
  }

  #head(turn: TurnRecord): HTMLElement {
    const close = button('×', () => this.#model.select(this.#model.selected), {
      class: 'quiet',
      'aria-label': 'Close the turn',
    });
    const took = duration(turn.endMs - turn.startMs);
    return element(
      'h3',
      {},
      element('span', { class: 'event' }, turn.kind),
      element('span', { class: 'soft' }, ` at ${this.#instant(turn)}, took ${took}`),
      close,
    );
  }

  #link(turn: TurnRecord): HTMLElement {
    const link = button('', () => this.#model.goTo(turn), { class: 'turn-link', title: turn.to });
    const thread = crossesThreads(turn) ? `${threadOf(turn.from)} ⇢ ${threadOf(turn.to)}` : '';
    link.append(
      element('span', { class: 'event' }, turn.kind),
      element('span', { class: 'crossing' }, thread),
      element('span', { class: 'from' }, shortName(turn.to)),
      element('span', { class: 'time' }, this.#instant(turn)),
    );
    return link;
  }
}

function section(title: string, rows: readonly HTMLElement[]): HTMLElement {
  const nothing = element('p', { class: 'soft' }, 'nothing');
  const list = element('div', { class: 'links' }, ...(rows.length === 0 ? [nothing] : rows));
  return element('section', {}, element('h4', {}, title), list);
}

const more = (count: number): HTMLElement =>
  element('p', { class: 'soft' }, `and ${count} more messages`);

function unknownCause({ cause, from }: TurnRecord): HTMLElement {
  const why =
    cause === null
      ? `no message: ${shortName(from)} acted by itself`
      : 'that turn is not among the records that are kept';
  return element('p', { class: 'soft' }, why);
}

function inner({ record }: Entry): HTMLElement {
  const text = (): string => {
    switch (record.type) {
      case 'transition':
        return record.from === record.to ? `stays ${record.to}` : `${record.from} → ${record.to}`;
      case 'spawn':
        return `starts ${shortName(record.actor)}`;
      case 'stop':
        return `ends (${record.reason.kind})`;
      case 'unexpected':
        return `unexpected ${record.event} in ${record.state}`;
      default:
        return record.type;
    }
  };
  return element('p', { class: 'inner' }, text());
}
