/** The WebGPU device does what every device must. */
import { test } from 'uvu';
import { deviceConformance } from '../../../conformance/device.js';
import { foundationConformance } from '../../../conformance/foundations.js';
import { gatherConformance } from '../../../conformance/gathers.js';
import { invocationConformance } from '../../../conformance/invocations.js';
import { adapter } from './adapter.js';
import { openFixture } from './open.js';

if (adapter) {
  // One buffer bound twice to be written: Dawn refuses the pass.
  const trapped = { code: 'internal', message: /^trapping: .*alias/i };
  deviceConformance('the WebGPU device', openFixture, trapped);
  invocationConformance('the WebGPU device', openFixture);
  foundationConformance('the WebGPU device', openFixture);
  gatherConformance('the WebGPU device', openFixture);
} else {
  test.skip('the WebGPU device conforms (skipped: no adapter)', () => {});
}

test.run();
