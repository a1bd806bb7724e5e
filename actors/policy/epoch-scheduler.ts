/**
 * Who is in the next epoch, and with how many tokens. Pure: what it needs to know of the past is in
 * the candidates.
 *
 * Turns that speak come first, one token each, who was served longest ago before the others; so
 * does a prompt whose last token is left. While any of them is taken, prompts share at most
 * `promptTokens`, oldest first; where prompts wait one span and one token are left to them.
 * Proposals take what remains. Whoever has no room (pages) is passed over and holds up nobody.
 *
 * Between two epochs of a turn that speaks and always has room lie less than D / S others, where D
 * is how many turns speak meanwhile and S how many fit: the least of spans, tokens and outputs, of
 * the first two one less while a prompt waits. Each of them has at most `tokens` tokens, of which
 * `promptTokens` of prompts. The oldest prompt that has room is in every epoch. Where an epoch has
 * one span or one token, turns and prompts take their turns alike: D counts prompts too.
 */
export interface SpanCandidate {
  /** Tokens that are there to compute, proposals not counted. */
  readonly wanted: number;
  /** It speaks: its one token is the last that it said. */
  readonly isDecode: boolean;
  /** The epoch that it was in last, or the one that it came in; smaller: longer ago. */
  readonly servedIn: number;
  /** Proposals after its token; only of those who speak. */
  readonly drafts: number;
  /** A token follows when all that is wanted is computed; a prompt that is only read has none. */
  readonly selects?: boolean;
}

export interface EpochLimits {
  readonly tokens: number;
  readonly spans: number;
  readonly outputs: number;
  /** Of the tokens, those that prompts may have while others speak. */
  readonly promptTokens: number;
}

export interface ChosenSpan<Candidate> {
  readonly candidate: Candidate;
  /** Without proposals. */
  readonly tokens: number;
  readonly drafts: number;
}

/** How many of so many tokens a candidate has room for; may make that room. */
export type Room<Candidate> = (candidate: Candidate, tokens: number) => number;

/** Of the candidates, oldest first, the spans of the next epoch. */
export function chooseSpans<Candidate extends SpanCandidate>(
  candidates: readonly Candidate[],
  limits: EpochLimits,
  room: Room<Candidate> = (_, tokens) => tokens,
): readonly ChosenSpan<Candidate>[] {
  const epoch = new EpochChoice(limits, room);
  if (Math.min(limits.spans, limits.tokens) === 1) {
    for (const candidate of byService(candidates)) epoch.takeAny(candidate);
  } else {
    const prompts = candidates.filter((candidate) => !speaks(candidate));
    epoch.takeTokens(byService(candidates.filter(speaks)), prompts.length > 0 ? 1 : 0);
    epoch.takePrompts(prompts);
  }
  epoch.takeDrafts();
  return epoch.chosen;
}

/** Its one token needs a place and an output, whoever said it. */
export function speaks({ isDecode, wanted, selects }: SpanCandidate): boolean {
  return isDecode || (wanted === 1 && selects !== false);
}

/** Served longest ago first; of equals, the oldest. */
function byService<Candidate extends SpanCandidate>(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((left, right) => left.servedIn - right.servedIn);
}

class EpochChoice<Candidate extends SpanCandidate> {
  chosen: ChosenSpan<Candidate>[] = [];
  readonly #room: Room<Candidate>;
  readonly #promptTokens: number;
  #tokens: number;
  #spans: number;
  #outputs: number;

  constructor(limits: EpochLimits, room: Room<Candidate>) {
    this.#room = room;
    this.#tokens = limits.tokens;
    this.#spans = limits.spans;
    this.#outputs = limits.outputs;
    this.#promptTokens = Math.max(1, Math.min(limits.promptTokens, limits.tokens));
  }

  /** A token each, but for `spare` spans and tokens. */
  takeTokens(candidates: readonly Candidate[], spare: number): void {
    for (const candidate of candidates) {
      if (this.#spans <= spare || this.#tokens <= spare || this.#outputs === 0) return;
      if (this.#room(candidate, 1) > 0) this.#add(candidate, 1);
    }
  }

  takePrompts(prompts: readonly Candidate[]): void {
    const isShared = this.chosen.length > 0;
    let budget = Math.min(this.#tokens, isShared ? this.#promptTokens : this.#tokens);
    for (const candidate of prompts) {
      if (this.#spans === 0 || budget === 0) return;
      budget -= this.#takePrompt(candidate, budget);
    }
  }

  takeAny(candidate: Candidate): void {
    if (speaks(candidate)) this.takeTokens([candidate], 0);
    else this.takePrompts([candidate]);
  }

  takeDrafts(): void {
    this.chosen = this.chosen.map((span) => {
      const { candidate } = span;
      if (!candidate.isDecode || this.#tokens === 0) return span;
      const wanted = Math.min(candidate.drafts, this.#tokens, this.#outputs);
      const drafts = wanted > 0 ? Math.max(0, this.#room(candidate, 1 + wanted) - 1) : 0;
      this.#tokens -= drafts;
      this.#outputs -= drafts;
      return { ...span, drafts };
    });
  }

  #takePrompt(candidate: Candidate, budget: number): number {
    const isSilent = candidate.selects === false;
    // Its last token needs an output; without one it waits for the next epoch.
    const most = isSilent || this.#outputs > 0 ? candidate.wanted : candidate.wanted - 1;
    const wanted = Math.min(most, budget);
    const tokens = wanted > 0 ? this.#room(candidate, wanted) : 0;
    if (tokens > 0) this.#add(candidate, tokens);
    return tokens;
  }

  #add(candidate: Candidate, tokens: number): void {
    const isLast = tokens === candidate.wanted && candidate.selects !== false;
    this.#tokens -= tokens;
    this.#spans -= 1;
    if (isLast) this.#outputs -= 1;
    this.chosen.push({ candidate, tokens, drafts: 0 });
  }
}
