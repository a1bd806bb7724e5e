/** Models that go and come while work of theirs is accepted. */
import {
  all,
  answering,
  at,
  complete,
  embed,
  ended,
  holdDevice,
  inTurn,
  reached,
  register,
  unregister,
} from '../acts.js';
import { answers, refuses, rows, same } from '../expectations.js';
import { packageOf } from '../packages.js';
import type { Scenario } from '../scenario.js';
import { pacedRow } from './paced-row.js';

const paced = packageOf('paced');
const text = packageOf('tiny-text');
const lookup = packageOf('lookup');
const streamed = { stream: true, logprobs: 1, logit_bias: { 256: -100 } };

export const removals: readonly Scenario[] = [
  {
    name: 'unregister-and-again',
    about: 'A model is removed, is not there, and is registered again: it serves as before.',
    packages: [paced],
    acts: inTurn([
      embed('before', 'paced', '000 the same'),
      unregister('goes', 'paced'),
      embed('nobody', 'paced', '000 the same'),
      register('comes', paced),
      embed('after', 'paced', '000 the same'),
    ]),
    expects: [refuses('nobody', 404), same('before', 'after')],
  },
  {
    name: 'unregister-during-compile',
    about: 'A model is removed while code of a request compiles: that request is answered first.',
    packages: [paced],
    acts: [
      embed('accepted', 'paced', '005 accepted'),
      unregister('goes', 'paced', { when: reached('specialization', 'compiling') }),
      register('comes', paced, { when: all(ended('goes'), ended('accepted')) }),
      embed('after', 'paced', '005 after', { when: ended('comes') }),
    ],
    expects: [
      answers('goes', 'comes'),
      rows('accepted', [pacedRow('005 accepted')]),
      rows('after', [pacedRow('005 after')]),
    ],
  },
  {
    name: 'unregister-during-work',
    about: 'A model is removed while the device has its cohort and others wait: all are answered.',
    packages: [paced],
    acts: [
      holdDevice('device', reached('deployment', 'draining')),
      embed('runs', 'paced', '010 runs', { when: answering('device') }),
      embed('waits', 'paced', '000 waits', { when: reached('cohort', 'executing') }),
      unregister('goes', 'paced', { when: reached('finiteRequest', 'preparing', 2) }),
      register('comes', paced, { when: all(ended('goes'), ended('runs'), ended('waits')) }),
    ],
    expects: [
      answers('goes', 'comes'),
      rows('runs', [pacedRow('010 runs')]),
      rows('waits', [pacedRow('000 waits')]),
    ],
  },
  {
    name: 'unregister-during-reads',
    about: 'A model is removed while rows of its tables are being read, and comes back.',
    packages: [lookup],
    acts: [
      embed('accepted', 'lookup', 'rows that are read'),
      unregister('goes', 'lookup', { when: reached('gather', 'waiting') }),
      register('comes', lookup, { when: all(ended('goes'), ended('accepted')) }),
      embed('after', 'lookup', 'rows that are read', { when: ended('comes') }),
    ],
    expects: [answers('goes', 'comes'), same('after', 'accepted')],
  },
  {
    name: 'unregister-during-stream',
    about: 'A model is removed when a stream has begun: what it says outlives the model.',
    packages: [text],
    acts: [
      holdDevice('device', ended('late')),
      complete(
        'stream',
        { ...streamed, prompt: 'outlives', max_tokens: 150 },
        { when: answering('device') },
      ),
      unregister('goes', 'tiny-text', { when: reached('epoch', 'executing') }),
      complete(
        'late',
        { prompt: 'too late', max_tokens: 2 },
        { when: reached('deployment', 'draining') },
      ),
      register('comes', text, { when: all(ended('goes'), ended('stream'), ended('late')) }),
      complete(
        'after',
        { ...streamed, prompt: 'outlives', max_tokens: 150 },
        { when: ended('comes') },
      ),
    ],
    expects: [answers('goes', 'comes'), refuses('late', 503), same('after', 'stream')],
  },
  {
    name: 'replace-during-traffic',
    about: 'A model is registered anew, again and again, while it is asked: nobody is refused.',
    packages: [packageOf('first-output')],
    acts: [
      ...Array.from({ length: 30 }, (_, i) =>
        embed(`asks.${i}`, 'first-output', 'the same', { when: at(15 * i) }),
      ),
      ...inTurn(
        [0, 1, 2].map((i) =>
          register(`replaces.${i}`, packageOf('first-output'), { when: at(20) }),
        ),
      ),
    ],
    expects: [
      same('asks.0', ...Array.from({ length: 29 }, (_, i) => `asks.${i + 1}`)),
      answers('replaces.0', 'replaces.1', 'replaces.2'),
    ],
  },
];
