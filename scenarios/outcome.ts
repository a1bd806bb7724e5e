/** How acts ended, as their clients saw it. */

/** One event of a stream, as text, and when it was read. */
export interface HeardEvent {
  readonly data: string;
  readonly atMs: number;
}

export interface Outcome {
  readonly name: string;
  readonly sentMs: number;
  readonly endedMs: number;
  /** Null when no answer came: the client left before, or the connection broke. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Its client went before the end. */
  readonly left: boolean;
  /** The whole body, or as much as was read. */
  readonly text: string;
  /** Of a stream; empty for others. */
  readonly events: readonly HeardEvent[];
  /** Why the connection broke; null when it did not. */
  readonly broke: string | null;
}

export class Outcomes {
  readonly #byName = new Map<string, Outcome>();

  add(outcome: Outcome): void {
    this.#byName.set(outcome.name, outcome);
  }

  of(name: string): Outcome {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Error(`no act ${name} in this scenario`);
    return found;
  }

  get all(): readonly Outcome[] {
    return [...this.#byName.values()];
  }
}

/** The JSON of an answer; null where it is none. */
export function jsonOf({ text }: Outcome): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

interface Choice {
  readonly index: number;
  readonly text?: string;
  readonly finish_reason?: string | null;
  readonly message?: { readonly content?: string | null };
  readonly delta?: { readonly content?: string };
}

interface Body {
  readonly data?: readonly { readonly embedding?: unknown; readonly answers?: unknown }[];
  readonly choices?: readonly Choice[];
  readonly tokens?: unknown;
  readonly usage?: Usage | null;
  readonly error?: { readonly message: string; readonly code: string };
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

/** Bodies that came, whole: the answer, or the events of a stream. */
export function bodiesOf(outcome: Outcome): Body[] {
  const whole = jsonOf(outcome);
  if (whole !== null) return [whole as Body];
  return outcome.events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as Body);
}

/** What a generation said, a text a choice: the same whether it was streamed or not. */
export function textsOf(outcome: Outcome): string[] {
  const texts: string[] = [];
  for (const { choices = [] } of bodiesOf(outcome)) {
    for (const { index, text, message, delta } of choices) {
      texts[index] = (texts[index] ?? '') + (text ?? message?.content ?? delta?.content ?? '');
    }
  }
  return texts;
}

export function finishesOf(outcome: Outcome): string[] {
  return bodiesOf(outcome).flatMap(({ choices = [] }) =>
    choices.flatMap(({ finish_reason: finish }) => (finish == null ? [] : [finish])),
  );
}

export function usageOf(outcome: Outcome): Usage | null {
  return bodiesOf(outcome).findLast(({ usage }) => usage != null)?.usage ?? null;
}

/** The error of an answer or of a stream; null when there is none. */
export function errorOf(outcome: Outcome): { message: string; code: string } | null {
  return bodiesOf(outcome).find(({ error }) => error != null)?.error ?? null;
}

/** What must be equal when the same was asked: nothing of ids, times or counts. */
export function payloadOf(outcome: Outcome): string {
  const [body] = bodiesOf(outcome);
  const rows = body?.data?.map(({ embedding, answers }) => embedding ?? answers);
  if (rows !== undefined) return JSON.stringify(rows);
  return JSON.stringify([textsOf(outcome), finishesOf(outcome)]);
}
