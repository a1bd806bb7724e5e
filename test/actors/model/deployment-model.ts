/**
 * What runs because of a deployment's chart, kept by its effects and by what the world does: who
 * waits for an answer, which preparations and generations live, on which opening of the device,
 * which timers run. `check` compares it with what the chart believes.
 */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/model/deployment-context.js';
import type { Event } from '../../../actors/model/deployment.machine.js';
import type { StatusRecord } from '../../../runtime/base/errors.js';

interface Preparation {
  readonly package: number;
  /** Of the device on which it began. */
  readonly opening: number;
  isCancelled: boolean;
}

interface Living {
  readonly package: number;
  phase: 'loading' | 'loaded';
  isAbandoned: boolean;
  isDrained: boolean;
}

/** What an operator is told about the last loss or refusal. */
type Failure = StatusRecord | null;

export class DeploymentModel {
  /** Packages are numbered as they are registered; 0 is none. */
  registered = 0;
  newest = 0;
  started = 0;
  lastServed = 0;
  readonly served = new Set<number>();
  /** Packages with a verdict: started again only if they have served. */
  readonly #bad = new Set<number>();
  /** Registrations that wait, by package: of what is started, and of a newer one. */
  waiting: number[] = [];
  next: number[] = [];
  answered = 0;
  removals = 0;
  removalsAnswered = 0;
  preparation: Preparation | null = null;
  readonly living = new Map<number, Living>();
  current = 0;
  opening: number = 1;
  isDevice = true;
  isRemoving = false;
  isBackoff = false;
  isSteady = false;
  /** Recoveries in a row. */
  #attempts = 0;
  #failure: Failure = null;
  /** It never served and cannot. */
  #isGivenUp = false;
  #generation = 0;
  /** What runs when an event comes, for the effects that follow. */
  #ended: Preparation | null = null;
  #isKept = false;
  #owedRelease = 0;

  /** A candidate is one that loads and is not abandoned. */
  get candidate(): number {
    return this.isRemoving ? 0 : this.loading;
  }

  get loading(): number {
    for (const [generation, { phase, isAbandoned }] of this.living) {
      if (phase === 'loading' && !isAbandoned) return generation;
    }
    return 0;
  }

