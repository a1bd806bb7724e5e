/** What scenarios expect, each as a sentence and a look at the outcomes. */
import {
  bodiesOf,
  errorOf,
  finishesOf,
  jsonOf,
  payloadOf,
  textsOf,
  usageOf,
  type Outcome,
  type Outcomes,
} from './outcome.js';
import type { Expectation } from './scenario.js';

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

/** How an act ended, in a few words. */
export function endOf(outcome: Outcome): string {
  const { status, left, broke } = outcome;
  if (left) return 'its client left';
  if (broke !== null) return `the connection broke: ${broke}`;
  const error = errorOf(outcome);
  return error === null ? `${status}` : `${status}: ${error.message}`;
}

/** Any sentence, and what contradicts it. */
export function holds(says: string, fault: Expectation['fault']): Expectation {
  return { says, fault };
}

const isAnswer = (outcome: Outcome): boolean =>
  !outcome.left && outcome.broke === null && (outcome.status ?? 500) < 300 && !errorOf(outcome);

export function answers(...names: readonly string[]): Expectation {
  return each(`${names.join(', ')}: answered`, names, (outcome) =>
    isAnswer(outcome) ? null : endOf(outcome),
  );
}

/** The status, and where `message` is given, that the error says so. */
export function refuses(name: string, status: number, message?: RegExp): Expectation {
  const how = message === undefined ? '' : `, saying ${message.source}`;
  return each(`${name}: ${status}${how}`, [name], (outcome) => {
    const error = errorOf(outcome);
    const isRight = outcome.status === status && (message?.test(error?.message ?? '') ?? true);
    return isRight ? null : endOf(outcome);
  });
}

/** A reason to try again, or an answer; nothing else. */
export function answersOrRetries(...names: readonly string[]): Expectation {
  return each(`${names.join(', ')}: answered, or told to try again`, names, (outcome) => {
    const { status, headers } = outcome;
    const isRetry = (status === 503 || status === 429) && headers['retry-after'] !== undefined;
    return isAnswer(outcome) || isRetry ? null : endOf(outcome);
  });
}

/** The act was not over before its client went, so the scenario showed what it is about. */
export function leaves(...names: readonly string[]): Expectation {
  return each(`${names.join(', ')}: the client left before the end`, names, (outcome) =>
    outcome.left ? null : `it had ended before: ${endOf(outcome)}`,
  );
}

/** Ended as one of these. */
export function ends(name: string, statuses: readonly number[]): Expectation {
  return each(`${name}: ${statuses.join(' or ')}`, [name], (outcome) =>
    statuses.includes(outcome.status ?? 0) ? null : endOf(outcome),
  );
}

/** Rows of numbers, bit for bit. */
export function rows(name: string, expected: readonly (readonly number[])[]): Expectation {
  return each(`${name}: its rows`, [name], (outcome) => {
    const [body] = bodiesOf(outcome);
    const got = body?.data?.map(({ embedding }) => embedding);
    const isRight = JSON.stringify(got) === JSON.stringify(expected);
    return isRight ? null : `${shown(got ?? endOf(outcome))} instead of ${shown(expected)}`;
  });
}

/** All of them have the payload of the first. */
export function same(first: string, ...others: readonly string[]): Expectation {
  return holds(`${others.join(', ')}: the same as ${first}`, (outcomes) => {
    const wanted = payloadOf(outcomes.of(first));
    if (!isAnswer(outcomes.of(first))) return `${first}: ${endOf(outcomes.of(first))}`;
    return firstFault(others, (name) => {
      const outcome = outcomes.of(name);
      const got = payloadOf(outcome);
      if (got === wanted) return null;
      return `${isAnswer(outcome) ? shown(got) : endOf(outcome)} instead of ${shown(wanted)}`;
    });
  });
}

/** A field of its answer, by its path. */
export function field(name: string, path: string, expected: unknown): Expectation {
  return each(`${name}: ${path} is ${shown(expected)}`, [name], (outcome) => {
    const got = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], jsonOf(outcome));
    const isRight = JSON.stringify(got) === JSON.stringify(expected);
    return isRight ? null : `${shown(got ?? endOf(outcome))}`;
  });
}

export function says(name: string, text: string): Expectation {
  return each(`${name}: says ${shown(text)}`, [name], (outcome) => {
    const got = textsOf(outcome).join('');
    return got === text ? null : shown(got === '' ? endOf(outcome) : got);
  });
}

export function finishes(name: string, reason: string): Expectation {
  return each(`${name}: finish_reason ${reason}`, [name], (outcome) => {
    const got = finishesOf(outcome);
    return got.length > 0 && got.every((one) => one === reason) ? null : shown(got);
  });
}

/** Some of its prompt was there already. */
export function hits(name: string): Expectation {
  return each(`${name}: tokens of its prompt were cached`, [name], (outcome) => {
    const cached = usageOf(outcome)?.prompt_tokens_details?.cached_tokens ?? 0;
    return cached > 0 ? null : endOf(outcome);
  });
}

/** The first ended before the second did. */
export function before(first: string, second: string): Expectation {
  return holds(`${first} ended before ${second}`, (outcomes) =>
    outcomes.of(first).endedMs <= outcomes.of(second).endedMs ? null : 'it was the other way',
  );
}

function each(
  text: string,
  names: readonly string[],
  fault: (outcome: Outcome) => string | null,
): Expectation {
  return holds(text, (outcomes: Outcomes) => firstFault(names, (name) => fault(outcomes.of(name))));
}

function firstFault(
  names: readonly string[],
  fault: (name: string) => string | null,
): string | null {
  for (const name of names) {
    const found = fault(name);
    if (found !== null) return names.length > 1 ? `${name}: ${found}` : found;
  }
  return null;
}
