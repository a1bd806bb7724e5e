/**
 * Laws over arbitrary programs. Kernels without races give the same bytes in whatever order their
 * lanes run, and check mode finds no race in them; host programs are pure functions.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import {
  interpretCommand,
  type CommandOptions,
} from '../../../runtime/vm/device/command-interpreter.js';
import { HostVm } from '../../../runtime/vm/host-vm.js';
import {
  deviceCase,
  hostCase,
  withoutPayloads,
  type DeviceCase,
} from '../../generators/programs.js';

function outputs({ program, roots }: DeviceCase, options: Partial<CommandOptions>): Uint8Array[] {
  const bytes = roots();
  const { faults } = interpretCommand(program, { roots: bytes, ...options });
  assert.equal(
    faults.filter((fault) => fault.kind === 'race'),
    [],
  );
  return bytes.map((root, i) => withoutPayloads(i, root));
}

test('the order of lanes does not matter to a kernel without races', () => {
  fc.assert(
    fc.property(deviceCase, fc.nat(), (device, seed) => {
      const ascending = outputs(device, { checks: true });
      assert.equal(outputs(device, { order: 'descending' }), ascending);
      assert.equal(outputs(device, { order: { seed } }), ascending);
    }),
    { numRuns: 150 },
  );
});

test('a host program gives the same answer to the same call, whatever ran in between', () => {
  fc.assert(
    fc.property(hostCase, ({ program, calls }) => {
      const vm = HostVm.create({ program, executor: 'interpret', capabilities: new Map() });
      const run = (args: (typeof calls)[number]): unknown => {
        try {
          return vm.call('main', args as never);
        } catch (error) {
          assert.instance(error, StatusError);
          return (error as StatusError).message;
        }
      };
      const first = calls.map(run);
      assert.equal(calls.map(run), first);
    }),
    { numRuns: 150 },
  );
});

test.run();
