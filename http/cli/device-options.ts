/** `--device` and `--memory`: which devices a server opens, and the budget of each. */
import { InvalidArgumentError } from 'commander';
import { StatusError } from '../../runtime/base/errors.js';
import type { StartOptions } from '../serving.js';
import { byteSize } from './options.js';

/** Where nobody gives any. */
export const defaultDevices: readonly string[] = ['local'];

/** Whether the machine has it, the start tells. Names of adapters may hold commas. */
export function deviceNames(text: string, before: readonly string[]): readonly string[] {
  const names = text.split(/,(?=\s*(?:auto|local|webgpu)\s*(?:[:,]|$))/).map((one) => one.trim());
  if (!names.every((name) => /^(auto|local|webgpu|webgpu:.+)$/.test(name))) {
    throw new InvalidArgumentError('It must be auto, local, webgpu or webgpu:NAME.');
  }
  return before === defaultDevices ? names : [...before, ...names];
}

/** One size, or several by commas. */
export function byteSizes(text: string): readonly number[] {
  return text.split(',').map(byteSize);
}

type Devices = Pick<StartOptions, 'device' | 'memoryBytes' | 'otherDevices'>;

/** Each with its budget: one for all, or one each in their order; without, each decides itself. */
export function devicesOf(names: readonly string[], memory: readonly number[] = []): Devices {
  if (memory.length > 1 && memory.length !== names.length) {
    throw new StatusError(
      'invalidArgument',
      `--memory has ${memory.length} sizes for ${names.length} devices (--device): it takes one for all, or one each`,
    );
  }
  const budgets = memory.length > 1 ? memory : names.map(() => memory[0] ?? null);
  const [first = 'local', ...others] = names;
  return {
    device: first,
    memoryBytes: budgets[0] ?? null,
    otherDevices: others.map((name, index) => ({ name, memoryBytes: budgets[index + 1] ?? null })),
  };
}
