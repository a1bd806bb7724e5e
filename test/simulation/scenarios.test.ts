/**
 * Scenarios in simulation, under a few seeds, with every law: `npm run sim -- --scenario all` has
 * more. A seed is a run, to the last step; a broken law breaks the scenario. time limit: 120 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allScenarios } from '../../scenarios/all-scenarios.js';
import { embed } from '../../scenarios/acts.js';
import { rows } from '../../scenarios/expectations.js';
import { packageOf } from '../../scenarios/packages.js';
import { reportLines } from '../../scenarios/report.js';
import { isBroken } from '../../scenarios/run-scenario.js';
import { DiskPackages } from './disk-packages.js';
import { playSeed } from './scenario-runs.js';

const packages = new DiskPackages();
const named = (name: string) => allScenarios.find((one) => one.name === name)!;

/** Of every kind one that is quick: the others take seconds a seed. */
const quick = [
  'disconnect-in-queued',
  'disconnect-in-compile',
  'disconnect-in-last-chunk',
  'cancel-while-gather-in-flight',
  'cancel-queued-never-touches-active',
  'cancel-a-stream-by-its-id',
  'abort-of-turn-keeps-session',
  'fork-rewind-replay',
  'pages-all-taken',
  'queue-exact',
  'rows-exact',
  'banks-take-turns',
  'unregister-during-compile',
  'unregister-during-reads',
  'threads-die',
  'thread-dies-in-a-stream',
  'device-lost',
];

for (const name of quick) {
  test(`${name}, under seeds`, async () => {
    for (const seed of [1, 2]) {
      const { report } = await playSeed(named(name), seed, { packages });
      assert.not.ok(isBroken(report), `seed ${seed}: ${reportLines(report, false).join('\n')}`);
      assert.is(report.skipped, null);
    }
  });
}

test('a seed is a run, and another seed is another one', async () => {
  const run = (seed: number) => playSeed(named('abort-of-turn-keeps-session'), seed, { packages });
  const [first, again, other] = [await run(5), await run(5), await run(6)];
  assert.equal(again.steps, first.steps);
  assert.not.equal(other.steps, first.steps);
});

test('a false expectation breaks a scenario here, too', async () => {
  const scenario = {
    name: 'false',
    about: 'It expects what is not so.',
    packages: [packageOf('paced')],
    acts: [embed('asks', 'paced', '000')],
    expects: [rows('asks', [[3, 144, 0, 1]])],
  };
  const { report } = await playSeed(scenario, 1, { packages });
  assert.match(
    reportLines(report, true).join('\n'),
    /\[\[3,144,0,0\]\] instead of \[\[3,144,0,1\]\]/,
  );
});

test.run();
