/**
 * The actor of one served version of a package with retained rows: hosts `generation.machine.ts`
 * like any generation, owns the control program, the rows and their storage on the device, and is
 * the parent of its sessions and epochs.
 *
 * Holds: pages and states are one storage each, placed before the first request and given back when
 * it retires. One epoch is on the device at a time; the next forms when it has committed.
 */
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import { storageBytes, type StorageKeys } from '../../runtime/packages/epoch-storage.js';
import { TextControl } from '../../runtime/packages/text-control.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import {
  machineActor,
  type MachineActorFactory,
  type MachineHost,
} from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { Row } from '../../runtime/text/retained-row.js';
import { RowStore } from '../../runtime/text/row-store.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import type { TextDelta } from '../../http/text-serving.js';
import {
  STREAMS,
  type CreateStorage,
  type DeltasTaken,
  type FiniteCall,
  type PreparedText,
  type SessionAnswer,
  type TextDeltas,
  type TextSubmit,
} from '../protocol.js';
import { epoch } from '../serving/epoch.js';
import { rowTransfer, type RowOrder } from '../serving/row-transfer.js';
import { missingSession } from '../serving/missing-session.js';
import { session, type SessionAsk } from '../serving/session.js';
import { SessionHome } from '../serving/session-home.js';
import type { Emitted, Turn } from '../serving/turn.js';
import {
  epochPulse,
  readyTurns,
  storeOutlook,
  turnsOutlook,
  type TextGenerationDetails,
} from '../serving/turn-outlook.js';
import { TurnTable } from '../serving/turn-table.js';
import {
  GenerationBase,
  generationEffects,
  generationFace,
  type GenerationInput,
  type GenerationPulse,
  type GenerationSummary,
} from './generation-base.js';
import { machine } from './generation.machine.js';

/** Idle banks may have to leave first. */
const PLACE_DEADLINE_MS = 60_000;
/** Unless the server says otherwise. */
const IDLE_MS = 10 * 60_000;

class TextGenerationHost extends GenerationBase<PreparedText> {
  readonly #keys: StorageKeys;
  readonly #store: RowStore;
  #home: SessionHome | null = null;
  #control: TextControl | null = null;
  #turns: TurnTable | null = null;
  #unplaced = 2;
  /** Asks that sessions have and have not answered, by id. */
  readonly #requests = new Map<string, { readonly ask: Message; readonly session: string }>();
  /** Sessions that clients know, by id. */
  readonly #sessions = new Map<string, string>();
  #opened = 0;
  #deltas: { stream: number; delta: TextDelta }[] = [];
  /** Rows that are to be read or filled, in order. */
  readonly #orders: RowOrder[] = [];
  #epochsFormed = 0;
  /** In flight; null when none is. */
  #epoch: string | null = null;
  #willForm = false;
  #spansServed = 0;

  constructor(self: ActorSelf, input: GenerationInput<PreparedText>) {
    super(self, input, 'textPreparer');
    const { id, generation, geometry } = input.prepared;
    const scope = `${id}@${generation}`;
    this.#keys = { pages: `${scope}/pages`, states: `${scope}/states` };
    this.#store = new RowStore(geometry);
  }

  loadControl(): void {
    const { prepared, device } = this.input;
    try {
      const { geometry, tokenizer } = prepared;
      const control = new TextControl(prepared);
      this.#control = control;
      this.#turns = this.#turnTable(control);
      this.#home = this.#homeOf(control, this.#turns, tokenizer);
      const bytes = storageBytes(geometry);
      for (const of of ['pages', 'states'] as const) {
        const deployment = prepared.id;
        const create: CreateStorage = { key: this.#keys[of], bytes: bytes[of], deployment };
        const deadlineMs = this.self.now() + PLACE_DEADLINE_MS;
        this.self.ask(device, 'storage.create', create, { deadlineMs, as: 'storage.placed' });
      }
    } catch (error) {
      this.self.tell(this.self.address, 'control.refused', { status: toStatus(error) });
    }
  }

  #turnTable(control: TextControl): TurnTable {
    return new TurnTable({
      control,
      store: this.#store,
      geometry: this.input.prepared.geometry,
      now: () => this.self.now(),
      tell: ({ input }, kind, payload) => this.self.tell(input.session, kind, payload),
      publish: (turn, emitted) => this.#publish(turn, emitted),
      flush: () => this.#flush(),
      // What was captured for one was not for another: sequences share nothing.
      kindOf: () => this.#kind(),
      propose: (turn, most) => control.draft(turn.row!.ids, most),
      unproposed: ({ input }, status) =>
        this.self.log('warn', `no proposals for ${input.session}: ${status.message}`),
    });
  }

