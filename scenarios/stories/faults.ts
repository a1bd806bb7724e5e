/** Threads and devices that end in the middle of traffic. */
import {
  all,
  answering,
  at,
  block,
  complete,
  embed,
  ended,
  kill,
  look,
  loseDevice,
  said,
} from '../acts.js';
import { answers, answersOrRetries, before, holds, refuses, same } from '../expectations.js';
import { errorOf } from '../outcome.js';
import { packageOf } from '../packages.js';
import type { Act, Scenario } from '../scenario.js';

const first = packageOf('first-output');
const text = packageOf('tiny-text');
/** Tokens that nobody waits for: the stream is cut off. */
const LASTING = 900;
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
      kill('preparation', 'preparation-0', all(at(320), ended('model'))),
      kill('device', 'device', all(at(520), ended('preparation'))),
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
        max_tokens: LASTING,
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
      block('blocks', 'model-0', ended('red')),
      embed('waits', 'first-output', 'waits', { when: answering('blocks') }),
      look('red', '/readyz', { when: answering('blocks'), awaits: /^503 .*model-0/s }),
      look('green', '/readyz', { when: ended('waits'), retries: true }),
    ],
    expects: [answers('waits', 'green'), refuses('red', 503), before('red', 'waits')],
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
