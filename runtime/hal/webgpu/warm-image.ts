/**
 * The program that a device runs once when it opens: one dispatch that reads its slot and adds one
 * to a word. With uploads around it and a readback behind it, it has gone every way that the first
 * request goes, so drivers and JavaScript engines have compiled and made what lies there.
 */
import type { ExecutableReflection } from '../../jit/reflection.js';
import type { WgslKernel, WgslProgram } from '../../jit/wgsl/wgsl-program.js';
import type { ExecutableImage } from '../executable.js';

/** Bytes of its only root. */
export const WARM_BYTES = 256;

const kernel: WgslKernel = {
  key: 'warm',
  name: 'warm',
  position: 'the device',
  source: `struct Slot { base: u32, length: u32 }
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> slot: Slot;
@compute @workgroup_size(1) fn main() {
  if (slot.length > 0u) { words[slot.base] += 1u; }
}`,
  workgroupSize: 1,
  bindings: [{ access: 'read_write', bytesMin: 4 }],
  views: [{ name: 'words', binding: 0, unit: 4, elementBytes: 4 }],
  workgroupBytes: 0,
  needs: [],
};

const base = { kind: 'root', index: 0 } as const;
const one = { op: 'const', type: 'u32', value: 1 } as const;

const program: WgslProgram = {
  kernels: [kernel],
  parts: [
    [
      {
        op: 'dispatch',
        index: 0,
        kernel: 0,
        bindings: [{ base, offset: 0, length: null }],
        views: [{ offset: 0, length: null }],
        scalars: [],
        grid: { kind: 'direct', extents: [one] },
      },
    ],
  ],
};

const info: ExecutableReflection = {
  name: 'warm',
  roots: [{ name: 'words', access: 'inout', hosted: false, bytesMin: WARM_BYTES }],
  banks: [],
  bankFields: [],
  workspaceBytes: 0,
  invocationBytes: 0,
  workspaceAlignment: WARM_BYTES,
  workspaces: [],
  parts: 1,
  steps: ['warm'],
  dispatches: 1,
  barriers: 0,
  kernels: [],
  scratchBytes: 0,
  codeBytes: 0,
};

export const warmImage: ExecutableImage = { info, module: null, wgsl: program };
