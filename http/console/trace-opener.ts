/** Opens trace files: chosen, or dropped anywhere on the page. What cannot be read says why. */
import type { ConsoleModel } from './console-model.js';
import { byId } from './element.js';
import { readTrace } from './trace-file.js';

export class TraceOpener {
  readonly #model: ConsoleModel;
  readonly #opened: () => void;
  readonly #input = byId('trace-file') as HTMLInputElement;

  constructor(model: ConsoleModel, opened: () => void) {
    this.#model = model;
    this.#opened = opened;
    this.#input.addEventListener('change', () => {
      const file = this.#input.files?.[0];
      if (file !== undefined) void this.#open(file);
      // The same file may be chosen again after it was written anew.
      this.#input.value = '';
    });
    addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) document.body.classList.remove('dropping');
    });
    addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('dropping');
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void this.#open(file);
    });
  }

  choose(): void {
    this.#input.click();
  }

  async #open(file: File): Promise<void> {
    try {
      this.#model.openTrace(file.name, readTrace(await file.text()));
      this.#opened();
    } catch (error) {
      this.#model.unread = `${file.name}: ${(error as Error).message}`;
    }
    this.#model.changed();
  }
}
