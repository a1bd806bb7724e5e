/**
 * What a seed does to a server: requests of all shapes to two models, cancellations, deadlines,
 * registrations, replacements and removals, each at its virtual time. The client is an actor on the
 * main thread and behaves as the promise edge does: a caller that leaves sends `cancel` to whoever
 * holds its ask. Keeps the history by which answers are judged.
 */
import type { FiniteAnswer, FiniteCall } from '../../actors/protocol.js';
import { SERVER } from '../../actors/protocol.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import type { Asked } from './guests.js';
import { BankOperator } from './bank-operator.js';
import type { CompiledPackages } from './compiled-packages.js';
import { flaws, INPUT_UNITS_MAX } from './tiny-programs.js';

export const MODELS = ['alpha', 'beta'] as const;
/** Nobody waits longer: an ask that ends by this deadline has hung. */
export const PATIENCE_MS = 600_000;

/** Inputs that are served; first letters of those that are not, or misbehave. */
const ordinary = [...'abcdeabcdeT'];
const wicked = [...'!?XYBRQZM'];

export interface TrafficShape {
  readonly models: readonly string[];
  readonly calls: number;
  /** Phase 1, in virtual milliseconds. */
  readonly lengthMs: number;
  /** Shares of calls. */
  readonly cancelled: number;
  readonly hurried: number;
  readonly wicked: number;
  readonly replacements: number;
  readonly removals: number;
  readonly drains: boolean;
  /** Times that an operator has a model's banks activated, or sends them away. */
  readonly warmups: number;
  readonly deactivations: number;
  /** Versions may pin their banks. */
  readonly pins: boolean;
}

export interface Call {
  readonly kind: 'call';
  readonly model: string;
  readonly inputs: readonly string[];
  readonly atMs: number;
  readonly deadlineMs: number;
  /** Instead of the inputs, of a package that is not one of ours. */
  readonly asked?: Asked;
  /** It leaves then, and some say so twice. */
  readonly leavesMs: readonly number[];
}

export interface Registration {
  readonly kind: 'register';
  readonly model: string;
  readonly version: number;
  readonly atMs: number;
}

export interface Removal {
  readonly kind: 'unregister';
  readonly model: string;
  readonly atMs: number;
}

/** An operator's command about the banks of the version that serves. */
export interface BankCommand {
  readonly kind: 'warm' | 'deactivate';
  readonly model: string;
  readonly atMs: number;
}

/** Whether the server is ready. */
export interface Await {
  readonly kind: 'await';
  readonly model: '';
  readonly atMs: number;
}

/** Of the whole server, for good. */
export interface Drain {
  readonly kind: 'drain';
  readonly model: '';
  readonly boundMs: number;
  readonly atMs: number;
}

export type Step = Call | Registration | Removal | BankCommand | Await | Drain;

/** A step as it went. */
export interface Event {
  readonly step: Step;
  /** Of what it waits for now. */
  correlation: string;
  readonly sentMs: number;
  /** When it left; Infinity if it stayed. */
  leftMs: number;
  /** Terminals; the law is that there is one. */
  readonly replies: { readonly reply: Reply; readonly from: string; readonly atMs: number }[];
}

/** Without models, only whether the server is ready, and a drain. */
export function planTraffic(seed: number, startMs: number, asked: TrafficShape): Step[] {
  const none = { calls: 0, replacements: 0, removals: 0, warmups: 0, deactivations: 0 };
  const shape = asked.models.length === 0 ? { ...asked, ...none } : asked;
  const random = SeededRandom.for(seed, 'traffic');
  const at = (): number => startMs + random.next() * shape.lengthMs;
  const chance = (share: number): boolean => random.next() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const leaves = (atMs: number): number[] => {
    const firstMs = atMs + random.next() ** 2 * 14;
    return chance(0.4) ? [firstMs, firstMs + random.next() / 2] : [firstMs];
  };
  const text = (): string => {
    const length = 1 + random.below(INPUT_UNITS_MAX);
    const letters = Array.from({ length }, () => pick(ordinary));
    if (chance(shape.wicked)) letters[0] = pick(wicked);
    return letters.join('');
  };
  const steps: Step[] = [{ kind: 'await', model: '', atMs: 0 }];
  const residence = (): number => 1_000 * (chance(0.5) ? 0 : random.below(shape.pins ? 3 : 2));
  for (const model of shape.models) {
    steps.push({ kind: 'register', model, version: 10 + residence(), atMs: startMs });
  }
  for (let i = 0; i < shape.calls; i++) {
    // Bursts fill cohorts and queues.
    const atMs = chance(0.5) ? at() : startMs + Math.ceil(random.next() * 4) * 12;
    const inputs = Array.from({ length: chance(0.3) ? 1 + random.below(4) : 1 }, text);
    const hurried = chance(shape.hurried);
    steps.push({
      kind: 'call',
      model: pick(shape.models),
      inputs,
      atMs,
      deadlineMs: atMs + (hurried ? random.next() * 15 : PATIENCE_MS),
      leavesMs: chance(shape.cancelled) ? leaves(atMs) : [],
    });
  }
  // Commands come in quick succession: there the races are.
  let momentMs = at();
  const moment = (): number => {
    if (chance(0.4)) momentMs = at();
    return momentMs + random.next() * 5;
  };
  for (let i = 0; i < shape.replacements; i++) {
    const flaw = chance(0.6) ? 0 : random.below(flaws.length);
    const version = 10 * (i + 2) + flaw + residence();
    steps.push({ kind: 'register', model: pick(shape.models), version, atMs: moment() });
  }
  for (let i = 0; i < shape.removals; i++) {
    steps.push({ kind: 'unregister', model: pick(shape.models), atMs: moment() });
  }
  const commands = [
    ['warm', shape.warmups],
    ['deactivate', shape.deactivations],
  ] as const;
  for (const [kind, times] of commands) {
    for (let i = 0; i < times; i++) steps.push({ kind, model: pick(shape.models), atMs: at() });
  }
  if (shape.drains) {
    const boundMs = chance(0.5) ? random.next() * 20 : 1_000;
    const times = 1 + random.below(2);
    for (let i = 0; i < times; i++) steps.push({ kind: 'drain', model: '', boundMs, atMs: at() });
  }
  return steps;
}

