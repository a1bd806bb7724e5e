/** Keys that work anywhere on the page but in fields, and the list of them under `?`. */
import { element } from './element.js';

export interface Shortcut {
  readonly key: string;
  readonly says: string;
  act(): void;
}

const names: Readonly<Record<string, string>> = { ' ': 'Space' };

export class Shortcuts {
  readonly #dialog: HTMLDialogElement;

  constructor(dialog: HTMLDialogElement, shortcuts: readonly Shortcut[]) {
    this.#dialog = dialog;
    const rows = [...shortcuts, { key: '?', says: 'this list' }].map(({ key, says }) =>
      element(
        'tr',
        {},
        element('td', {}, element('kbd', {}, names[key] ?? key)),
        element('td', {}, says),
      ),
    );
    dialog.querySelector('tbody')!.append(...rows);
    addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event)) return;
      const shortcut = shortcuts.find(({ key }) => key === event.key);
      if (event.key === '?') this.show();
      else if (shortcut === undefined || dialog.open) return;
      else shortcut.act();
      event.preventDefault();
    });
  }

  show(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}

/** Fields take their letters; buttons take Space. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.matches('input:not([type=range], [type=checkbox]), select, textarea')) return true;
  return key === ' ' && target.closest('button, summary, input, [role=button]') !== null;
}