  /** The world does this; the chart hears of it next. */
  before(event: Event): void {
    this.#ended = null;
    this.#isKept = false;
    this.#owedRelease = 0;
    if (event.type === 'deployment.register') {
      if (this.#isGivenUp) this.#failure = null;
      if (this.#isGivenUp) this.#attempts = 0;
    } else if (event.type === 'recovery.due') this.isBackoff = false;
    else if (event.type === 'recovery.settled') {
      this.isSteady = false;
      this.#attempts = 0;
    } else if (event.type === 'device.opened') {
      this.opening += 1;
      this.isDevice = true;
    } else if (event.type === 'device.lost') {
      // Where nothing goes on any more, the verdict stays.
      if (!this.#isGivenUp) this.#failure = event.status;
      this.isDevice = false;
      this.current = 0;
    } else if (event.type === 'generation.loaded') {
      const candidate = this.loading;
      const living = this.living.get(candidate)!;
      living.phase = 'loaded';
      if (this.isRemoving) return;
      this.current = candidate;
      this.lastServed = living.package;
      this.served.add(living.package);
      this.#failure = null;
    } else if ('generation' in event) this.#generationEnds(event);
    else if (event.type.startsWith('preparation.')) this.#preparationEnds(event);
  }

  #generationEnds(event: Extract<Event, { generation: number }>): void {
    const { generation } = event;
    this.#owedRelease = generation;
    const isCandidate = generation === this.candidate;
    if ((isCandidate || generation === this.current) && !this.isRemoving && 'status' in event) {
      this.#failure = event.status;
      if (isCandidate && event.status.code !== 'unavailable') {
        this.#bad.add(this.living.get(generation)!.package);
      }
    }
    if (this.current === generation) this.current = 0;
    this.living.delete(generation);
  }

  #preparationEnds(event: Event): void {
    this.#ended = this.preparation;
    this.preparation = null;
    if (event.type !== 'preparation.failed' || this.isRemoving) return;
    const isVoid = this.#ended!.opening !== this.opening || !this.isDevice;
    if (isVoid || this.next.length > 0) return;
    this.#failure = event.status;
    if (event.status.code !== 'unavailable') this.#bad.add(this.started);
  }

  /** One effect of the chart, in their order. */
  apply(effect: string, event: Event, context: Context): void {
    switch (effect) {
      case 'keepPackage':
        this.registered += 1;
        this.newest = this.registered;
        this.answered += this.next.length;
        this.next = [this.registered];
        return;
      case 'supersedeRegistrations':
        return this.#answerWaiting();
      case 'answerReady':
      case 'answerFailed':
        for (const one of this.waiting) assert.is(one, this.started, 'told of its own package');
        if (this.waiting.length === 0) return;
        if (effect === 'answerReady') assert.ok(this.served.has(this.started), 'it serves');
        else if ('status' in event) assert.is(context.failure, event.status, 'its own reason');
        return this.#answerWaiting();
      case 'revertPackage':
        this.newest = this.lastServed;
        return;
      case 'startPreparation':
        return this.#startPreparation(event, context);
      case 'cancelPreparation':
        if (this.preparation !== null) this.preparation.isCancelled = true;
        return;
      case 'keepCandidate':
        this.#isKept = true;
        return;
      case 'startGeneration':
        return this.#startGeneration(context);
      case 'abandonGenerations':
        for (const living of this.living.values()) living.isAbandoned = true;
        return;
      case 'drainGenerations':
        for (const living of this.living.values()) living.isDrained = living.phase === 'loaded';
        return;
      case 'releaseGeneration':
        this.#owedRelease = 0;
        return;
      case 'startBackoff':
        this.isBackoff = true;
        this.#attempts += 1;
        return assert.is(context.attempts, this.#attempts, 'recoveries in a row');
      case 'cancelBackoff':
        this.isBackoff = false;
        return;
      case 'startSteady':
        this.isSteady = context.attempts > 0;
        return;
      case 'cancelSteady':
        this.isSteady = false;
        return;
      case 'awaitRemoval':
        this.removals += 1;
        this.isRemoving = true;
        this.current = 0;
        return;
      case 'announceRemoved':
        this.answered += this.next.length;
        this.next = [];
        this.#answerWaiting();
        this.removalsAnswered = this.removals;
        return;
    }
  }

  #answerWaiting(): void {
    this.answered += this.waiting.length;
    this.waiting = [];
  }

  #startPreparation(event: Event, { generation }: Context): void {
    assert.is(this.preparation, null, 'one preparation at a time');
    assert.ok(this.isDevice, 'nothing is prepared while the device is away');
    assert.ok(generation > this.#generation, 'numbers are never used twice');
    const isForNewer = this.next.length > 0;
    const isVerdict = event.type === 'preparation.failed' || event.type.startsWith('generation.');
    if (isVerdict) assert.ok(isForNewer, 'what failed is not prepared again at once');
    if (isVerdict) assert.is(this.waiting.length, 0, 'the older is told what became of it');
    assert.ok(!this.#bad.has(this.newest) || this.served.has(this.newest), 'a bad package again');
    this.#generation = generation;
    if (isForNewer) this.#answerWaiting();
    this.waiting.push(...this.next);
    this.next = [];
    this.started = this.newest;
    this.preparation = { package: this.newest, opening: this.opening, isCancelled: false };
  }

  #startGeneration({ generation }: Context): void {
    assert.ok(this.#ended !== null && this.#isKept, 'only what was prepared is loaded');
    assert.is(this.#ended!.opening, this.opening, 'prepared on a device that is gone');
    assert.ok(this.isDevice, 'prepared on a device that is gone');
    assert.is(this.next.length, 0, 'a newer package waits');
    const phase = 'loading';
    const life = { package: this.#ended!.package, phase, isAbandoned: false, isDrained: false };
    this.living.set(generation, life as Living);
  }

  /** After a step: its effects, where it ended. */
  check(event: Event, effects: readonly string[], state: string, context: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    const living = [...this.living.values()];
    assert.is(context.living, this.living.size, 'who lives');
    if (event.type === 'device.opened') assert.ok(has('keepDevice'));
    if (event.type === 'deployment.register') {
      assert.ok(has('keepPackage') || has('refuseRegistration'), 'taken or refused');
    }
    if (event.type === 'device.lost') {
      for (const { isAbandoned } of living) assert.ok(isAbandoned, 'told of the loss');
      assert.not(this.preparation?.isCancelled === false, 'its preparation is cancelled');
    }
    if (event.type === 'generation.loaded' && !this.isRemoving) assert.ok(has('switchGeneration'));
    if ('generation' in event) assert.ok(has('forgetGeneration'));
    if (this.isDevice) assert.is(this.#owedRelease, 0, 'what an ended generation left is released');
    this.#checkPreparation(event, has);
    if (state === 'draining') {
      for (const { phase, isDrained, isAbandoned } of living) {
        assert.ok(isDrained || isAbandoned || phase === 'loading', 'told to drain');
      }
    }
    if (state === 'removed') return;
    this.#isGivenUp = state === 'failed';
    assert.is(context.failure, this.#failure, 'why it does not serve');
    assert.is(context.device, this.isDevice, 'whether there is a device to clean');
    if (this.isRemoving) return;
    assert.is(context.current, this.current, 'who serves');
    assert.is(context.candidate, this.candidate, 'who loads');
    assert.is(context.proven, this.served.has(this.newest), 'whether the newest has served');
    const isIdle = ['preparing', 'replacing', 'recovering', 'stranded'].includes(state);
    if (event.type === 'deployment.register' && isIdle) {
      for (const one of this.waiting) assert.is(one, this.newest, 'an older one is told at once');
    }
    if (state === 'failed') {
      assert.is(this.waiting.length + this.next.length, 0, 'they know that it failed');
      assert.is(this.served.size, 0, 'what served comes back');
    }
    if (state === 'serving') {
      assert.is(this.next.length, 0, 'a newer package is prepared');
      assert.is(this.waiting.length, 0, 'they know that it serves');
      assert.ok(this.#attempts === 0 || this.isSteady, 'recoveries are forgotten in time');
    }
  }

  #checkPreparation(event: Event, has: (effect: string) => boolean): void {
    const ended = this.#ended;
    const isWanted = this.next.length === 0 && !this.isRemoving;
    if (this.preparation !== null && !isWanted) {
      assert.ok(this.preparation.isCancelled, 'nobody wants what is prepared');
    }
    if (ended === null || !this.isDevice || ended.opening !== this.opening) return;
    if (event.type === 'preparation.prepared') {
      const isDropped = has('keepCandidate') && has('dropCandidate');
      assert.ok(has('startGeneration') || isDropped, 'loaded, or taken off the device');
    } else assert.ok(has('releasePreparation'), 'nothing of it stays on the device');
  }
}
