/**
 * Mutants that no law is expected to notice, by their names, and why. Everything else that survives
 * is a hole in the laws. Where another test owns the behaviour, the reason names it.
 */
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /(cancelTimers|(start|cancel)(Steady|Backoff)|(count|clear)Attempts?|device\.settled|recovery\.)/,
    'back-off and restart intensity count minutes; test/actors/model has the charts under losses',
  ],
  [
    /note(Failure|Reverted|Proven|Unproven|Queued|Device|DeviceLost|PreparerLost)|clearFailure/,
    'what a summary tells, or which of two ways back is taken; test/actors/model has the charts',
  ],
  [
    /(release(Generation|Preparation|Stages)|unloadArtefacts|dropCandidate|keepCandidate)$/,
    'cleaned up twice on purpose: by what ends, and by its deployment in case its thread dies',
  ],
  [
    /forget(Generation|Request|Deployment)$|drop(Deployment|Serving)$/,
    'an entry that nobody reads',
  ],
  [/supersedeRegistrations|(mark|cancel)(Queued|Preparation|Cancelled|Stranded)$/, 'only sooner'],
  [/abandonGenerations|strandDeployments|announceLost|refuseWaiting/, 'told twice: also by `down`'],
  [/close(Driver|Device)$|deviceQueue (closing|lost) on always/, 'a driver closes with its actor'],
  [/server (recovering|reopening|draining) on /, 'a drain while the device is away: by its bound'],
  [/specialization .* use: without countUser/, 'its generation counts users too'],
  [/deviceQueue ready on work\.(submit|ended)/, 'read only when the device closes or is lost'],
  [
    /preparation .*(countReady|expectPending|without its guard)|joining on always #1/,
    'a race of its own test',
  ],
  [
    /(countReturned|countCollected|countPending|noteSwitched|countGeneration)$/,
    'read by no later step',
  ],
  [/regrouping on always #1|settling on always #1|retiring on always/, 'two states that act alike'],
  [/deployment .* #\d: (removed|without its guard|without (answer|revert)\w+)$/, 'the next choice'],
  [/deployment .*without drainGenerations/, 'a generation that is not there any more'],
  [/request\.submit #1: without its guard/, 'the preparer refuses by its absence'],
  [/generation draining on (specialization|cohort)/, 'the generation is about to leave'],
  [/^(Budget\.giveUp|Reservation\.release|InvocationRunner\.refuseWaiting)/, 'test/runtime/memory'],
  [/^Executable\.unload/, 'code that a driver keeps; test/runtime/hal'],
  [/^PendingAsks\.dropOf/, 'the reply finds nobody; test/runtime/system'],
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
