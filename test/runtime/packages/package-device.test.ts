import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { checkDevice } from '../../../runtime/packages/package-device.js';
import { modelPackage } from './reference-model.js';

test('a package runs on the device that it names, or on any', () => {
  const { document } = modelPackage('first-output');
  const naming = (device: 'auto' | 'local' | 'webgpu') => {
    return { ...document, deployment: { ...document.deployment, device } };
  };
  const [local, webgpu] = [localFacts(), localFacts({ simt: true })];
  for (const facts of [local, webgpu]) checkDevice(naming('auto'), facts);
  checkDevice(naming('local'), local);
  checkDevice(naming('webgpu'), webgpu);
  assert.throws(
    () => checkDevice(naming('webgpu'), local),
    /asks for the device 'webgpu' \(deployment\.device\) and this server runs 'local' \(--device\)/,
  );
  assert.throws(() => checkDevice(naming('local'), webgpu), /'local' .* this server runs 'webgpu'/);
});

test.run();
