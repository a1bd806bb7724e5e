/** The bar that moves through time: play and pause, steps, the scrubber, speed, live again. */
import type { ConsoleModel } from './console-model.js';
import type { ConsoleView } from './console-view.js';
import { byId, element } from './element.js';
import { count, instant } from './format.js';
import { Player, speeds } from './player.js';

export class PlayerView implements ConsoleView {
  readonly #model: ConsoleModel;
  readonly #player = new Player();
  readonly #toggle = byId('play') as HTMLButtonElement;
  readonly #scrub = byId('scrub') as HTMLInputElement;
  readonly #moment = byId('moment');
  readonly #follow = byId('follow') as HTMLButtonElement;
  readonly #only = byId('only-selected') as HTMLInputElement;

  constructor(model: ConsoleModel) {
    this.#model = model;
    const speed = byId('speed') as HTMLSelectElement;
    for (const factor of speeds) {
      const option = new Option(`${factor}×`, String(factor), factor === 1, factor === 1);
      speed.append(option);
    }
    speed.addEventListener('change', () => (this.#player.speed = Number(speed.value)));
    this.#toggle.addEventListener('click', () => this.toggle());
    this.#follow.addEventListener('click', () => this.#goOn());
    byId('to-start').addEventListener('click', () => this.#jump(0));
    byId('to-end').addEventListener('click', () => this.#jump(Infinity));
    byId('step-back').addEventListener('click', () => this.stepBack());
    byId('step-forward').addEventListener('click', () => this.stepForward());
    this.#scrub.addEventListener('input', () => this.#jump(Number(this.#scrub.value)));
  }

  toggle(): void {
    const { history } = this.#model;
    if (this.#player.isPlaying || history.isFollowing) this.#player.pause(history);
    else this.#player.play(history);
    this.#model.changed();
  }

  stepForward(): void {
    const { history } = this.#model;
    this.#player.pause(history);
    history.stepForward(this.#actor);
    this.#model.changed();
  }

  stepBack(): void {
    const { history } = this.#model;
    this.#player.pause(history);
    history.stepBack(this.#actor);
    this.#model.changed();
  }

  /** Once a frame. */
  pass(elapsedMs: number): void {
    if (this.#player.pass(this.#model.history, elapsedMs)) this.#model.changed();
  }

  draw(): void {
    const { history, isLive } = this.#model;
    const isMoving = this.#player.isPlaying || history.isFollowing;
    this.#toggle.setAttribute('aria-pressed', String(isMoving));
    this.#scrub.max = String(history.entries.length);
    this.#scrub.value = String(history.cursor);
    this.#follow.hidden = !isLive || history.isFollowing;
    const place = `${count(history.cursor)} of ${count(history.entries.length)}`;
    this.#moment.replaceChildren(
      `${instant(history.nowMs - history.originMs)} s`,
      element('span', { class: 'place' }, ` · ${place}`),
    );
  }

  get #actor(): string | null {
    return this.#only.checked ? this.#model.selected : null;
  }

  #jump(to: number): void {
    const { history } = this.#model;
    this.#player.pause(history);
    history.seek(to);
    this.#model.changed();
  }

  /** Back to what happens now. */
  #goOn(): void {
    this.#player.isPlaying = false;
    this.#model.history.follow();
    this.#model.changed();
  }
}
