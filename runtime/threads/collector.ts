/**
 * How V8 collects garbage in this process. On few cores every one has a thread of the server to
 * run; helpers that a collection of young objects waits for would only stand in line behind those.
 * And every thread has a heap of its own: what each keeps for young objects adds up.
 *
 * Flags are per process and are read at each collection, sizes when a thread starts; `startServer`
 * sets them first of all.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** With more cores, helpers find one that is free. */
const FEW_CORES = 4;

export function collectWithoutHelpers(): void {
  if (availableParallelism() <= FEW_CORES) setFlagsFromString('--no-parallel-scavenge');
}

/** Of each half of a heap's young space; V8 itself lets it grow to 16. */
const YOUNG_MB = 4;

/** Threads that start later keep little room for young objects. The first thread keeps its own. */
export function keepYoungHeapsSmall(): void {
  setFlagsFromString(`--max-semi-space-size=${YOUNG_MB}`);
}
