/**
 * Mutants that change nothing which anybody could notice, by their whole names, and why. Everything
 * else that survives is a hole in the laws or in the charts' tests.
 */
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /^deployment recovering on recovery\.due #[12]: without cancelBackoff$/,
    'the timer that it cancels has just fired',
  ],
  [/^server recovering on reopen\.due: without cancelTimers$/, 'its only timer has just fired'],
  [
    /^server ready on device\.lost: without cancelTimers$/,
    'the next state starts the timer of the same name, which takes its place',
  ],
  [
    /^deployment stranded on generation\.(retired|failed|lost): without releaseGeneration$/,
    'the device is away, and what the generation left there with it',
  ],
  [
    /^deployment (stranded|recovering) on deployment\.unregister: without drainGenerations$/,
    'none serves: whoever still lives was told to leave before, by its successor or with the device',
  ],
];

/** Why a mutant may survive; null: it must be noticed. */
export function reasonToSurvive(mutant: string): string | null {
  return reasons.find(([pattern]) => pattern.test(mutant))?.[1] ?? null;
}

/** Reasons that fit no mutant. */
export function staleReasons(mutants: readonly string[]): string[] {
  return reasons
    .filter(([pattern]) => !mutants.some((mutant) => pattern.test(mutant)))
    .map(([pattern]) => `${String(pattern)} names no mutant`);
}
