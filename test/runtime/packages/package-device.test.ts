import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deviceFor } from '../../../runtime/packages/package-device.js';
import { modelPackage } from './reference-model.js';

const { document } = modelPackage('first-output');
const naming = (device: string) => ({ deployment: { ...document.deployment, device } });

const local = { name: 'local', driver: 'local', adapter: null };
const first = { name: 'webgpu', driver: 'webgpu', adapter: 'A (one, two)' };
const second = { name: 'webgpu:B', driver: 'webgpu', adapter: 'B' };

test('a package runs on the device that it names, or on the first', () => {
  const rows: [asked: string, devices: readonly (typeof first | typeof local)[], found: unknown][] =
    [
      ['auto', [local], local],
      ['auto', [first], first],
      ['auto', [local, first], local],
      ['auto', [first, local], first],
      ['local', [first, local], local],
      ['webgpu', [local, first, second], first],
      ['webgpu:B', [local, first, second], second],
      ['webgpu:A (one, two)', [local, first, second], first],
      ['webgpu:ONE', [local, second, first], first],
    ];
  for (const [asked, devices, found] of rows) assert.is(deviceFor(naming(asked), devices), found);
});

test('where a model is already, it stays if its package lets it', () => {
  const all = [local, first, second];
  assert.is(deviceFor(naming('auto'), all, second), second);
  assert.is(deviceFor(naming('webgpu'), all, second), second);
  assert.is(deviceFor(naming('webgpu'), all, local), first);
  assert.is(deviceFor(naming('local'), all, second), local);
});

test('one that is not open is refused with what is', () => {
  assert.throws(
    () => deviceFor(naming('webgpu'), [local]),
    /asks for the device 'webgpu' \(deployment\.device\) and this server runs 'local' \(--device\)/,
  );
  assert.throws(() => deviceFor(naming('local'), [first]), /'local' .* this server runs 'webgpu'/);
  assert.throws(
    () => deviceFor(naming('webgpu:C'), [local, first, second]),
    /'webgpu:C' .* this server runs 'local', 'webgpu', 'webgpu:B' \(--device\)/,
  );
});

test.run();