export class Traffic {
  readonly history: Event[] = [];
  readonly #packages: CompiledPackages;
  readonly #operator = new BankOperator(PATIENCE_MS);
  #self: ActorSelf | null = null;

  constructor(packages: CompiledPackages) {
    this.#packages = packages;
  }

  /** The client's factory. */
  readonly client = (self: ActorSelf, steps: readonly Step[]): Behaviour => {
    this.#self = self;
    const receive = (_: ActorSelf, message: Message): void => this.#receive(message);
    this.play(steps);
    return { receive };
  };

  /** More steps, each at its time. */
  play(steps: readonly Step[]): void {
    const self = this.#self!;
    for (const step of steps) {
      self.startTimer(self.nextId('step'), Math.max(0, step.atMs - self.now()), 'step', step);
    }
  }

  get open(): readonly Event[] {
    return this.history.filter((event) => event.replies.length === 0);
  }

  /** Whoever is not answered leaves now, operators too; how many there are. */
  leaveAll(): number {
    const { open } = this;
    for (const event of open) this.#leave(event);
    return open.length;
  }

  /** The time of all is up a moment from now; they say so before they hear it, as the edge does. */
  expireAll(): number {
    const { open } = this;
    for (const event of open) {
      if (event.step.kind === 'call') this.#self!.cancelAsk(event.correlation);
      else this.#leave(event);
    }
    return open.length;
  }

  /** One of these, or whoever has waited longest; false when nobody waits. */
  leaveOne(isIts: (event: Event) => boolean): boolean {
    const event = this.open.find(isIts) ?? this.open[0];
    if (event !== undefined) this.#leave(event);
    return event !== undefined;
  }

  #receive(message: Message): void {
    const self = this.#self!;
    if (message.kind === 'step') this.send(message.payload as Step);
    else if (message.kind === 'leave') this.#leave(message.payload as Event);
    else if (message.role === 'reply') {
      const reply = message.payload as Reply;
      const event = this.history.find((one) => one.correlation === reply.correlation);
      if (event === undefined || this.#operator.goesOn(self, event, reply)) return;
      event.replies.push({ reply, from: message.from, atMs: self.now() });
      if (reply.outcome === 'timeout') this.#cancel(reply.correlation, message.from);
    }
  }

  /** Now. */
  send(step: Step): void {
    const self = this.#self!;
    const sentMs = self.now();
    const deadlineMs = step.kind === 'call' ? step.deadlineMs : sentMs + PATIENCE_MS;
    const { kind, payload } = this.#message(step);
    const correlation = self.ask(SERVER, kind, payload, { deadlineMs, as: 'answer' });
    const event: Event = { step, correlation, sentMs, leftMs: Infinity, replies: [] };
    this.history.push(event);
    if (step.kind !== 'call') return;
    step.leavesMs.forEach((leaveMs, i) => {
      self.startTimer(`leave ${correlation} ${i}`, leaveMs - sentMs, 'leave', event);
    });
  }

  #message(step: Step): { kind: string; payload: unknown } {
    const { model } = step;
    if (step.kind === 'register') {
      const location = this.#packages.location(model, step.version);
      return { kind: 'deployment.register', payload: { location, wait: true } };
    }
    if (step.kind === 'unregister')
      return { kind: 'deployment.unregister', payload: { id: model } };
    if (step.kind === 'await') return { kind: 'server.await', payload: {} };
    if (step.kind === 'drain') {
      return { kind: 'server.drain', payload: { boundMs: step.boundMs } };
    }
    if (step.kind !== 'call') return this.#operator.first;
    if (step.asked !== undefined) {
      const about = { deployment: model, requestId: 'sim' };
      return { kind: 'request.submit', payload: { ...about, ...step.asked.payload } };
    }
    const inputs = step.inputs.map((text) => ({ kind: 'text', text }) as const);
    const body = { profile: 'embeddings', inputs, dimensions: 0 } as const;
    const call: FiniteCall = { deployment: model, requestId: 'sim', body };
    return { kind: 'request.submit', payload: call };
  }

  #leave(event: Event): void {
    if (event.replies.length > 0) return;
    event.leftMs = Math.min(event.leftMs, this.#self!.now());
    this.#self!.cancelAsk(event.correlation);
  }

  #cancel(correlation: string, holder: string): void {
    this.#self!.tell(holder, 'cancel', { correlation }, { lane: 'control' });
  }
}

/** The rows of an answer, as numbers. */
export function rowsOf(reply: Reply): readonly (readonly number[])[] {
  const { rows } = reply.value as FiniteAnswer;
  return rows.map((bytes) => [...new Float32Array(bytes.slice().buffer)]);
}
