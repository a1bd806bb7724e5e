import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  byteSizes,
  defaultDevices,
  deviceNames,
  devicesOf,
} from '../../../http/cli/device-options.js';

const asked = (...texts: string[]): readonly string[] =>
  texts.reduce((before, text) => deviceNames(text, before), defaultDevices);

test('devices are named by commas or one by one, and adapters may have commas in their names', () => {
  assert.equal(asked(), ['local']);
  assert.equal(asked('webgpu'), ['webgpu']);
  assert.equal(asked('local,webgpu'), ['local', 'webgpu']);
  assert.equal(asked('webgpu', 'local'), ['webgpu', 'local']);
  assert.equal(asked('local, webgpu:llvmpipe (LLVM 19.1.7, 256 bits), auto'), [
    'local',
    'webgpu:llvmpipe (LLVM 19.1.7, 256 bits)',
    'auto',
  ]);
  for (const text of ['gpu', 'local,', 'local,gpu', 'webgpu:', '']) {
    assert.throws(() => asked(text), /auto, local, webgpu or webgpu:NAME/, text);
  }
});

test('a budget is for all of them, or each has its own', () => {
  const names = ['webgpu', 'local'];
  const of = (text?: string) => {
    const { device, memoryBytes, otherDevices } = devicesOf(
      names,
      text === undefined ? text : byteSizes(text),
    );
    return [device, memoryBytes, otherDevices];
  };
  assert.equal(of(), ['webgpu', null, [{ name: 'local', memoryBytes: null }]]);
  assert.equal(of('2k'), ['webgpu', 2048, [{ name: 'local', memoryBytes: 2048 }]]);
  assert.equal(of('2k,1k'), ['webgpu', 2048, [{ name: 'local', memoryBytes: 1024 }]]);
  assert.throws(() => of('1k,2k,3k'), /--memory has 3 sizes for 2 devices \(--device\)/);
  assert.equal(devicesOf(['local'], [5]), { device: 'local', memoryBytes: 5, otherDevices: [] });
});

test.run();
