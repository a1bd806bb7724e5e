/** Clients that leave, in every state that a request can be in. */
import {
  all,
  answering,
  cancel,
  complete,
  embed,
  ended,
  holdDevice,
  reached,
  said,
} from '../acts.js';
import { answers, ends, leaves, rows, same } from '../expectations.js';
import { packageOf } from '../packages.js';
import type { PackageNeed, Scenario } from '../scenario.js';
import { pacedRow } from './paced-row.js';

const paced = packageOf('paced');
const text = packageOf('tiny-text');
/** Two cohorts are on the device at once, so these keep a third waiting while it is held. */
const busy = ['000 one', '000 two'];
const prompt = 'a client that reads this text until it leaves ';
const long = 'many words that take epochs to read, '.repeat(26);

/** No proposals where likelihoods are asked for: an event a token. It says no more than it may. */
const endless = { stream: true, logprobs: 1, max_tokens: 600, logit_bias: { 256: -100 } };
const leavers = [0, 1, 2, 3, 4, 5].map((i) => `leaver.${i}`);
const many = (word: string): string[] => Array.from({ length: 1500 }, (_, i) => `${word} ${i}`);

/** Who speaks has its only row, so others wait; its prompts are long enough to take epochs. */
const few: PackageNeed = {
  id: 'one-row',
  folder: 'tiny-text',
  options: { rows: 1, context: 800, pages: 250 },
};
const speaks = { model: 'one-row', max_tokens: 40, logit_bias: { 256: -100 } };
const begins = { model: 'one-row', max_tokens: 8, prompt: long.slice(0, 400) };
const lasts = { ...speaks, prompt: begins.prompt };
const whenFull = reached('session', 'running');
const held = { when: answering('device') };

