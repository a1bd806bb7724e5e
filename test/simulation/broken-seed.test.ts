/**
 * A seed that breaks a law shrinks to a smaller run that breaks the same, the same each time, and
 * leaves a trace that the console reads. What breaks it is a change to the books, taken back after.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrace } from '../../http/console/trace-file.js';
import { bookMutants } from './book-mutants.js';
import { shrinkSeed } from './broken-seed.js';
import { simulate } from './simulation.js';

const TRIES = 16;

test('a broken seed shrinks, and what is left can be played again and looked at', () => {
  const mutant = bookMutants().find(({ name }) => name.startsWith('AdmissionLine.giveBack:'))!;
  const undo = mutant.apply();
  try {
    const options = { seed: 5, only: 'finite', faults: ['cancel', 'failure', 'clock'] } as const;
    const whole = simulate(options);
    const [first] = whole.violations;
    assert.ok(first, 'the mutant breaks a law');
    const small = shrinkSeed(options, TRIES);
    assert.ok(small.parts.length < small.partsBefore / 2, `${small.parts.length} parts are left`);
    assert.ok(small.outcome.violations.some(({ law }) => law === first.law));
    assert.ok(small.outcome.steps < whole.steps);
    assert.is(simulate(small.options).hash, small.outcome.hash);
    const { records, header, lost } = readTrace(small.trace.lines.join(''));
    assert.is(header.loomTrace, 1);
    assert.is(lost, 0);
    const types = new Set(records.map(({ type }) => type));
    for (const type of ['message', 'transition', 'spawn', 'stop', 'memory'] as const) {
      assert.ok(types.has(type), `no ${type} in the trace`);
    }
  } finally {
    undo();
  }
});

test.run();
