/**
 * Limits of calls that the interpreter runs: `prepare` and policies. A deployment may raise the
 * fuel of its programs, but what is interpreted takes a hundred times as long as what is compiled,
 * and other models wait for the same thread.
 */
import { FUEL_DEFAULT } from '../vm/memory-map.js';
import type { HostLimits } from '../vm/host-vm.js';

/** Some ten seconds. */
export const INTERPRETED_FUEL_MAX = 100_000_000;

export const interpretedLimits = (limits: Partial<HostLimits>): Partial<HostLimits> => ({
  ...limits,
  fuel: Math.min(limits.fuel ?? FUEL_DEFAULT, INTERPRETED_FUEL_MAX),
});
