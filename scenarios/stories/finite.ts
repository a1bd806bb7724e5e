/** Cohorts of finite requests: who is in them, how long inputs are, who leaves, what fails. */
import {
  all,
  answering,
  ask,
  at,
  cancel,
  embed,
  ended,
  holdDevice,
  inTurn,
  reached,
} from '../acts.js';
import { answers, before, ends, leaves, refuses, rows, same } from '../expectations.js';
import { packageOf } from '../packages.js';
import type { Act, Expectation, Scenario } from '../scenario.js';
import { pacedRow } from './paced-row.js';

/** Two cohorts are on the device at once; while it is held whoever comes then waits. */
const bothRun = reached('cohort', 'executing', 2);
const held = answering('device');
const queued = [0, 1, 2, 3].map((i) => `queued.${i}`);
const leavers = [0, 1, 2, 3].map((i) => `leaves.${i}`);
const paced = packageOf('paced');
const model = packageOf('embedding');
/** From one byte to a few hundred. */
const ragged = [1, 40, 3, 260, 17, 120, 2, 64].map((length, i) =>
  'the words differ in number and so do their rows '.repeat(6).slice(i, i + length),
);

/** A cohort of every size, then each of its members alone. */
function batchMatrix(): Pick<Scenario, 'acts' | 'expects'> {
  const acts: Act[] = [];
  const expects: Expectation[] = [];
  let previous: string | null = null;
  for (const size of [1, 2, 3, 4, 8]) {
    const names = ragged.slice(0, size).map((_, i) => `${size}.${i}`);
    const when = previous === null ? at(0) : ended(previous);
    names.forEach((name, i) => acts.push(embed(name, 'embedding', ragged[i], { when })));
    names.forEach((name, i) => expects.push(same(`alone.${i}`, name)));
    previous = names.at(-1)!;
  }
  const alone = ragged.map((text, i) => embed(`alone.${i}`, 'embedding', text));
  const [first, ...others] = inTurn(alone);
  return { acts: [...acts, { ...first!, when: ended(previous!) }, ...others], expects };
}

