/**
 * The laws of every run, and who checks each: one object that watches a simulated server from
 * outside and collects what breaks. Checked while it runs (I1–I5, I7, I10, Q, S, A), over its
 * history (I6, I12, H, V, E), and at rest (I8, D). README.md in this folder has the table.
 */
import { SERVER } from '../../actors/protocol.js';
import type { Address } from '../../runtime/system/address.js';
import type { DeadLetter } from '../../runtime/system/dead-letters.js';
import type { ActorDescription } from '../../runtime/system/describe.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import type { SimulatedStep } from '../../runtime/system/transports/simulated.js';
import { AskLaws } from './ask-laws.js';
import { CohortLaws } from './cohort-laws.js';
import { Losses, type LostThing } from './losses.js';
import type { Observation, Observer } from './observed-actor.js';
import { Report } from './report.js';
import type { ServerWatch, SimulatedServer } from './simulated-server.js';
import { StepDigest } from './step-digest.js';
import { TextLaws } from './text-laws.js';
import { WorkLaws } from './work-laws.js';

export const laws: Readonly<Record<string, string>> = {
  I1: 'no storage is freed or handed out before its last accepted consumer retired',
  I2: 'each accepted work retires exactly once, each submission has exactly one end',
  I3: 'after a cancel nothing more is published',
  I4: 'every ordinal of a cohort, and every offer, has exactly one end',
  I5: 'timelines only grow',
  I6: 'a row equals the isolated run, bit for bit',
  I7: 'resident plus reserved bytes never exceed the budget, and the ledger says what is held',
  I8: 'at rest every ledger and table reads zero',
  I9: 'a page that a row or a checkpoint shares is never written',
  I10: 'the oldest prepared member is in the next cohort; newcomers only ride along',
  I11: 'a reader that does not read holds up nobody else, at a bound',
  I12: 'exactly one terminal a request',
  A: 'no actor fails, no machine gets an event that its state does not expect',
  B: 'a bank never leaves its users, is filled alone, and is activated only for somebody',
  F: 'a descriptor is closed once, by the end, and nobody reads from a closed one',
  C: 'a cancel reaches its request, and frees what waits, at once',
  D: 'no message that somebody waits for becomes a dead letter',
  E: 'every error is explained by the input, the caller or a loss',
  H: 'nobody waits for ever, and the server comes to rest',
  K: 'what fails in company is tried once more alone, so only the culprit fails',
  N: 'whoever handles an ask answers it or passes it on',
  Q: 'a call is refused for a full queue exactly when the queue is full',
  R: 'after faults have stopped every model serves again',
  S: 'a stage that several cohorts miss is compiled once, and few unused ones are kept',
  V: 'after a registration was answered, that version or a later one serves',
};

/** Messages that may miss their receiver: whoever sent them waits for nothing. */
const dispensable = new Set([
  'cancel',
  'generation.drain',
  'preparation.cancel',
  'preparer.retire',
  'device.close',
  'specialization.release',
  'specialization.evict',
  // To a cohort that has ended, because all its members left (one that waits is found by law H).
  'members.left',
  'specialization.ready',
  'specialization.failed',
  'executable.unload',
  'executables.release',
  'deployment.unregister',
  // Its ask is answered by the generation when the session has ended.
  'session.ask',
  'text.taken',
  // The device does what it says to a generation, whether that is still there or not.
  'rows.wanted',
  'rows.evicted',
]);

/** Numbered anew each time it is opened again. */
export const theDevice = /^device:\/device(@\d+)?$/;

export class Laws implements ServerWatch {
  readonly collected = new Report();
  readonly losses = new Losses();
  readonly cohorts = new CohortLaws(this.collected, () => this.now());
  readonly works = new WorkLaws({
    report: this.collected,
    losses: this.losses,
    cohorts: this.cohorts,
  });
  /** One line an event, when asked for. */
  readonly lines: string[] | null;
  readonly digest = new StepDigest();
  readonly texts = new TextLaws(this.collected);
  readonly #asks = new AskLaws(this.collected);
  /** Dead ones of the step that is being made. */
  #letters: string[] = [];
  steps = 0;
  /** It has stopped, however that came. */
  isServerGone = false;
  onStep: () => void = () => {};
  /** Whoever follows a run hears of it as the laws do. */
  onObserved: Observer['observe'] = () => {};
  onRecord: (record: SystemRecord) => void = () => {};
  now: () => number = () => 0;

  readonly report: Report['add'] = (law, detail) => {
    this.lines?.push(`${this.now().toFixed(3)} !! ${law}: ${detail}`);
    this.collected.add(law, detail);
  };

  constructor(options: { readonly withTrace: boolean }) {
    this.lines = options.withTrace ? [] : null;
  }

  observe(actor: Address, seen: Observation): void {
    this.onObserved(actor, seen);
    if (this.lines !== null) this.#trace(actor, seen);
    // A drain whose time is up takes everything with it.
    if (seen.type === 'stopped' && actor === SERVER) this.isServerGone = true;
    this.cohorts.observe(actor, seen);
    this.works.observe(actor, seen);
    this.texts.observe(actor, seen);
    this.#asks.observe(actor, seen);
  }

