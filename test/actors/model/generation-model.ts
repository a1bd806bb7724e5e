/** What runs because of a generation's chart: requests, cohorts, its preparer, its control. */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/model/generation.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import type { ChartModel, ChartStep } from '../chart-history.js';

const status = { code: 'unavailable', message: 'gone' };

/** What each message of requests and cohorts asks for, wherever it may come. */
const served: Readonly<Record<string, readonly string[]>> = {
  'members.offered': ['keepMembers', 'gatherOffers'],
  'offers.gathered': ['formCohorts'],
  'members.withdrawn': ['dropMembers'],
  'cohort.formed': [],
  'specialization.request': ['lendSpecialization'],
  'specialization.returned': ['takeBackSpecialization'],
  'request.ended': ['forgetRequest'],
  'cohort.ended': ['forgetCohort', 'formCohorts'],
};

export class GenerationModel implements ChartModel<Context> {
  readonly #random: SeededRandom;
  #requests = 0;
  #cohorts = 0;
  #specializing = 0;
  #hasPreparer = false;
  #isGathering = false;
  #isTimed = false;
  #isLoading = true;
  #isDraining = false;
  #failure: unknown = null;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  facts(): MachineEvent[] {
    // Nobody knows it before it has loaded.
    const types = this.#isLoading ? [] : ['request.submit', 'request.submit'];
    types.push('generation.drain');
    if (this.#isLoading) types.push('control.loaded', 'control.loaded');
    if (this.#hasPreparer) types.push('preparer.lost');
    if (this.#isTimed) types.push('preparer.due', 'preparer.due');
    if (this.#requests > 0) {
      types.push('members.offered', 'members.withdrawn', 'cohort.formed');
      types.push('request.ended');
    }
    // Its own word, from before: who offered may have ended meanwhile.
    if (this.#isGathering) types.push('offers.gathered');
    // Each is told before the cohort ends.
    if (this.#cohorts > 0) {
      types.push('specialization.request', 'specialization.returned', 'cohort.ended');
    }
    // A compile may outlive the cohort that asked for it.
    if (this.#specializing > 0) types.push('specialization.decided');
    const facts: MachineEvent[] = types.map((type) => ({ type }));
    if (this.#isLoading) facts.push({ type: 'control.refused', status: { ...status } });
    if (this.#random.below(8) === 0) facts.push({ type: 'device.lost', status: { ...status } });
    return facts;
  }

  before({ type, status: told }: MachineEvent & { status?: unknown }): void {
    if (type === 'preparer.lost') this.#hasPreparer = false;
    if (type === 'preparer.due') this.#isTimed = false;
    if (type === 'control.loaded' || type === 'control.refused') this.#isLoading = false;
    // While it loads nobody leaves it to drain: it is told again.
    if (type === 'generation.drain' && !this.#isLoading) this.#isDraining = true;
    if (type === 'offers.gathered') this.#isGathering = false;
    if (type === 'request.ended') this.#requests -= 1;
    if (type === 'cohort.formed') this.#cohorts += 1;
    if (type === 'cohort.ended') this.#cohorts -= 1;
    if (type === 'specialization.request') this.#specializing += 1;
    if (type === 'specialization.decided') this.#specializing -= 1;
    if (told !== undefined) this.#failure = told;
  }

  effect(type: string): void {
    if (type === 'startPreparer') this.#hasPreparer = true;
    if (type === 'startBackoff') this.#isTimed = true;
    if (type === 'acceptRequest') this.#requests += 1;
    if (type === 'gatherOffers') this.#isGathering = true;
  }

  check({ event: { type }, effects, from, to }: ChartStep, context: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(context.requests, this.#requests, 'requests');
    assert.is(context.cohorts, this.#cohorts, 'cohorts');
    assert.is(context.failure, this.#failure, 'what it is told');
    assert.is(context.preparer, this.#hasPreparer, 'whether it has a preparer');
    if (from === '') assert.ok(has('startPreparer') && has('loadControl'));
    if (type === 'request.submit') {
      const isTaken = !this.#isDraining && this.#hasPreparer;
      assert.equal(effects, [isTaken ? 'acceptRequest' : 'refuseRequest']);
    }
    for (const effect of served[type] ?? []) assert.ok(has(effect), `${type}: ${effect}`);
    if (!this.#hasPreparer && !this.#isLoading) assert.ok(this.#isTimed, 'its preparer comes back');
    if (type === 'control.loaded') assert.ok(has('announceLoaded'));
    if (type === 'control.refused') assert.ok(has('announceFailed') && has('releaseStages'));
    if (type === 'device.lost') assert.ok(has('announceLost') && to === 'lost');
    else if (type !== 'control.refused' && !this.#isLoading) this.#checkRest(to, has);
  }

  #checkRest(to: string, has: (effect: string) => boolean): void {
    const isIdle = this.#requests + this.#cohorts + this.#specializing === 0;
    const due = this.#isDraining ? ['draining', 'retired'] : ['active', 'prepared'];
    assert.is(to, due[isIdle ? 1 : 0], 'it rests when nothing is open, and not before');
    const isOver = this.#isDraining && isIdle;
    assert.is(has('announceRetired'), isOver);
    assert.is(has('releaseStages'), isOver);
  }

  end(): void {}
}
