/**
 * One seed: what it does to a server, in two phases. First anything goes; then faults stop,
 * whatever was accepted must end, every model must serve again, and when all models are removed
 * nothing may be left. Pure: the same seed and options give the same run, to the last line.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { CompiledPackages } from './compiled-packages.js';
import { GuestPackages, guests, type Guest } from './guests.js';
import { HistoryLaws } from './history-laws.js';
import { Laws, theDevice } from './laws.js';
import { SeedMemories } from './seed-memories.js';
import { override } from './override.js';
import type { Outcome, SimulationOptions } from './seed-outcome.js';
import { faultKinds, planMishaps, shares, type FaultKind, type Mishap } from './seed-faults.js';
import { MEMORY_BYTES, MEMORY_BYTES_MAX, SimulatedServer } from './simulated-server.js';
import { isText, ROW_BYTES, TEXT_BYTES, TEXT_MODELS } from './text-package.js';
import { planReaders, type TextReader } from './text-plan.js';
import { TextHistoryLaws } from './text-history-laws.js';
import { TextTraffic, type TextEvent } from './text-traffic.js';
import { MODELS, PATIENCE_MS, planTraffic, Traffic, type Step } from './traffic.js';

export { faultKinds, type FaultKind };

export type { Outcome, SimulationOptions };

/** Budgets in which one bank fits beside an invocation, or two of them. */
const budgets = [26 * 1024, 38 * 1024];
const PHASE_MS = 60;
const STEPS_MAX = 20_000;
/** Some readers come to nothing by what they ask themselves: that all of these do is no chance. */
const READER_TRIES = 12;
const SETTLED_VERSION = 990;
/** Actors that no server ends. */
const outside = [/^main:\/(pool|files|client|streams|readers)$/];
const ownPackages = new CompiledPackages();
const guestPackages = new GuestPackages();
const memories = new SeedMemories();

