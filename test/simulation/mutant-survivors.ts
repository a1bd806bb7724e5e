/**
 * Mutants that change nothing which anybody could notice, by their whole names, and why. Everything
 * else that survives is a hole in the laws or in the charts' tests.
 */
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /^deployment recovering on recovery\.due #[12]: without cancelBackoff$/,
    'the timer that it cancels has just fired',
  ],
  [/^device recovering on reopen\.due: without cancelTimers$/, 'its only timer has just fired'],
  [
    /^device open on device\.lost: without cancelTimers$/,
    'the next state starts the timer of the same name, which takes its place',
  ],
  [
    /^deployment stranded on generation\.(retired|failed|lost): without releaseGeneration$/,
    'the device is away, and what the generation left there with it',
  ],
  [
    /^deployment (stranded|failed) on deployment\.unregister: without drainGenerations$/,
    'none serves: whoever still lives was told to leave before, by its successor or with the device',
  ],
  [
    /^deployment failed on generation\.retired: (removed|without \w+)$/,
    'where a package never served nothing was ever drained, so nothing retires',
  ],
  [
    /^deployment switching on generation\.(failed #3|lost #4): without answerReady$/,
    'whoever waited was told of the failure in the same step',
  ],
  [
    /^deployment replacing on preparation\.failed #2: without answerReady$/,
    'whoever waited was told of the failure in the same step',
  ],
  [
    /^deployment (switching|replacing) on deployment\.register: without noteUnproven$/,
    'the package that is under way has not served either',
  ],
  [
    /^server starting on device\.opened #1: without countOpened$/,
    'it was the last one: nobody counts any more',
  ],
  [/^device opening on device\.opened: without startSteady$/, 'no device was lost yet: no timer'],
  [
    /^preparation declaring on stages\.declared: without expectCount$/,
    'nothing has been counted yet: it begins so',
  ],
  [
    /^preparation placing on artefact\.ready #1: without countReady$/,
    'it was the last one: it ends',
  ],
  [
    /^deviceQueue closing on driver\.lost: without refuseWaiting$/,
    'what waited was refused when it began to close, and nothing was accepted since',
  ],
  [
    /^cohort specializing on specialization\.(ready|failed) #1: without countPending$/,
    'it was the last one: nobody counts any more',
  ],
  [
    /^finiteRequest inCohort on member\.collected #2: without countCollected$/,
    'it was the last one: nobody counts any more',
  ],
  [
    /^runtime\/memory\/slab-pool\.js: without this\.#holders\.delete\(holderKey\(range\)\);$/,
    'until the place has another holder, whose name takes its place, nobody reads it',
  ],
  [
    /^runtime\/memory\/bank-table\.js: without bank\.lastUse = this\.#now\(\); #2$/,
    'somebody had it activated, and says so again when it lets go',
  ],
  [
    /^runtime\/memory\/bank-table\.js: without bank\.storage = null;$/,
    'nobody looks at the storage of a bank that is away, and what is placed next takes its place',
  ],
  [
    /^runtime\/memory\/bank-table\.js: without bank\.staging = \[\];$/,
    'staging is given back once an activation, and the next one brings its own',
  ],
  [
    /^runtime\/text\/slot-pool\.js: without (if \(this\.#seen === |this\.#seen = )this\.#holds\.settled/,
    'it looks again through what it has looked through, and finds the same',
  ],
  [
    /^session idle on session\.(close|expired|evicted): without cancelIdle$/,
    'the actor ends, and its timers with it',
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
