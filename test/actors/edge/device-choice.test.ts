/** Which devices `--device` means: each once, under names of their own. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseDevices } from '../../../actors/edge/device-choice.js';
import { adapter, onAdapter } from '../../runtime/hal/webgpu/adapter.js';
import { rejection } from '../running-server.js';

const chosen = (...names: string[]) =>
  chooseDevices(names.map((name, index) => ({ name, memoryBytes: index + 1 })));

test('the local device is chosen with its facts and its budget', async () => {
  const [local, ...others] = await chosen('local');
  assert.equal(others, []);
  const { facts, ...rest } = local!;
  assert.equal(rest, { name: 'local', driver: 'local', adapter: null, memoryBytes: 1 });
  assert.is(facts.simt, false);
});

test('a device is opened once: auto may find one that is named, two names may not', async () => {
  const both = await chosen('local', 'auto');
  assert.is(both[0]!.name, 'local');
  assert.is(new Set(both.map(({ name }) => name)).size, both.length);
  const { code, message } = await rejection(chosen('local', 'local'));
  assert.is(code, 'invalidArgument');
  assert.match(message, "'local' is the device 'local', which is there already");
});

test('what is no device is refused with those that are', async () => {
  for (const name of ['gpu', 'local:1', 'webgpu:']) {
    const { code, message } = await rejection(chosen('local', name));
    assert.is(code, 'invalidArgument', message);
    assert.match(message, 'auto, local, webgpu and webgpu:NAME are (--device)');
  }
});

onAdapter(test, 'adapters and the local device are open beside each other', async () => {
  const found = await chosen('webgpu', 'local');
  assert.equal(
    found.map(({ name, memoryBytes, facts }) => [name, memoryBytes, facts.simt]),
    [
      ['webgpu', 1, true],
      ['local', 2, false],
    ],
  );
  const { code } = await rejection(chosen(`webgpu:${found[0]!.adapter}`, 'webgpu'));
  assert.is(code, 'invalidArgument', adapter!.name);
});

test.run();
