/** The table of a machine means what xstate means by the machine. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assign, createMachine, setup } from 'xstate';
import { StatusError } from '../../../runtime/base/errors.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import { compileMachine } from '../../../runtime/system/machine-table.js';
import { buildMachine, machineEvents, machineSpecs } from './generated-machine.js';
import { assertEquivalent } from './machine-equivalence.js';

test('generated machines step as xstate steps them', () => {
  let stepped = 0;
  let looped = 0;
  fc.assert(
    fc.property(machineSpecs, fc.nat(8), machineEvents, (spec, input, events) => {
      const steps = assertEquivalent(buildMachine(spec), input, events);
      if (steps < 0) looped += 1;
      else stepped += steps;
    }),
    { numRuns: 700, seed: 7 },
  );
  assert.ok(stepped > 1000, `enough events were stepped: ${stepped}`);
  assert.ok(looped < 300, `few machines loop at their start: ${looped}`);
});

test('an effect sees the context and event at its place in the order of actions', () => {
  const machine = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'go' } },
    actions: { add: assign({ n: ({ context }) => context.n + 1 }), show: () => {} },
  }).createMachine({
    context: { n: 0 },
    on: { go: { actions: ['show', 'add', 'show'] } },
  });
  const table = compileMachine(machine);
  const { snapshot } = startMachine(table);
  const { effects } = stepMachine(table, snapshot, { type: 'go' });
  assert.equal(
    effects.map(({ context }) => (context as { n: number }).n),
    [0, 1],
  );
});

test('an unexpected event changes nothing and says so', () => {
  const table = compileMachine(createMachine({ initial: 'a', states: { a: {} } }));
  const { snapshot } = startMachine(table);
  const step = stepMachine(table, snapshot, { type: 'nothing' });
  assert.is(step.isExpected, false);
  assert.is(step.snapshot.state, snapshot.state);
});

test('an event that a state ignores on purpose is expected', () => {
  const machine = createMachine({ initial: 'a', states: { a: { on: { quiet: {} } } } });
  const table = compileMachine(machine);
  const step = stepMachine(table, startMachine(table).snapshot, { type: 'quiet' });
  assert.is(step.isExpected, true);
});

test('a context is not shared between two runs of a machine', () => {
  const machine = createMachine({ context: { list: 0 }, on: {} });
  const table = compileMachine(machine);
  assert.is.not(table.context(undefined), undefined);
  assert.equal(startMachine(table).snapshot.context, { list: 0 });
});

const refused: [string, Parameters<typeof createMachine>[0], RegExp][] = [
  ['parallel', { type: 'parallel', states: { a: {}, b: {} } }, /parallel/],
  ['history', { initial: 'a', states: { a: {}, h: { type: 'history' } } } as never, /history/],
  ['invoke', { initial: 'a', states: { a: { invoke: { src: 'x' } } } } as never, /invoke/],
  ['delay', { initial: 'a', states: { a: { after: { 100: 'a' } } } }, /delay/],
  ['inline action', { on: { go: { actions: () => {} } } }, /name it/],
];
for (const [what, config, message] of refused) {
  test(`a machine with ${what} is refused when it is compiled, with the place`, () => {
    try {
      compileMachine(createMachine(config));
      assert.unreachable('it compiled');
    } catch (error) {
      assert.instance(error, StatusError);
      assert.match((error as StatusError).message, message);
      assert.ok((error as StatusError).status.where, 'it says where');
    }
  });
}

test.run();
