/**
 * Generated programs: emitted code equals the interpreter, bit for bit except NaN payloads. Host
 * programs in results, errors with their positions, and fuel; device programs in every byte of
 * every root, alone and with several workers.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import {
  deviceCase,
  hostCase,
  withoutPayloads,
  type DeviceCase,
} from '../../generators/programs.js';
import { HostPair } from './host-pair.js';
import { CommandBench } from './run-command.js';

test('host programs give the same results, faults and fuel', () => {
  const seen = { results: 0, faults: 0, fuel: 0 };
  fc.assert(
    fc.property(hostCase, ({ program, calls }) => {
      const pair = new HostPair(program, { fuel: 20_000, arenaBytes: 1024 * 1024 });
      for (const args of calls) {
        const emitted = pair.emitted(0, args);
        assert.equal(emitted, pair.interpreted(0, args));
        if (emitted.results) seen.results++;
        else if (emitted.error!.code === 'resourceExhausted') seen.fuel++;
        else seen.faults++;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(seen.results > 20 && seen.faults > 5, JSON.stringify(seen));
});

function expected({ program, roots }: DeviceCase): Uint8Array[] {
  const bytes = roots();
  interpretCommand(program, { roots: bytes });
  return bytes.map((content, root) => withoutPayloads(root, content));
}

test('device programs leave the same bytes', () => {
  fc.assert(
    fc.property(deviceCase, (device) => {
      const bench = new CommandBench(compileCommand(device.program), device.roots());
      const { roots, poison } = bench.runAlone();
      assert.is(poison, 0);
      assert.equal(
        roots.map((bytes, root) => withoutPayloads(root, bytes)),
        expected(device),
      );
      assert.ok(bench.canariesIntact());
    }),
    { numRuns: 300 },
  );
});

test('device programs leave the same bytes with one, two and three workers', async () => {
  await fc.assert(
    fc.asyncProperty(deviceCase, async (device) => {
      const compiled = compileCommand(device.program);
      const want = expected(device);
      for (const workers of [1, 2, 3]) {
        const bench = new CommandBench(compiled, device.roots());
        const { roots } = await bench.run({ workers });
        assert.equal(
          roots.map((bytes, root) => withoutPayloads(root, bytes)),
          want,
          `${workers} workers`,
        );
      }
    }),
    { numRuns: 8 },
  );
});

test.run();
