/**
 * How V8 collects garbage in this process. On few cores every one has a thread of the server to
 * run; helpers that a collection of young objects waits for would only stand in line behind those.
 * Flags are per process and are read at each collection; `startServer` sets them first of all.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** With more cores, helpers find one that is free. */
const FEW_CORES = 4;

export function collectWithoutHelpers(): void {
  if (availableParallelism() <= FEW_CORES) setFlagsFromString('--no-parallel-scavenge');
}
