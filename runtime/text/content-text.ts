/**
 * Of a text that comes in pieces and may call tools, what is its content for sure: what comes
 * before anything that may begin a call. The rest is known when the whole is.
 */
import type { CallForm } from '../profiles/text.js';
import { StopText } from './stop-text.js';

export class ContentText {
  readonly #leads: readonly string[];
  readonly #rest: StopText;
  /** The beginning, while it may become the lead of a call; null: it did not. */
  #held: string | null = '';

  constructor({ marks, leads }: Pick<CallForm, 'marks' | 'leads'>) {
    this.#leads = leads;
    this.#rest = new StopText(marks);
  }

  push(text: string): string {
    if (this.#held === null) return this.#rest.push(text).text;
    this.#held += text;
    const start = this.#held.trimStart();
    const mayLead = this.#leads.some((lead) => lead.startsWith(start) || start.startsWith(lead));
    if (start === '' || mayLead) return '';
    const held = this.#held;
    this.#held = null;
    return this.#rest.push(held).text;
  }
}
