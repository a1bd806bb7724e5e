/** Slabs of a device that may have no memory, over a stand-in for Dawn. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebgpuMemory } from '../../../../runtime/hal/webgpu/webgpu-memory.js';
import { SlabPool } from '../../../../runtime/memory/slab-pool.js';

const MIB = 1024 * 1024;

/** Says of buffers beyond `bytesMax` that there is no memory, as late as Dawn does. */
function tightDevice(bytesMax: number): GPUDevice {
  let refused = false;
  const device = {
    limits: { maxBufferSize: 2 ** 32 - 1 },
    pushErrorScope() {},
    createBuffer({ size }: { size: number }) {
      refused = size > bytesMax;
      return { size };
    },
    popErrorScope() {
      const error = refused ? { message: 'VK_ERROR_OUT_OF_DEVICE_MEMORY' } : null;
      refused = false;
      return Promise.resolve(error);
    },
  };
  return device as unknown as GPUDevice;
}

function memoryOf(bytesMax: number, memoryBytes: number) {
  const failures: string[] = [];
  const memory = new WebgpuMemory(tightDevice(bytesMax), memoryBytes, {
    fill() {},
    onFailed: ({ message }) => void failures.push(message),
  });
  return { memory, pool: new SlabPool(memory), failures };
}

test('a slab that there is no memory for is told, with its bytes and the knob', async () => {
  const { pool, failures } = memoryOf(64 * MIB, 512 * MIB);
  assert.ok(pool.allocate(MIB, 'a'));
  await Promise.resolve();
  assert.equal(failures, []);
  assert.ok(pool.allocate(100 * MIB, 'a'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(failures.length, 1);
  assert.match(failures[0]!, /no 104857600 bytes for a slab \(--memory\): VK_ERROR_OUT_OF_DEVICE/);
});

test('what fits in no slab is not promised; families never share one', () => {
  const { memory, pool } = memoryOf(2 ** 40, 256 * MIB);
  assert.is(pool.allocate(257 * MIB, 'a'), null);
  const slabs = { mutable: new Set<number>(), constant: new Set<number>() };
  for (let i = 0; i < 40; i++) {
    const family = i % 2 === 0 ? 'mutable' : 'constant';
    slabs[family].add(pool.allocate(6 * MIB, 'a', family)!.slab);
  }
  assert.ok(slabs.mutable.size > 1 && slabs.constant.size > 1);
  assert.not.ok([...slabs.mutable].some((slab) => slabs.constant.has(slab)));
  for (const slab of slabs.mutable) assert.is(memory.grow(slab, 32 * MIB), false);
});

test.run();
