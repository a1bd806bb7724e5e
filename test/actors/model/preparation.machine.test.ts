/** A cancel of a preparation joins what was started, whenever it comes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machine } from '../../../actors/model/preparation.machine.js';
import { compileMachine } from '../../../runtime/system/machine-table.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';

const table = compileMachine(machine);

/** The states after each event. */
function statesAfter(...events: readonly MachineEvent[]): string[] {
  let { snapshot } = startMachine(table);
  return events.map((event) => {
    const step = stepMachine(table, snapshot, event);
    assert.ok(step.isExpected, `${event.type} in ${snapshot.state.name}`);
    snapshot = step.snapshot;
    return snapshot.state.name;
  });
}

const compiling: MachineEvent[] = [{ type: 'stages.declared' }, { type: 'sources.indexed' }];
const cancel: MachineEvent = { type: 'preparation.cancel' };
const started: MachineEvent = { type: 'artefacts.started', count: 1 };
const ready: MachineEvent = { type: 'artefact.ready' };

test('a cancel before the compiles are counted waits for all of them', () => {
  const states = statesAfter(...compiling, cancel, started, ready);
  assert.equal(states.slice(2), ['joining', 'joining', 'cancelled']);
});

test('a cancel before the loads are counted waits for all of them', () => {
  const states = statesAfter(...compiling, started, ready, cancel, started, ready);
  assert.equal(states.slice(3), ['placing', 'joining', 'joining', 'cancelled']);
});

test('a refused compile waits for the others and fails', () => {
  const two: MachineEvent = { type: 'artefacts.started', count: 2 };
  const status = { code: 'internal', message: 'it does not compile' };
  const refused: MachineEvent = { type: 'artefact.refused', status };
  assert.equal(statesAfter(...compiling, two, refused, ready).slice(3), ['joining', 'failed']);
});

test.run();
