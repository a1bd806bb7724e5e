/** Just what fits, one more than that, and what can never fit. */
import {
  all,
  answering,
  close,
  complete,
  embed,
  ended,
  holdDevice,
  inTurn,
  look,
  open,
  reached,
  register,
  turn,
  unregister,
} from '../acts.js';
import { answers, finishes, holds, refuses, rows, same } from '../expectations.js';
import { jsonOf } from '../outcome.js';
import { packageOf } from '../packages.js';
import type { PackageNeed, Scenario } from '../scenario.js';
import { pacedRow } from './paced-row.js';

/** Longest input of `models/first-output`, and the units of its cohort. */
const LONGEST = 4096;
const COHORT = 16_384;
const few: PackageNeed = {
  id: 'few-rows',
  folder: 'tiny-text',
  options: { rows: 4, context: 64, pages: 40 },
};
const left: PackageNeed = { id: 'left', folder: 'embedding-weighted' };
/** Room for an invocation of it and for its bank, and not for a second one of those. */
const oneBank = { memoryBytes: 220_000 };
const large: PackageNeed = { id: 'large', folder: 'tiny-text', options: { pages: 100_000 } };
const rounds = Array.from({ length: 8 }, (_, i) => i);
const fewRounds = [0, 1, 2, 3, 4];
const saying = (round: number): object => ({ prompt: `turn ${round}`, max_tokens: 6 });
/** More pages than fit twice beside an epoch. */
const wide = (id: string): PackageNeed => ({
  id,
  folder: 'tiny-text',
  options: { rows: 4, context: 128, pages: 2_000, states: 6 },
});
const afterAll = { when: all(ended('left.4'), ended('right.4')) };
const bytes = (count: number): string => 'x'.repeat(count);

