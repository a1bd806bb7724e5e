/** The line above everything: what is shown, whether it is complete, what is wrong. */
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId } from './element.js';
import { count } from './format.js';

export class HeadView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #source = byId('source');
  readonly #notice = byId('notice');
  readonly #record = byId('record');
  readonly #save = byId('save-trace');
  readonly #close = byId('close-trace');

  constructor(model: ConsoleModel) {
    this.#model = model;
  }

  draw(): void {
    const { source, isLive, isRecording, history } = this.#model;
    const mode = isLive ? (history.isFollowing ? 'live' : 'paused') : 'trace';
    this.#source.textContent = source ?? mode;
    this.#source.dataset.mode = mode;
    this.#record.setAttribute('aria-pressed', String(isRecording));
    this.#record.hidden = !isLive;
    this.#save.hidden = !isLive || history.entries.length === 0;
    this.#close.hidden = isLive;
    const text = this.#notices().join(' · ');
    if (this.#notice.textContent !== text) this.#notice.textContent = text;
  }

  #notices(): string[] {
    const { trouble, unread, silent, history } = this.#model;
    const notices: string[] = [];
    if (trouble !== null) notices.push(trouble);
    if (unread !== null) notices.push(unread);
    for (const { name } of silent) notices.push(`thread ${name} does not answer`);
    if (history.lost > 0) notices.push(`${count(history.lost)} records lost: too many at once`);
    if (history.dropped > 0) notices.push(`the oldest ${count(history.dropped)} are let go`);
    return notices;
  }
}
