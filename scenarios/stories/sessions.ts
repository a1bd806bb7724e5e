/** Sessions: turns that are cut short, rows that go back and fork, rows that come to others. */
import {
  all,
  answering,
  change,
  close,
  complete,
  describe,
  ended,
  holdDevice,
  inTurn,
  open,
  reached,
  register,
  said,
  turn,
  unregister,
} from '../acts.js';
import { answers, field, holds, leaves, refuses, same } from '../expectations.js';
import { packageOf } from '../packages.js';
import type { Act, Scenario } from '../scenario.js';

const text = packageOf('tiny-text');
const prompt = 'a row that is kept from turn to turn';
/** An event a token, and no end before the limit. */
const endless = { stream: true, logprobs: true, max_tokens: 400, logit_bias: { 256: -100 } };

const atWork = reached('epoch', 'executing');

/** Every order in which a client can leave, close its session, and the model be removed. */
function cleanups(): Act[] {
  const orders = ['lcu', 'luc', 'clu', 'cul', 'ulc', 'ucl'];
  return orders.flatMap((order, i) => {
    const [s, t, c, u] = [`open.${order}`, `turn.${order}`, `close.${order}`, `remove.${order}`];
    const before = i === 0 ? null : `again.${orders[i - 1]}`;
    // The next step does not wait for the one before to be over: only for the right moment.
    const moment = (step: string) => said(t, 4 + 4 * order.indexOf(step));
    return [
      open(s, before === null ? {} : { when: ended(before) }),
      turn(t, s, { ...endless, prompt }, { leaves: moment('l') }),
      close(c, s, { when: moment('c') }),
      unregister(u, 'tiny-text', { when: moment('u') }),
      register(`again.${order}`, text, { when: all(ended(t), ended(c), ended(u)) }),
    ];
  });
}

export const sessions: readonly Scenario[] = [
  {
    name: 'abort-of-turn-keeps-session',
    about: 'A client leaves in the middle of a turn; its session goes on from what it held.',
    packages: [text],
    acts: [
      open('s'),
      change('reads', 's', 'append', { body: { prompt } }),
      describe('held', 's', { when: ended('reads') }),
      turn('cut-short', 's', endless, { when: ended('held'), leaves: said('cut-short', 12) }),
      change('back', 's', 'rewind', {
        body: { tokens: prompt.length },
        when: ended('cut-short'),
        retries: true,
      }),
      turn('goes-on', 's', { max_tokens: 20 }, { when: ended('back') }),
      complete('fresh', { prompt, max_tokens: 20 }, { when: ended('goes-on') }),
    ],
    expects: [
      field('held', 'tokens', prompt.length),
      leaves('cut-short'),
      field('back', 'tokens', prompt.length),
      same('fresh', 'goes-on'),
    ],
  },
  {
    name: 'fork-rewind-replay',
    about:
      'A turn says the same in a session, in its fork, after a rewind, after a restore, and anew.',
    packages: [text],
    acts: [
      open('s'),
      ...inTurn([
        change('reads', 's', 'append', { body: { prompt } }),
        change('forks', 's', 'fork'),
        change('marks', 's', 'checkpoint'),
        turn('first', 's', { max_tokens: 30 }),
        turn('forked', 'forks', { max_tokens: 30 }),
        change('rewinds', 's', 'rewind', { body: { tokens: prompt.length } }),
        turn('rewound', 's', { max_tokens: 30 }),
        change('restores', 's', 'restore', { body: { checkpoint: 'checkpoint-1' } }),
        turn('restored', 's', { max_tokens: 30 }),
        complete('replay', { prompt, max_tokens: 30 }),
        change('part', 'forks', 'rewind', { body: { tokens: 7 } }),
        turn('other', 'forks', { prompt: prompt.slice(7), max_tokens: 30 }),
      ]),
    ],
    expects: [same('replay', 'first', 'forked', 'rewound', 'restored', 'other')],
  },
  {
    name: 'row-reuse',
    about: 'Rows of closed sessions come to others, who find nothing of what was in them.',
    packages: [
      { id: 'two-rows', folder: 'tiny-text', options: { rows: 2, context: 128, pages: 64 } },
    ],
    acts: inTurn([
      open('a', {}, 'two-rows'),
      turn('secret', 'a', { prompt: 'what nobody else may see', max_tokens: 60 }),
      close('gone', 'a'),
      open('b', {}, 'two-rows'),
      turn('fresh', 'b', { prompt, max_tokens: 40 }),
      close('gone-too', 'b'),
      complete('alone', { model: 'two-rows', prompt, max_tokens: 40 }),
      open('c', {}, 'two-rows'),
      turn('again', 'c', { prompt, max_tokens: 40 }),
      describe('late', 'a'),
    ]),
    expects: [same('alone', 'fresh', 'again'), refuses('late', 410)],
  },
  {
    name: 'busy-session',
    about:
      'A session has one turn at a time: a second one is refused at once, and the first goes on.',
    packages: [text],
    acts: [
      open('s'),
      holdDevice('device', all(ended('second'), ended('forks')), ended('s')),
      turn('runs', 's', { ...endless, prompt, max_tokens: 60 }, { when: answering('device') }),
      turn('second', 's', { prompt: 'me too', max_tokens: 4 }, { when: atWork }),
      change('forks', 's', 'fork', { when: atWork }),
      turn('after', 's', { max_tokens: 4 }, { when: ended('runs') }),
    ],
    expects: [answers('runs', 'after'), refuses('second', 409), refuses('forks', 409)],
  },
  {
    name: 'turn-fails-then-succeeds',
    about: 'A turn that is refused leaves its session as it was.',
    packages: [text],
    acts: inTurn([
      open('s'),
      change('reads', 's', 'append', { body: { prompt } }),
      turn('wrong', 's', { prompt: [99_999], max_tokens: 4 }),
      turn('long', 's', { prompt: 'x'.repeat(2_000), max_tokens: 4 }),
      describe('held', 's'),
      turn('right', 's', { max_tokens: 20 }),
      complete('replay', { prompt, max_tokens: 20 }),
    ]),
    expects: [
      refuses('wrong', 400),
      refuses('long', 400),
      field('held', 'tokens', prompt.length),
      same('replay', 'right'),
    ],
  },
  {
    name: 'cleanup-orders',
    about: 'A client leaves, its session is closed, its model is removed: in every order.',
    packages: [text],
    acts: [
      ...cleanups(),
      complete('at-last', { prompt, max_tokens: 8 }, { when: ended('again.ucl') }),
    ],
    expects: [
      answers(
        'at-last',
        ...['lcu', 'luc', 'clu', 'cul', 'ulc', 'ucl'].map((order) => `remove.${order}`),
      ),
      holds('a session is closed, busy, or gone with its model', (outcomes) => {
        const closes = outcomes.all.filter(({ name }) => name.startsWith('close.'));
        const wrong = closes.find(({ status }) => ![200, 404, 409, 410, 503].includes(status ?? 0));
        return wrong === undefined ? null : `${wrong.name}: ${wrong.status}`;
      }),
    ],
  },
];