export function simulate(options: SimulationOptions): Outcome {
  try {
    return new Simulation(options).run();
  } finally {
    memories.reclaim();
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #faults: ReadonlySet<FaultKind>;
  readonly #laws: Laws;
  readonly #guest: Guest | null;
  readonly #traffic: Traffic;
  readonly #texts = new TextTraffic();
  /** Of the text contract. */
  readonly #texted: readonly string[];
  /** Of finite contracts. */
  readonly #finite: readonly string[];
  readonly #idleMs: number;
  readonly #server: SimulatedServer;
  readonly #isTight: boolean;
  readonly #travelMs: number;
  readonly #isDrained: boolean;
  readonly #isAsked: boolean;
  readonly #mishaps: readonly Mishap[];
  readonly #parts: string[] = [];
  #wasAsked = false;

  constructor(options: SimulationOptions) {
    const { seed, faults = faultKinds, withTrace = false } = options;
    this.#options = options;
    this.#random = SeededRandom.for(seed, 'faults');
    this.#faults = new Set(
      faultKinds.filter((kind) => this.#chance(0.65) && faults.includes(kind)),
    );
    this.#guest = options.guest === undefined ? null : guests[options.guest];
    const packages = this.#guest === null ? ownPackages : guestPackages;
    this.#traffic = new Traffic(packages);
    this.#isTight = this.#faults.has('memory') && this.#guest === null;
    const { only, asked = 1 } = options;
    this.#isAsked = SeededRandom.for(seed, 'asked').next() < asked;
    const hasText = only === 'text' || (only === undefined && this.#faults.has('text'));
    // Rows do not fit where banks have hardly room, and where they have, those of one model do.
    const fits = hasText && (!this.#isTight || this.#chance(0.6));
    this.#texted = fits ? TEXT_MODELS.slice(0, this.#isTight ? 2 : 1) : [];
    const one = only === 'text' ? [] : [this.#guest?.model ?? MODELS[seed % MODELS.length]!];
    this.#finite = only === undefined ? MODELS : one;
    this.#idleMs = this.#chance(0.3) ? 20 : 60_000;
    this.#isDrained = this.#faults.has('drain') && this.#chance(0.35);
    this.#laws = new Laws({ withTrace });
    this.#travelMs = [0.2, 1, 4][this.#random.below(3)]!;
    const modelThreads = this.#chance(0.3) ? ['model-0', 'model-1'] : ['model-0'];
    this.#server = new SimulatedServer({
      seed,
      modelThreads,
      memoryBytes: this.#memoryBytes(),
      waitingMax: this.#faults.has('queue') ? 8 : 4_096,
      travelMs: this.#travelMs,
      failures: this.#isOn('failure') ? shares.failures : 0,
      unread: this.#isOn('read') ? shares.unread : 0,
      slow: this.#isOn('slow-read') ? shares.slow : 0,
      unallocated: this.#isOn('allocation') ? shares.unallocated : 0,
      unopened: this.#isOn('unopened') ? shares.unopened : 0,
      sessionIdleMs: this.#idleMs,
      readers: this.#texts.readers,
      watch: this.#laws,
      packages,
      memories,
      traceMax: 0,
    });
    override(this.#laws, { now: () => this.#server.world.time.nowMs });
    this.#texts.deadlineMs = options.deadlineMs ?? Infinity;
    const where = { server: this.#server, modelThreads };
    this.#mishaps = this.#kept('mishap', planMishaps(this.#random, this.#faults, where));
    let due = [...this.#mishaps];
    override(this.#laws, {
      onStep: () => {
        if (!this.#server.isFaulty || due.length === 0) return;
        const { steps } = this.#laws;
        if (!due.some(({ step }) => step <= steps)) return;
        const now = due.filter(({ step }) => step <= steps);
        due = due.filter(({ step }) => step > steps);
        for (const mishap of now) mishap.act();
      },
    });
    const ground = {
      ...{ server: this.#server, laws: this.#laws },
      ...{ traffic: this.#traffic, texts: this.#texts },
    };
    options.intruder?.enter(ground);
  }

  run(): Outcome {
    const { seed } = this.#options;
    const { world } = this.#server;
    const share = (fault: FaultKind, value: number): number =>
      this.#faults.has(fault) ? value : 0;
    const startMs = world.time.nowMs + (this.#chance(0.1) ? 3 : 14);
    const isSmall = this.#options.only !== undefined;
    const planned = planTraffic(seed, startMs, {
      models: this.#finite,
      calls:
        this.#options.calls ?? (isSmall ? 5 + this.#random.below(6) : 12 + this.#random.below(24)),
      lengthMs: PHASE_MS,
      cancelled: share('cancel', 0.35),
      hurried: share('deadline', 0.2),
      wicked: share('wicked', 0.25),
      replacements: share('replace', 1 + this.#random.below(isSmall ? 2 : 6)),
      removals: share('remove', isSmall ? 1 : 1 + this.#random.below(2)),
      drains: this.#isDrained,
      warmups: share('warm', 2 + this.#random.below(4)),
      deactivations: share('deactivate', 2 + this.#random.below(4)),
      // Banks that never leave: where others find no room beside them, nobody could go on.
      pins: !this.#isTight,
    });
    const steps = this.#kept('step', planned).map((step) => this.#asked(this.#hurried(step)));
    const texts = this.#planTexts(startMs);
    const main = this.#server.threads.main;
    main.spawn('client', this.#traffic.client, [...steps, ...this.#kept('text', texts.steps)]);
    main.spawn('readers', this.#texts.client, this.#kept('reader', texts.readers));
    const { lastsMs = PHASE_MS + 10 } = this.#options;
    world.run({ untilMs: world.time.nowMs + lastsMs, stepsMax: STEPS_MAX });
    this.#server.isFaulty = false;
    this.#texts.deadlineMs = Infinity;
    if (this.#rest('when faults have stopped')) {
      if (!this.#isOver) {
        this.#checkKept();
        if (this.#isAsked) {
          this.#wasAsked = true;
          this.#recover();
          this.#serveAgain();
          this.#checkKept();
        }
        this.#removeAll();
      }
      this.#drain();
    }
    return this.#outcome();
  }

  /** As a guest is asked, who has no version that is flawed. */
  #asked(step: Step): Step {
    if (this.#guest === null) return step;
    if (step.kind === 'register') return { ...step, version: 10 };
    return step.kind === 'call' ? { ...step, asked: this.#guest.ask(step.inputs) } : step;
  }

  #hurried(step: Step): Step {
    const { deadlineMs = Infinity } = this.#options;
    if (step.kind !== 'call') return step;
    return { ...step, deadlineMs: Math.min(step.deadlineMs, deadlineMs) };
  }

  #memoryBytes(): number {
    if (this.#guest !== null) return MEMORY_BYTES_MAX;
    if (!this.#isTight) return MEMORY_BYTES;
    if (this.#texted.length === 0) return budgets[this.#random.below(2)]!;
    return TEXT_BYTES + (this.#chance(0.7) ? ROW_BYTES - 256 : 4 * ROW_BYTES);
  }

  #planTexts(startMs: number): {
    readonly steps: readonly Step[];
    readonly readers: readonly TextReader[];
  } {
    if (this.#texted.length === 0) return { steps: [], readers: [] };
    const times = this.#faults.has('replace') ? 1 + this.#random.below(3) : 1;
    const at = (i: number): number =>
      i === 0 ? startMs : startMs + this.#random.next() * PHASE_MS;
    const steps = Array.from({ length: times }, (_, i) =>
      this.#texted.map((model): Step => {
        return { kind: 'register', model, version: 10 * (i + 1), atMs: at(i) };
      }),
    ).flat();
    if (this.#faults.has('remove') && this.#chance(0.3)) {
      steps.push({ kind: 'unregister', model: this.#texted[0]!, atMs: at(1) });
    }
    const readers = planReaders(this.#options.seed, startMs + 12, {
      models: this.#texted,
      readers: this.#options.only === undefined ? 3 + this.#random.below(7) : 3,
      lengthMs: PHASE_MS,
      cancelled: this.#faults.has('cancel') ? 0.25 : 0,
    });
    return { steps, readers };
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** A fault that is on in this seed, unless it is left out. */
  #isOn(fault: FaultKind): boolean {
    return this.#faults.has(fault) && this.#kept(fault, [fault]).length > 0;
  }

  /** What of this is not left out; each is a part by this name and its number. */
  #kept<Item>(name: string, items: readonly Item[]): Item[] {
    return items.filter((_, i) => {
      const part = items.length === 1 && name !== 'mishap' ? name : `${name}${i}`;
      if (this.#options.without?.has(part)) return false;
      this.#parts.push(part);
      return true;
    });
  }

  #rest(when: string): boolean {
    const cameToRest = this.#server.world.run({ stepsMax: STEPS_MAX });
    if (!cameToRest) this.#laws.report('H', `the server does not come to rest ${when}`);
    return cameToRest;
  }

  /** What served before and was not removed, serves again by itself. */
  #recover(): void {
    const { history } = this.#traffic;
    const served = this.#models.filter((model) => {
      const commands = history.filter(({ step }) => step.model === model);
      const isRemoved = commands.some(({ step }) => step.kind === 'unregister');
      const isServed = commands.some(
        ({ step, replies }) => step.kind === 'register' && replies[0]?.reply.outcome === 'value',
      );
      return isServed && !isRemoved;
    });
    this.#expectValues(this.#calls(served, ['a']), 'by itself');
    this.#expectTexts(served.filter(isText), 'by itself');
  }

  /** A registration of each model, then requests that need a cold and two specialized stages. */
  #serveAgain(): void {
    const registrations = this.#models.map((model): Step => ({
      kind: 'register',
      model,
      version: SETTLED_VERSION,
      atMs: 0,
    }));
    this.#expectValues(registrations, 'after the faults');
    const calls = [['a'], ['abcde'], ['abcdef', 'fedcba'], ['abcde']];
    for (const inputs of calls.slice(this.#options.only === undefined ? 0 : 2)) {
      this.#expectValues(this.#calls(this.#finite, inputs), 'after the faults');
    }
    this.#expectTexts(this.#texted, 'after the faults');
  }

  get #models(): readonly string[] {
    return [...this.#finite, ...this.#texted];
  }

  /** Sessions and turns of readers who stay. */
  #expectTexts(models: readonly string[], when: string): void {
    for (const model of models) this.#expectText(model, when);
  }

  #expectText(model: string, when: string, tries = READER_TRIES): void {
    const known = this.#texts.history.length;
    const { nowMs } = this.#server.world.time;
    const readers = this.#options.only === undefined ? 2 : 1;
    const shape = { models: [model], readers, lengthMs: 5, cancelled: 0 };
    this.#texts.play(planReaders(this.#options.seed + known, nowMs, shape));
    this.#rest(`${when}, when texts were asked for`);
    const asked = this.#texts.history.slice(known).filter(({ op }) => op === 'generate');
    const isTold = asked.some(({ replies: [answer] }) => answer?.reply.outcome === 'value');
    // Readers may ask for what no row can hold or of a session that has grown idle, or leave unread
    // what they get: others are asked.
    const isOwn = ({ leftMs, replies: [answer] }: TextEvent): boolean =>
      leftMs < Infinity ||
      /^(outOfRange|invalidArgument|gone)$/.test(answer?.reply.status?.code ?? '');
    if (isTold) return;
    if (tries > 1 && asked.every(isOwn)) this.#expectText(model, when, tries - 1);
    else this.#laws.report('R', `${asked.length} turns ${when}, and none ends`);
  }

  #calls(models: readonly string[], inputs: readonly string[]): Step[] {
    const atMs = this.#server.world.time.nowMs;
    const deadlineMs = atMs + PATIENCE_MS;
    const finite = models.filter((model) => !isText(model));
    return finite.map((model) =>
      this.#asked({ kind: 'call', model, inputs, atMs, deadlineMs, leavesMs: [] }),
    );
  }

  #expectValues(steps: readonly Step[], when: string): void {
    const known = this.#traffic.history.length;
    this.#traffic.play(steps);
    this.#rest(`${when}, at ${steps[0]?.kind}`);
    for (const { step, replies } of this.#traffic.history.slice(known)) {
      const [answer] = replies;
      if (answer?.reply.outcome === 'value') continue;
      const why = answer?.reply.status?.message ?? 'no answer';
      this.#laws.report('R', `${step.kind} of ${step.model} ${when}: ${why}`);
    }
  }

  /** Nobody uses a specialization now, so a generation keeps no more than its cache holds. */
  #checkKept(): void {
    const kept = this.#server.shadow?.specialized() ?? [];
    const generations = kept.map((id) => id.slice(0, id.indexOf('/')));
    const isMore = new Set(generations).size < generations.length;
    this.#server.shadow?.banks.checkIdle();
    if (isMore) this.#laws.report('S', `specializations are kept at rest: ${kept.join(', ')}`);
    this.#laws.checkUsers(this.#server);
  }

  #removeAll(): void {
    this.#traffic.play(this.#models.map((model): Step => ({ kind: 'unregister', model, atMs: 0 })));
    this.#rest('after all models were removed');
    this.#laws.checkRest(this.#server, [
      ...outside,
      /^main:\/server(\/devices\/device)?$/,
      theDevice,
    ]);
  }

  /** It drains, or its device never opened: then it gives up. */
  get #isOver(): boolean {
    return this.#isDrained || this.#laws.isServerGone;
  }

  #drain(): void {
    if (!this.#isOver) {
      this.#traffic.play([{ kind: 'drain', model: '', boundMs: 1_000, atMs: 0 }]);
      this.#rest('after the server was drained');
    }
    this.#laws.checkRest(this.#server, outside);
    if (this.#server.shadow?.isClosed === false) this.#laws.report('I8', 'the driver is open');
    const context = {
      history: this.#traffic.history,
      losses: this.#laws.losses,
      report: this.#laws.collected,
      isTight: this.#isTight,
      travelMs: this.#travelMs,
      hasTexts: this.#texted.length > 0,
    };
    new HistoryLaws(context).check();
    new TextHistoryLaws(context, this.#texts, this.#idleMs).check();
  }

  #outcome(): Outcome {
    const { history } = this.#traffic;
    return {
      seed: this.#options.seed,
      faults: [...this.#faults],
      violations: this.#laws.collected.violations,
      hash: this.#laws.digest.text,
      trace: this.#laws.lines ?? [],
      parts: this.#parts,
      wasAsked: this.#wasAsked,
      steps: this.#laws.steps,
      answered: history.filter(({ replies }) => replies[0]?.reply.outcome === 'value').length,
      shared: this.#laws.cohorts.membersShared,
      compiles: this.#laws.works.compiles,
      cancelledIn: [...this.#laws.works.cancelledIn],
      ...this.#server.bankCounts,
      told: this.#texts.history.filter(
        ({ op, replies }) => op === 'generate' && replies[0]?.reply.outcome === 'value',
      ).length,
      spansShared: this.#laws.texts.spansShared,
      rowEvictions: this.#laws.texts.rowEvictions,
    };
  }
}
