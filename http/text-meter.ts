/**
 * Measures one request of generated text: when tokens came, and at the end what it took. A model is
 * named in labels only once it has answered, so that label sets stay bounded.
 */
import type { RequestScope } from './context.js';
import type { Services } from './services.js';
import type { TextDelta, TextResult } from './text-serving.js';
import { fingerprintOf, type ResultsByPrompt } from './text-usage.js';

export class TextMeter {
  readonly #services: Services;
  readonly #scope: RequestScope;
  readonly #model: string;
  /** By choice: when its last token came. */
  readonly #lastMs = new Map<number, number>();

  constructor(services: Services, scope: RequestScope, model: string) {
    this.#services = services;
    this.#scope = scope;
    this.#model = model;
  }

  /** `wasHeld`: the reader held the choice up since its last token, so the gap is not ours. */
  saw(choice: number, { tokens }: TextDelta, wasHeld: boolean): void {
    if (tokens.length === 0) return;
    const { metrics, ports } = this.#services;
    const labels = { model: this.#model };
    const nowMs = ports.clock.now();
    const lastMs = this.#lastMs.get(choice);
    this.#lastMs.set(choice, nowMs);
    this.#scope.model = this.#model;
    if (lastMs === undefined) {
      const seconds = (nowMs - this.#scope.arrivedMs) / 1000;
      metrics.observe('loom_time_to_first_token_seconds', labels, seconds);
    } else if (!wasHeld) {
      const seconds = (nowMs - lastMs) / 1000 / tokens.length;
      metrics.observe('loom_inter_token_seconds', labels, seconds);
    }
  }

  ended(prompts: ResultsByPrompt): void {
    const results = prompts.flat();
    const first = results[0];
    if (first === undefined) return;
    this.#scope.model = first.model;
    for (const result of results) this.#count(result);
    for (const [result] of prompts) if (result !== undefined) this.#countPrompt(result);
    this.#scope.notes = {
      model: first.model,
      generation: first.generation,
      fingerprint: fingerprintOf(first),
      choices: results.length,
      promptTokens: first.promptTokens,
      cachedTokens: first.cachedTokens,
      outputTokens: results.reduce((sum, result) => sum + result.outputTokens, 0),
      ...first.timings,
    };
  }

  #count({ model, finish, outputTokens, drafted, accepted, timings }: TextResult): void {
    const { metrics } = this.#services;
    metrics.add('loom_finished_total', { model, reason: finish }, 1);
    metrics.add('loom_generation_tokens_total', { model }, outputTokens);
    metrics.add('loom_drafted_tokens_total', { model }, drafted);
    metrics.add('loom_accepted_tokens_total', { model }, accepted);
    metrics.observe('loom_queue_seconds', { model }, timings.queueMs / 1000);
    metrics.observe('loom_prompt_seconds', { model }, timings.promptMs / 1000);
    metrics.observe('loom_generate_seconds', { model }, timings.generateMs / 1000);
  }

  #countPrompt({ model, promptTokens, cachedTokens }: TextResult): void {
    const { metrics } = this.#services;
    metrics.add('loom_prompt_tokens_total', { model }, promptTokens);
    metrics.add('loom_cached_tokens_total', { model }, cachedTokens);
  }
}