export const capacity: readonly Scenario[] = [
  {
    name: 'capacity-exact',
    about: 'An input as long as possible, a call that fills a cohort, and one byte more.',
    packages: [packageOf('first-output')],
    acts: [
      embed('exact', 'first-output', bytes(LONGEST)),
      embed(
        'full',
        'first-output',
        Array.from({ length: COHORT / LONGEST }, () => bytes(LONGEST)),
      ),
      embed('longer', 'first-output', bytes(LONGEST + 1)),
      embed(
        'two-cohorts',
        'first-output',
        Array.from({ length: 5 }, () => bytes(LONGEST)),
      ),
    ],
    expects: [answers('exact', 'full', 'two-cohorts'), refuses('longer', 400, /at most 4096/)],
  },
  {
    name: 'queue-exact',
    about: 'As many requests wait as may, and one more, which is told when to come again.',
    packages: [packageOf('paced')],
    settings: { queueMax: 3 },
    acts: [
      holdDevice('device', ended('one-more')),
      embed('first', 'paced', '000 first', { when: answering('device') }),
      embed('second', 'paced', '000 second', { when: reached('cohort', 'executing') }),
      ...[0, 1, 2].map((i) =>
        embed(`waits.${i}`, 'paced', `000 ${i}`, { when: reached('cohort', 'executing', 2) }),
      ),
      embed('one-more', 'paced', '000 more', { when: reached('finiteRequest', 'preparing', 5) }),
      embed('later', 'paced', '000 later', { when: ended('waits.2') }),
    ],
    expects: [
      ...[0, 1, 2].map((i) => rows(`waits.${i}`, [pacedRow(`000 ${i}`)])),
      refuses('one-more', 429, /--max-queue/),
      answers('later'),
    ],
  },
  {
    name: 'context-exact',
    about: 'A prompt and its answer fill a row to the last token; one more of either is refused.',
    packages: [few],
    acts: [
      complete('exact', { model: 'few-rows', prompt: bytes(60), max_tokens: 4, ...unending() }),
      complete('more', { model: 'few-rows', prompt: bytes(60), max_tokens: 5, ...unending() }),
      complete('longer', { model: 'few-rows', prompt: bytes(65), max_tokens: 1 }),
    ],
    expects: [
      finishes('exact', 'length'),
      refuses('more', 400, /64/),
      refuses('longer', 400, /64/),
    ],
  },
  {
    name: 'rows-exact',
    about: 'Sessions take all rows that they may; one more waits for nobody and is told so.',
    packages: [few],
    acts: [
      open('a', {}, 'few-rows'),
      open('b', { when: ended('a') }, 'few-rows'),
      open('c', { when: ended('b') }, 'few-rows'),
      open('one-more', { when: ended('c') }, 'few-rows'),
      look('listed', '/v1/sessions?model=few-rows', { when: ended('one-more') }),
      complete(
        'passing',
        { model: 'few-rows', prompt: 'a row is left', max_tokens: 4 },
        { when: ended('one-more') },
      ),
      close('gives-back', 'b', { when: ended('passing') }),
      open('takes', { when: ended('gives-back') }, 'few-rows'),
    ],
    expects: [
      answers('a', 'b', 'c', 'passing', 'gives-back', 'takes'),
      refuses('one-more', 429, /GET \/v1\/sessions/),
      holds('the list has those that are open', (outcomes) => {
        const opened = ['a', 'b', 'c'].map((name) => jsonOf(outcomes.of(name)));
        const { data } = jsonOf(outcomes.of('listed')) as { data: readonly unknown[] };
        return JSON.stringify(data) === JSON.stringify(opened) ? null : JSON.stringify(data);
      }),
    ],
  },
  {
    name: 'larger-than-memory',
    about:
      'Parameters that can never fit are refused with their model, work that cannot with its request.',
    packages: [left],
    settings: oneBank,
    acts: [
      register('too-large', large),
      embed('asks-it', 'large', 'a', { when: ended('too-large') }),
      embed('fits', 'left', 'a'),
      embed(
        'too-much',
        'left',
        Array.from({ length: 500 }, () => 'a long list of words'),
      ),
      embed('after', 'left', 'a', { when: ended('asks-it') }),
      unregister('forgets', 'large', { when: ended('after') }),
    ],
    expects: [
      refuses('too-large', 422, /--memory/),
      refuses('asks-it', 503),
      same('fits', 'after'),
    ],
  },
  {
    name: 'work-larger-than-memory',
    about: 'Work that can never fit is refused with its request; other work is done beside it.',
    packages: [left, packageOf('paced')],
    settings: { memoryBytes: 160_000 },
    acts: [
      embed('never', 'left', 'a'),
      embed('fits', 'paced', '010 fits'),
      embed('never-again', 'left', 'a', { when: ended('never') }),
      // It cannot answer its own first case either, so the server would not be ready.
      unregister('forgets', 'left', { when: ended('never-again') }),
    ],
    expects: [
      refuses('never', 500, /--memory/),
      refuses('never-again', 500, /--memory/),
      rows('fits', [pacedRow('010 fits')]),
    ],
  },
  {
    name: 'banks-take-turns',
    about:
      'Two models whose parameters do not fit together are asked at the same time, over and over.',
    packages: [left, { id: 'right', folder: 'embedding-weighted' }],
    settings: oneBank,
    acts: [
      ...inTurn(rounds.map((i) => embed(`left.${i}`, 'left', 'a'))),
      ...inTurn(rounds.map((i) => embed(`right.${i}`, 'right', 'a'))),
      embed('at-last', 'left', 'a', { when: all(ended('left.7'), ended('right.7')) }),
      look('banks', '/admin/models', { when: ended('at-last') }),
    ],
    expects: [
      ...rounds.map((i) => same('at-last', `left.${i}`, `right.${i}`)),
      holds('one of the banks is resident at the end, and one is not', (outcomes) => {
        const { data } = jsonOf(outcomes.of('banks')) as { data: { banks: { state: string }[] }[] };
        const states = data.flatMap(({ banks }) => banks.map(({ state }) => state)).sort();
        return states.join() === 'absent,resident' ? null : states.join();
      }),
    ],
  },
  {
    name: 'texts-take-turns',
    about:
      'Sessions of two models whose rows do not fit together have turns at the same time: what had to leave is read again, and says what it says undisturbed.',
    packages: [wide('left-text'), wide('right-text')],
    settings: { memoryBytes: 250_000 },
    acts: [
      open('left', {}, 'left-text'),
      open('right', {}, 'right-text'),
      ...inTurn(fewRounds.map((i) => turn(`left.${i}`, 'left', saying(i)))),
      ...inTurn(fewRounds.map((i) => turn(`right.${i}`, 'right', saying(i)))),
      open('calm', afterAll, 'left-text'),
      ...inTurn(fewRounds.map((i) => turn(`calm.${i}`, 'calm', saying(i), afterAll))),
      look('rows', '/admin/models', { when: ended('calm.4') }),
      ...['left', 'right', 'calm'].map((name) =>
        close(`closes-${name}`, name, { when: ended('rows') }),
      ),
    ],
    expects: [
      ...fewRounds.map((i) => same(`calm.${i}`, `left.${i}`, `right.${i}`)),
      holds('the rows of both had to leave', (outcomes) => {
        const { data } = jsonOf(outcomes.of('rows')) as { data: { rows: RowsShown }[] };
        const evictions = data.map(({ rows: shown }) => shown?.evictions ?? 0);
        return evictions.every((count) => count > 0) ? null : evictions.join();
      }),
    ],
  },
];

type RowsShown = { readonly evictions: number } | null;

/** The end is not said, so that only a limit ends the answer. */
function unending(): object {
  return { logit_bias: { 256: -100 } };
}
