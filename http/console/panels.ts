/** On a narrow page one panel is shown at a time, which the tabs choose. Wide pages show all. */
import { byId } from './element.js';

export class Panels {
  readonly #tabs = [...byId('tabs').querySelectorAll<HTMLButtonElement>('button')];

  constructor() {
    for (const tab of this.#tabs) {
      tab.addEventListener('click', () => this.show(tab.dataset.panel!));
    }
    byId('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const at = this.#tabs.findIndex((tab) => tab === document.activeElement);
      const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length]!;
      this.show(next.dataset.panel!);
      next.focus();
    });
    this.show('actors');
  }

  show(panel: string): void {
    document.body.dataset.panel = panel;
    for (const tab of this.#tabs) {
      const isShown = tab.dataset.panel === panel;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    }
  }

  /** Only for those who look at the first one. */
  showFrom(panel: string, next: string): void {
    if (document.body.dataset.panel === panel) this.show(next);
  }

  go(panel: string, focus: () => void): void {
    this.show(panel);
    focus();
  }
}
