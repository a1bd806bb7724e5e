/** Threads and devices that end in the middle of traffic. */
import { all, at, block, complete, embed, ended, kill, look, loseDevice, said } from '../acts.js';
import { answers, answersOrRetries, holds, same } from '../expectations.js';
import { errorOf } from '../outcome.js';
import { packageOf } from '../packages.js';
import type { Act, Scenario } from '../scenario.js';

const first = packageOf('first-output');
const text = packageOf('tiny-text');
const ASKED = 40;
const asks = Array.from({ length: ASKED }, (_, i) => `asks.${i}`);
const traffic: readonly Act[] = asks.map((name, i) =>
  embed(name, 'first-output', 'in between', { when: at(20 * i) }),
);

export const faults: readonly Scenario[] = [
  {
    name: 'threads-die',
    about:
      'Each kind of thread is killed while requests come: each request has an answer, or is told to come again.',
    packages: [first],
    acts: [
      ...traffic,
      // The first of them is what the last is compared with.
      kill('model', 'model-0', all(at(120), ended('asks.0'))),
      kill('preparation', 'preparation-0', at(320)),
      kill('device', 'device', at(520)),
      embed('after', 'first-output', 'in between', {
        when: all(ended('device'), ended(asks.at(-1)!)),
        retries: true,
      }),
    ],
    expects: [answersOrRetries(...asks), answers('after', 'asks.0'), same('after', 'asks.0')],
  },
  {
    name: 'thread-dies-in-a-stream',
    about:
      'The thread of a model dies in the middle of a stream: an error is its last event, and the model comes back.',
    packages: [text],
    acts: [
      complete('stream', {
        prompt: 'cut off',
        stream: true,
        logprobs: 1,
        max_tokens: 600,
        logit_bias: { 256: -100 },
      }),
      kill('model', 'model-0', said('stream', 15)),
      complete(
        'after',
        { prompt: 'cut off', max_tokens: 12 },
        { when: all(ended('stream'), ended('model')), retries: true },
      ),
      complete('again', { prompt: 'cut off', max_tokens: 12 }, { when: ended('after') }),
    ],
    expects: [
      holds('stream: ends with an error that says to try again', (outcomes) => {
        const message = errorOf(outcomes.of('stream'))?.message ?? 'no error';
        return /try again/.test(message) ? null : message;
      }),
      same('after', 'again'),
    ],
  },
  {
    name: 'wedged-thread',
    about: 'The thread of a model does nothing while a request waits for it: readiness says so.',
    packages: [first],
    onlyReal: 'a simulated thread cannot be blocked',
    acts: [
      block('blocks', 'model-0', 5_500),
      embed('waits', 'first-output', 'waits', { when: at(50) }),
      look('red', '/readyz', { when: at(4_900) }),
      look('green', '/readyz', { when: ended('waits'), retries: true }),
    ],
    expects: [
      answers('waits', 'green'),
      holds('red: 503, and names the thread', (outcomes) => {
        const { status, text: told } = outcomes.of('red');
        return status === 503 && /model-0/.test(told) ? null : `${status}: ${told}`;
      }),
    ],
  },
  {
    name: 'device-lost',
    about: 'The device gives up in the middle of traffic: it opens again, and every model with it.',
    packages: [first, text],
    acts: [
      ...traffic,
      loseDevice('lost', at(100)),
      embed('after', 'first-output', 'in between', {
        when: all(ended('lost'), ended(asks.at(-1)!)),
        retries: true,
      }),
      complete(
        'text-after',
        { prompt: 'back again', max_tokens: 4 },
        { when: ended('lost'), retries: true },
      ),
    ],
    expects: [answersOrRetries(...asks), answers('after', 'text-after')],
  },
];