export const disconnects: readonly Scenario[] = [
  {
    name: 'disconnect-in-queued',
    about:
      'A request is prepared and waits for a cohort when its client leaves; a neighbour goes on.',
    packages: [paced],
    acts: [
      holdDevice('device', ended('leaver')),
      embed('first', 'paced', busy[0], held),
      embed('second', 'paced', busy[1], { when: reached('cohort', 'executing') }),
      embed('leaver', 'paced', '100 leaves', {
        when: reached('cohort', 'executing', 2),
        leaves: reached('finiteRequest', 'waiting'),
      }),
      embed('neighbour', 'paced', '000 stays', { when: reached('cohort', 'executing', 2) }),
    ],
    expects: [
      leaves('leaver'),
      rows('first', [pacedRow(busy[0]!)]),
      rows('second', [pacedRow(busy[1]!)]),
      rows('neighbour', [pacedRow('000 stays')]),
    ],
  },
  {
    name: 'disconnect-in-preparing',
    about: 'A preparation thread is at work on an input when its client leaves.',
    packages: [paced],
    acts: [
      holdDevice('device', ended('leaver')),
      embed('leaver', 'paced', '900 leaves', {
        ...held,
        leaves: reached('finiteRequest', 'preparing'),
      }),
      embed('next', 'paced', '100 next', { when: ended('leaver') }),
    ],
    expects: [leaves('leaver'), rows('next', [pacedRow('100 next')])],
  },
  {
    name: 'disconnect-in-compile',
    about: 'The only client of a specialization leaves while that compiles; others get it.',
    packages: [paced],
    acts: [
      holdDevice('device', ended('leaver')),
      embed('leaver', 'paced', '003 leaves', {
        ...held,
        leaves: reached('specialization', 'compiling'),
      }),
      embed('next', 'paced', '003 next', { when: ended('leaver') }),
    ],
    expects: [leaves('leaver'), rows('next', [pacedRow('003 next')])],
  },
  {
    name: 'disconnect-in-feedback',
    about: 'The device has the cohort of a client that leaves; its peer gets its rows.',
    packages: [paced],
    acts: [
      holdDevice('device', all(ended('leaver'), reached('finiteRequest', 'settling'))),
      embed('leaver', 'paced', '010 leaves', { ...held, leaves: reached('cohort', 'executing') }),
      embed('peer', 'paced', '000 peer', { when: reached('cohort', 'executing') }),
    ],
    expects: [leaves('leaver'), rows('peer', [pacedRow('000 peer')])],
  },
  {
    name: 'disconnect-in-encode',
    about: 'A client leaves when the head of a large answer has come.',
    packages: [packageOf('first-output')],
    acts: [
      embed('leaver', 'first-output', many('leaves'), { leaves: answering('leaver') }),
      embed('peer', 'first-output', many('stays')),
      embed('again', 'first-output', many('stays'), { when: ended('peer') }),
    ],
    expects: [leaves('leaver'), same('again', 'peer')],
  },
  {
    name: 'disconnect-in-prefill',
    about: 'Long prompts are being read when their clients leave; a neighbour is being answered.',
    packages: [text],
    acts: [
      holdDevice('device', all(...leavers.map(ended))),
      ...leavers.map((name, i) =>
        complete(
          name,
          { prompt: `${i} ${long}`, max_tokens: 24 },
          { ...held, leaves: reached('epoch', 'executing') },
        ),
      ),
      complete('peer', { prompt, max_tokens: 24 }, held),
      complete('again', { prompt, max_tokens: 24 }, { when: ended('peer') }),
    ],
    expects: [leaves(...leavers), same('again', 'peer')],
  },
  {
    name: 'disconnect-before-a-row',
    about:
      'The only row is taken when clients leave: one whose prompt is cut, one that waits for it.',
    packages: [few],
    acts: [
      holdDevice('device', ended('queued')),
      complete('speak', { ...speaks, prompt }, held),
      complete('unread', lasts, { when: whenFull, leaves: reached('session', 'preparing') }),
      complete('queued', lasts, {
        when: ended('unread'),
        leaves: reached('session', 'waiting'),
      }),
      complete('next', begins, { when: ended('queued') }),
      complete('again', { ...speaks, prompt }, { when: all(ended('speak'), ended('next')) }),
    ],
    expects: [leaves('unread', 'queued'), answers('next'), same('again', 'speak')],
  },
  {
    name: 'cancel-before-a-word',
    about:
      'Turns are ended by their ids while they wait for a row, and while their prompt is read.',
    packages: [few],
    acts: [
      holdDevice('device', ended('ends-queued')),
      complete('speak', { ...speaks, prompt }, held),
      complete('queued', { ...begins, stream: true }, { id: 'story-queued', when: whenFull }),
      cancel('ends-queued', 'story-queued', { when: reached('session', 'waiting', 2) }),
      holdDevice('reads', ended('ends-read'), all(ended('speak'), ended('queued'))),
      complete('read', { ...lasts, stream: true }, { id: 'story-read', when: answering('reads') }),
      cancel('ends-read', 'story-read', { when: reached('session', 'running', 2) }),
      complete('next', begins, { when: ended('read') }),
      complete('again', { ...speaks, prompt }, { when: ended('next') }),
    ],
    expects: [
      answers('ends-queued', 'ends-read', 'next'),
      ends('queued', [499]),
      ends('read', [499, 200]),
      same('again', 'speak'),
    ],
  },
  {
    name: 'disconnect-in-decode',
    about: 'A client leaves in the middle of a stream; a neighbour says what it says alone.',
    packages: [text],
    acts: [
      complete('leaver', { ...endless, prompt }, { leaves: said('leaver', 20) }),
      complete('peer', { prompt, max_tokens: 60 }),
      complete('again', { prompt, max_tokens: 60 }, { when: ended('peer') }),
    ],
    expects: [leaves('leaver'), same('again', 'peer')],
  },
  {
    name: 'disconnect-in-last-chunk',
    about: 'A client leaves at the last token, between its event and [DONE].',
    packages: [text],
    acts: [
      complete('leaver', { ...endless, prompt, max_tokens: 8 }, { leaves: said('leaver', 8) }),
      complete('next', { prompt, max_tokens: 8 }, { when: ended('leaver') }),
    ],
    expects: [answers('next')],
  },
];
