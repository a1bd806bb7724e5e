/** Just what fits, one more than that, and what can never fit. */
import { all, at, close, complete, embed, ended, open, reached, register } from '../acts.js';
import { answers, finishes, refuses, rows, same } from '../expectations.js';
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
      embed('first', 'paced', '060 first'),
      embed('second', 'paced', '060 second', { when: reached('cohort', 'executing') }),
      ...[0, 1, 2].map((i) => embed(`waits.${i}`, 'paced', `000 ${i}`, { when: at(60) })),
      embed('one-more', 'paced', '000 more', { when: at(80) }),
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
    about: 'A prompt and its answer fill a row to the last token; a longer prompt is refused.',
    packages: [few],
    acts: [
      complete('exact', { model: 'few-rows', prompt: bytes(60), max_tokens: 4, ...unending() }),
      complete('until-full', {
        model: 'few-rows',
        prompt: bytes(60),
        max_tokens: 40,
        ...unending(),
      }),
      complete('longer', { model: 'few-rows', prompt: bytes(65), max_tokens: 1 }),
    ],
    expects: [
      finishes('exact', 'length'),
      finishes('until-full', 'length'),
      same('exact', 'until-full'),
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
      complete(
        'passing',
        { model: 'few-rows', prompt: 'a row is left', max_tokens: 4 },
        { when: ended('one-more') },
      ),
      close('gives-back', 'b', { when: ended('passing') }),
      open('takes', { when: ended('gives-back') }, 'few-rows'),
    ],
    expects: [answers('a', 'b', 'c', 'passing', 'gives-back', 'takes'), refuses('one-more', 429)],
  },
  {
    name: 'larger-than-memory',
    about: 'A model whose parameters can never fit is refused; what fits is served beside it.',
    packages: [packageOf('first-output')],
    settings: { memoryBytes: 2 * 1024 * 1024 },
    acts: [
      register('too-large', packageOf('embedding-weighted')),
      embed('asks-it', 'embedding-weighted', 'a', { when: ended('too-large') }),
      embed('beside', 'first-output', 'abc', { when: at(5) }),
      embed('after', 'first-output', 'abc', { when: ended('asks-it') }),
    ],
    expects: [same('after', 'beside')],
  },
  {
    name: 'banks-take-turns',
    about:
      'Two models whose parameters do not fit together are asked at the same time, again and again.',
    packages: [
      { id: 'left', folder: 'embedding-weighted' },
      { id: 'right', folder: 'embedding-weighted' },
    ],
    settings: { memoryBytes: 1024 * 1024 },
    acts: [
      ...Array.from({ length: 12 }, (_, i) => [
        embed(`left.${i}`, 'left', 'one of two', { when: at(4 * i) }),
        embed(`right.${i}`, 'right', 'one of two', { when: at(4 * i) }),
      ]).flat(),
      embed('at-last', 'left', 'one of two', { when: all(ended('left.11'), ended('right.11')) }),
    ],
    expects: [...Array.from({ length: 12 }, (_, i) => same('at-last', `left.${i}`, `right.${i}`))],
  },
];

/** The end is not said, so that only a limit ends the answer. */
function unending(): object {
  return { logit_bias: { 256: -100 } };
}
