/** The WebGPU device does what every device must. */
import { test } from 'uvu';
import type { ExecutableImage } from '../../../../runtime/hal/executable.js';
import { chooseAdapter } from '../../../../runtime/hal/webgpu/adapters.js';
import { adapterFacts } from '../../../../runtime/hal/webgpu/webgpu-facts.js';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../../../../runtime/jit/wgsl/wgsl-target.js';
import type { CommandProgram } from '../../../../runtime/loom/typed.js';
import { compiledConformance } from '../../../conformance/compiled.js';
import { deviceConformance } from '../../../conformance/device.js';
import { foundationConformance } from '../../../conformance/foundations.js';
import { moveConformance } from '../../../conformance/moves.js';
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
  moveConformance('the WebGPU device', openFixture);
  gatherConformance('the WebGPU device', openFixture);
  const target = wgslTarget(adapterFacts(await chooseAdapter(adapter.name)));
  const compile = (command: CommandProgram): ExecutableImage => {
    const { program: wgsl, reflection: info } = compileWgsl(command, target);
    return { info, module: null, wgsl };
  };
  compiledConformance('the WebGPU device', openFixture, { compile, interrupts: false });
} else {
  test.skip('the WebGPU device conforms (skipped: no adapter)', () => {});
}

test.run();