  record(_thread: string, record: SystemRecord): void {
    this.onRecord(record);
    if (record.type === 'unexpected') {
      this.report('A', `${record.actor} in ${record.state} does not expect ${record.event}`);
    } else if (record.type === 'transition') {
      if (record.event === 'request.cancel' && record.actor.includes('/requests/')) {
        this.works.cancelledIn.add(record.from);
      }
      const { atMs, actor, from, to, event } = record;
      this.lines?.push(`${atMs.toFixed(3)}    ${actor} ${from} > ${to} (${event})`);
    } else if (record.type === 'deadLetter') this.#deadLetter(record.letter);
  }

  step(step: SimulatedStep): void {
    this.#judgeLetters();
    this.steps += 1;
    this.digest.add(step, this.now());
    this.onStep();
  }

  log(actor: string, text: string): void {
    if (this.losses.any('driver', 'thread')) return;
    // Or its generation ended meanwhile.
    const isBank = text.includes('could not be activated');
    const isExplained =
      this.losses.any('command', 'memory', 'read') || text.includes('no executable');
    if (!isBank || !isExplained) this.report('A', `${actor}: ${text}`);
  }

  task(): void {}

  lost(thing: string): void {
    const what = ['clock', 'command', 'driver', 'memory', 'read'].includes(thing)
      ? (thing as LostThing)
      : 'thread';
    this.lines?.push(`${this.now().toFixed(3)} ## lost: ${thing}`);
    this.losses.add(what, this.now());
    if (what !== 'thread') return;
    this.cohorts.threadLost(thing);
    this.works.threadLost(thing);
    this.texts.threadLost(thing);
  }

  stoodStill(ms: number): void {
    this.cohorts.stoodStill(ms);
  }

  /** Nobody works: no specialization has a user. */
  checkUsers({ systems }: SimulatedServer): void {
    for (const system of systems.values()) {
      for (const { address, users } of leasesOf(system.describe().actors)) {
        if (users > 0) this.report('S', `${address} has ${users} users at rest`);
      }
    }
  }

  /** Models are gone, nothing happens any more. */
  checkRest(server: SimulatedServer, expected: readonly RegExp[]): void {
    this.#judgeLetters();
    this.cohorts.checkRest();
    this.works.checkRest();
    this.texts.checkRest();
    server.shadow?.checkRest();
    for (const file of server.files.left) this.report('F', `${file} is open at rest`);
    for (const system of server.systems.values()) {
      const { counters, actors } = system.describe();
      if (counters.pendingAsks > 0) this.#rest(`${counters.pendingAsks} asks pend`, system.thread);
      if (counters.openAsks > 0) this.#rest(`${counters.openAsks} asks are open`, system.thread);
      for (const { address, mailbox } of actors) {
        if (!expected.some((pattern) => pattern.test(address)))
          this.#rest(`${address} lives`, system.thread);
        if (mailbox.data + mailbox.control > 0) this.#rest(`${address} has mail`, system.thread);
      }
      const watches = [...system.cells].reduce(
        (sum, cell) => sum + system.watches.targetsOf(cell.address).length,
        0,
      );
      // The server watches its device, and that its queue.
      const due = system.thread === 'main' && expected.includes(theDevice) ? 2 : 0;
      if (watches !== due) this.#rest(`${watches} watches, ${due} due`, system.thread);
    }
  }

  #rest(detail: string, thread: string): void {
    this.report('I8', `${thread}: ${detail} at rest`);
  }

  #deadLetter({ reason, from, to, kind, role }: DeadLetter): void {
    if (this.losses.any('driver', 'thread') || this.isServerGone) return;
    if (reason === 'lateReply' || reason === 'expired' || dispensable.has(kind)) return;
    // What an actor tells itself is its own business: whoever waits for it is told another way.
    if (role !== 'tell' || from === to) return;
    this.#letters.push(`${kind} from ${from} to ${to}: ${reason}`);
  }

  /** A server that ends does so after its children, whose mail dies with it. */
  #judgeLetters(): void {
    if (this.#letters.length === 0) return;
    if (!this.isServerGone) for (const letter of this.#letters) this.report('D', letter);
    this.#letters = [];
  }

  #trace(actor: Address, seen: Observation): void {
    const at = this.now().toFixed(3);
    if (seen.type === 'handled') {
      const { kind, role, from } = seen.message;
      this.lines!.push(`${at}  ${actor} handles ${role} ${kind} from ${from}`);
    } else if (seen.type === 'told' || seen.type === 'asked') {
      this.lines!.push(`${at}      ${actor} ${seen.type} ${seen.to} ${seen.kind}`);
    } else if (seen.type === 'spawned') {
      this.lines!.push(`${at}      ${actor} spawns ${seen.child}`);
    } else if (seen.type === 'answered') {
      const how = seen.status === null ? 'a value' : `${seen.status.code} ${seen.status.message}`;
      this.lines!.push(`${at}      ${actor} answers ${seen.ask.kind}: ${how}`);
    } else if (seen.type === 'stopped') {
      this.lines!.push(`${at}      ${actor} stops: ${seen.reason.kind}`);
    }
  }
}

/** The specializations below some actors, with the leases that they count. */
function leasesOf(actors: readonly ActorDescription[]): { address: string; users: number }[] {
  return actors.flatMap(({ address, kind, state, children }) => {
    if (kind !== 'specialization') return leasesOf(children);
    const { users } = (state as { context: { users: number } }).context;
    return [{ address, users }];
  });
}
