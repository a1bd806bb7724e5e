/** Every machine that the server runs steps by its table as xstate would step it. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMachines, rowsOf, statesOf } from '../../../actors/machine-charts.js';
import { compileMachine } from '../../../runtime/system/machine-table.js';
import { assertEquivalent } from './machine-equivalence.js';

const failed = fc
  .constantFrom('internal', 'invalidArgument', 'resourceExhausted', 'unavailable')
  .map((code) => ({ code, message: 'as drawn' }));
/** Fields that events of the machines carry, drawn so that guards see both sides. */
const fields = fc.record({
  status: failed,
  failure: fc.option(failed),
  missing: fc.nat(3),
  count: fc.nat(3),
  generation: fc.integer({ min: 1, max: 3 }),
  members: fc.constant([]),
});

for (const { path, machine } of await loadMachines()) {
  const types = [
    ...new Set(
      statesOf(machine.root)
        .flatMap(rowsOf)
        .map(({ event }) => event),
    ),
  ];
  const events = fc.array(
    fc
      .tuple(fc.constantFrom(...types.filter((type) => type !== ''), 'unknown.event'), fields)
      .map(([type, more]) => ({ type, ...more })),
    { minLength: 5, maxLength: 25 },
  );

  test(`${path}: the table steps as xstate does`, () => {
    let stepped = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), events, (members, list) => {
        stepped += assertEquivalent(machine, { members, lastGeneration: 0 }, list);
      }),
      { numRuns: 60, seed: 11 },
    );
    assert.ok(stepped > 60, `enough events were stepped: ${stepped}`);
    assert.ok(compileMachine(machine).effects.size > 0);
  });
}

test.run();