export const finite: readonly Scenario[] = [
  {
    name: 'ragged-inputs',
    about: 'Inputs of very different lengths in one call have the rows that each has alone.',
    packages: [packageOf('first-output'), model],
    acts: [
      embed('together', 'embedding', ragged),
      ...ragged.map((text, i) => embed(`alone.${i}`, 'embedding', [text])),
      embed('plain', 'first-output', ragged),
      embed('backwards', 'first-output', ragged.toReversed()),
    ],
    expects: [
      answers('together', 'plain', 'backwards'),
      {
        says: 'each row of together is the row alone; backwards has those of plain',
        fault: (outcomes) => {
          const rowsOf = (name: string): unknown[] =>
            (JSON.parse(outcomes.of(name).text) as { data: { embedding: unknown }[] }).data.map(
              ({ embedding }) => embedding,
            );
          const alone = ragged.flatMap((_, i) => rowsOf(`alone.${i}`));
          const isSame = JSON.stringify(rowsOf('together')) === JSON.stringify(alone);
          const [plain, backwards] = [rowsOf('plain'), rowsOf('backwards').toReversed()];
          if (!isSame) return 'together differs';
          return JSON.stringify(plain) === JSON.stringify(backwards) ? null : 'backwards differs';
        },
      },
    ],
  },
  {
    name: 'batch-composition',
    about: 'Cohorts of 1, 2, 3, 4 and 8: a row is the same in each of them as alone.',
    packages: [model],
    ...batchMatrix(),
  },
  {
    name: 'changing-membership',
    about: 'Requests join and leave while cohorts run: whoever stays has its own rows.',
    packages: [paced],
    acts: [
      holdDevice('device', all(...leavers.map(ended))),
      ...[0, 1, 2, 3, 4, 5].map((i) =>
        embed(`stays.${i}`, 'paced', `01${i % 2} ${i}`, { when: all(held, at(12 * i)) }),
      ),
      ...leavers.map((name, i) =>
        embed(name, 'paced', `110 ${i}`, { when: all(held, at(15 * i)), leaves: at(15 * i + 22) }),
      ),
    ],
    expects: [
      ...[0, 1, 2, 3, 4, 5].map((i) => rows(`stays.${i}`, [pacedRow(`01${i % 2} ${i}`)])),
      leaves(...leavers),
    ],
  },
  {
    name: 'cancel-accepted-work',
    about: 'All members of a cohort that the device has leave; the next one has its storage.',
    packages: [paced],
    acts: [
      holdDevice('device', all(...leavers.map(ended))),
      ...leavers.map((name, i) =>
        embed(name, 'paced', `010 ${i}`, { when: held, leaves: reached('cohort', 'executing') }),
      ),
      embed('next', 'paced', '000 next', { when: all(...leavers.map(ended)) }),
    ],
    expects: [leaves(...leavers), rows('next', [pacedRow('000 next')])],
  },
  {
    name: 'cancel-queued-never-touches-active',
    about: 'Requests that wait are cancelled, by their clients and by their ids: who runs goes on.',
    packages: [paced],
    acts: [
      holdDevice('device', all(...queued.map(ended), ended('named'))),
      embed('active', 'paced', '010 active', { when: held }),
      embed('second', 'paced', '010 second', { when: reached('cohort', 'executing') }),
      ...queued.map((name, i) =>
        // All of them have come.
        embed(name, 'paced', `000 ${i}`, {
          when: bothRun,
          leaves: reached('finiteRequest', 'preparing', queued.length + 1),
        }),
      ),
      embed('named', 'paced', '000 named', { when: bothRun, id: 'story-named' }),
      cancel('ends-named', 'story-named', { when: reached('finiteRequest', 'preparing', 7) }),
    ],
    expects: [
      leaves(...queued),
      refuses('named', 499),
      answers('ends-named'),
      before('named', 'active'),
      rows('active', [pacedRow('010 active')]),
      rows('second', [pacedRow('010 second')]),
    ],
  },
  {
    name: 'cancel-while-gather-in-flight',
    about: 'Clients leave while rows of a table are being read from its file.',
    packages: [packageOf('lookup')],
    acts: [
      ...[0, 1, 2, 3, 4, 5].map((i) =>
        embed(`leaver.${i}`, 'lookup', ragged[5]!.slice(i), {
          when: at(8 * i),
          leaves: reached('gather', i % 2 === 0 ? 'waiting' : 'reading'),
        }),
      ),
      embed('stays', 'lookup', ragged[5], { when: at(8) }),
      embed('alone', 'lookup', ragged[5], { when: ended('stays') }),
    ],
    expects: [same('alone', 'stays')],
  },
  {
    name: 'fails-then-succeeds',
    about:
      'Requests that are refused, in the preparation or by their form, spoil nothing for others.',
    packages: [paced, packageOf('decision')],
    acts: [
      embed('wrong', 'paced', 'no digits'),
      embed('half', 'paced', ['000 right', 'wrong']),
      embed('tokens', 'paced', [[1, 2, 3]]),
      embed('right', 'paced', '000 right'),
      embed('again', 'paced', '000 right', { when: ended('wrong') }),
      ask('many', '/v1/decisions', {
        model: 'decision',
        questions: {
          kind: 'choice',
          text: 'which?',
          labels: Array.from({ length: 900 }, (_, i) => `${i}`),
        },
      }),
      ask(
        'few',
        '/v1/decisions',
        {
          model: 'decision',
          questions: { kind: 'choice', text: 'which?', labels: ['one', 'two'] },
        },
        { when: ended('many') },
      ),
    ],
    expects: [
      refuses('wrong', 400, /no digit/),
      refuses('half', 400, /input\[1\]/),
      refuses('tokens', 400),
      rows('right', [pacedRow('000 right')]),
      rows('again', [pacedRow('000 right')]),
      ends('many', [400]),
      answers('few'),
    ],
  },
];