  #homeOf(control: TextControl, turns: TurnTable, tokenizer: Uint8Array | null): SessionHome {
    const { id, generation, geometry, document } = this.input.prepared;
    return new SessionHome({
      isSequence: document.profile === 'sequence',
      model: id,
      generation,
      control,
      store: this.#store,
      turns,
      geometry,
      tokenizer: tokenizer === null ? null : new Tokenizer(tokenizer, 'tokenizer'),
      preparer: () => this.preparer,
      idleMs: this.input.sessionIdleMs ?? IDLE_MS,
      open: (row) => this.#open(row),
      hasRoom: () => this.#hasRoom(),
      closed: (name, address) => this.#closed(name, address),
      isOpen: (ask) => this.#requests.has(ask),
      ended: (ask) => void this.#requests.delete(ask),
      move: (order) => void this.#orders.push(order),
    });
  }

  placed(reply: Reply): MachineEvent | null {
    if (reply.status !== null) return { type: 'control.refused', status: reply.status };
    this.#unplaced -= 1;
    if (this.#unplaced > 0 || this.warm()) return null;
    return { type: 'control.loaded' };
  }

  accept(ask: Message): void {
    const { text, body } = ask.payload as Partial<TextSubmit & FiniteCall>;
    if (text === undefined) return this.refuseProfile(ask, body?.profile ?? 'embeddings');
    try {
      this.#route(ask, text);
    } catch (error) {
      this.self.replyError(ask, toStatus(error));
      this.#over();
    }
  }

  #route(ask: Message, text: TextSubmit['text']): void {
    if (text.op === 'tokenize' || text.op === 'detokenize') {
      this.self.forward(ask, this.preparer);
      return this.#over();
    }
    if (text.op === 'sessions') {
      const all = [...this.#home!.sessions.values()].map((describe) => describe());
      this.self.reply(ask, all);
      return this.#over();
    }
    if (text.op === 'open') {
      const made = this.#openSession();
      if (text.image !== undefined) return this.#handOver(ask, this.#sessions.get(made.id)!);
      this.self.reply(ask, made);
      return this.#over();
    }
    const { profile } = this.input.prepared.document;
    const asked = text.op === 'generate' ? (text.body.profile ?? profile) : profile;
    if (asked !== profile) return this.refuseProfile(ask, asked);
    if (text.op === 'generate' && text.body.session === null) return this.#startTurn(ask);
    const id = text.op === 'generate' ? text.body.session! : text.session;
    const address = this.#sessions.get(id);
    if (address === undefined) throw this.#noSession(id);
    this.#handOver(ask, address);
  }

  /** From now on the session answers it, or its end does. */
  #handOver(ask: Message, address: string): void {
    this.#requests.set(ask.id, { ask, session: address });
    this.self.handOver(ask, address);
    this.self.tell(address, 'session.ask', { ask } satisfies SessionAsk);
  }

  /** What was on the way to it has nobody to answer it. */
  #closed(name: string, address: string): void {
    if (name !== '') this.#sessions.delete(name);
    for (const [id, { ask, session: holder }] of this.#requests) {
      if (holder !== address) continue;
      this.#requests.delete(id);
      this.self.replyError(ask, this.#noSession(name).status);
      this.#over();
    }
    this.gatherTurns();
  }

  /** What was counted as a request is answered, or somebody else's. */
  #over(): void {
    this.self.tell(this.self.address, 'request.ended', {});
  }

  #startTurn(ask: Message): void {
    const { waitingMax } = this.input;
    const waiting = this.#turns!.waiting;
    if (waiting >= waitingMax) throw this.queueFull(waiting, 'turns wait for a row');
    const name = this.self.nextId('turn');
    const input = { id: '', row: null, home: this.#home! };
    const address = this.self.spawn(`turns/${name}`, session, input);
    this.#handOver(ask, address);
  }

  /** Turns that keep nothing must find a row, too. */
  #hasRoom(): boolean {
    return this.#sessions.size < Math.max(1, this.input.prepared.geometry.rows - 1);
  }

  #openSession(): SessionAnswer {
    const row = this.#hasRoom() ? this.#store.open(this.#kind()) : null;
    if (row === null) throw this.#home!.noRow();
    return this.#open(row);
  }

  #kind(): string {
    const { document } = this.input.prepared;
    return document.profile === 'sequence' ? this.self.nextId('row') : 'text';
  }

  #open(row: Row): SessionAnswer {
    const { id, generation, geometry } = this.input.prepared;
    this.#opened += 1;
    const name = `${id}@${generation}.${this.#opened}`;
    const input = { id: name, row, home: this.#home! };
    const address = this.self.spawn(`sessions/${this.#opened}`, session, input);
    this.#sessions.set(name, address);
    const { context } = geometry;
    return { id: name, state: 'idle', tokens: row.ids.length, checkpoints: [], context };
  }

  #noSession(session: string): StatusError {
    const { id: model, generation } = this.input.prepared;
    return missingSession(session, { model, generation, opened: this.#opened });
  }

  /** The next epoch forms behind the turns that are in the mailbox already, not after the first. */
  gatherTurns(): void {
    if (this.#willForm || this.#epoch !== null) return;
    this.#willForm = true;
    this.self.tell(this.self.address, 'offers.gathered', {});
  }

  /** One epoch at a time: what it says decides what the next one reads. */
  formEpoch(): void {
    this.#willForm = false;
    if (this.#epoch !== null) return;
    const order = this.#orders.shift() ?? null;
    const work = order === null ? this.#turns!.next() : null;
    const members = work?.spans.length ?? 0;
    if (order === null && work === null) return;
    this.#epochsFormed += 1;
    this.#spansServed += members;
    this.self.tell(this.self.address, 'cohort.formed', { members });
    const { device, prepared } = this.input;
    const shared = { control: this.#control!, store: this.#store, device, keys: this.#keys };
    const name = `epochs/${this.#epochsFormed}`;
    const { geometry } = prepared;
    this.#epoch =
      work !== null
        ? this.self.spawn(name, epoch, { ...shared, work, turns: this.#turns! })
        : this.self.spawn(name, rowTransfer, { ...shared, geometry, order: order! });
  }

  epochEnded(): void {
    this.#epoch = null;
  }

  /** Before any session hears that its turn is over: nothing is said after an answer. */
  #flush(): void {
    if (this.#deltas.length === 0) return;
    this.self.tell(STREAMS, 'text.deltas', { deltas: this.#deltas } satisfies TextDeltas);
    this.#deltas = [];
  }

  #publish(turn: Turn, { delta }: Emitted): void {
    const { stream } = turn.input;
    if (delta === null || stream === null) return;
    this.#deltas.push({ stream, delta });
    turn.sent += 1;
  }

  took({ streams }: DeltasTaken): void {
    for (const stream of streams) this.#turns?.took(stream);
    this.formEpoch();
  }

  releaseStages(): void {
    const { device } = this.input;
    for (const key of [this.#keys.pages, this.#keys.states]) {
      this.self.tell(device, 'lease.release', { key });
    }
    this.release([]);
  }

  details(): TextGenerationDetails {
    const { prepared, device } = this.input;
    const owner = { model: prepared.id, device, preparer: this.preparer, epoch: this.#epoch };
    const store = storeOutlook(prepared.geometry, this.#store.describe(), this.#sessions.size);
    return { ...owner, ...store, turns: turnsOutlook(this.#turns?.all ?? []) };
  }

  pulse(): GenerationPulse {
    const ready = readyTurns(this.#turns?.all ?? []) + this.#orders.length;
    return epochPulse(this.input.prepared.id, {
      ready,
      formed: this.#epochsFormed,
      epoch: this.#epoch,
    });
  }

  describe(): GenerationSummary {
    return {
      requests: this.#requests.size,
      waiting: this.#turns?.waiting ?? 0,
      cohorts: this.#epoch === null ? 0 : 1,
      specializations: 0,
      cohortsFormed: this.#epochsFormed,
      membersServed: this.#spansServed,
    };
  }
}

const nothing = (): void => undefined;

export const textGeneration: MachineActorFactory<GenerationInput<PreparedText>> = machineActor(
  machine,
  (self: ActorSelf, input: GenerationInput<PreparedText>): MachineHost => {
    const host = new TextGenerationHost(self, input);
    return {
      ...generationFace(host),
      replies: {
        'storage.placed': (reply) => host.placed(reply),
        'banks.warmed': (reply) => host.warmed(reply),
      },
      effects: {
        ...generationEffects(host),
        gatherOffers: () => host.gatherTurns(),
        formCohorts: () => host.formEpoch(),
        // Others may have waited for what it had.
        forgetRequest: () => host.gatherTurns(),
        forgetCohort: () => host.epochEnded(),
        // Its stages are those of preparation, and its turns are told of in no message.
        keepMembers: nothing,
        dropMembers: nothing,
        lendSpecialization: nothing,
        takeBackSpecialization: nothing,
      },
      messages: {
        cancel: () => null,
        'text.taken': ({ payload }) => {
          host.took(payload as DeltasTaken);
          return null;
        },
      },
    };
  },
);
