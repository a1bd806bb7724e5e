/**
 * The actor of one served version of a package with retained rows: hosts `generation.machine.ts`
 * like any generation, owns the control program, the rows and their storage on the device, and is
 * the parent of its sessions and epochs.
 *
 * Holds: pages and states are there while turns run; between turns they may have to leave, and rows
 * are read again then. One epoch is on the device at a time; the next forms when it has committed.
 */
import { toStatus } from '../../runtime/base/errors.js';
import type { StorageKeys } from '../../runtime/packages/epoch-storage.js';
import { TextControl } from '../../runtime/packages/text-control.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import {
  machineActor,
  type MachineActorFactory,
  type MachineHost,
} from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { RowStore } from '../../runtime/text/row-store.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import {
  type DeltasTaken,
  type FiniteCall,
  type PreparedText,
  type TextSubmit,
} from '../protocol.js';
import { epoch } from '../serving/epoch.js';
import { RowOrders } from '../serving/row-orders.js';
import { rowTransfer } from '../serving/row-transfer.js';
import { SaidDeltas } from '../serving/said-deltas.js';
import { session } from '../serving/session.js';
import { SessionBook } from '../serving/session-book.js';
import { SessionHome } from '../serving/session-home.js';
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
import { RowLease, rowsOf } from './row-lease.js';

/** The next turn often comes at once, and need not ask for the rows then. */
const LINGER_MS = 10;
/** Unless the server says otherwise. */
const IDLE_MS = 10 * 60_000;

class TextGenerationHost extends GenerationBase<PreparedText> {
  readonly #keys: StorageKeys;
  readonly #store: RowStore;
  #home: SessionHome | null = null;
  #control: TextControl | null = null;
  #turns: TurnTable | null = null;
  readonly #lease: RowLease;
  /** Its rows shall be there before the first request. */
  #isWarming = false;
  readonly #sessions: SessionBook;
  readonly #said: SaidDeltas;
  readonly #orders: RowOrders;
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
    this.#said = new SaidDeltas(self);
    this.#lease = new RowLease(self, input.device, `${scope}/rows`);
    this.#sessions = new SessionBook(self, {
      model: id,
      generation,
      rows: geometry.rows,
      home: () => this.#home!,
      over: () => this.#over(),
    });
    this.#orders = new RowOrders({
      turns: () => this.#turns!,
      stateBytes: geometry.stateBytes,
      tell: (address, kind, payload) => self.tell(address, kind, payload),
    });
  }

  loadControl(): void {
    const { prepared } = this.input;
    try {
      const control = new TextControl(prepared);
      this.#control = control;
      this.#turns = this.#turnTable(control);
      this.#home = this.#homeOf(control, this.#turns, prepared.tokenizer);
      this.#lease.register(rowsOf(prepared, this.#keys));
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
      publish: (turn, emitted) => this.#said.publish(turn, emitted),
      flush: () => this.#said.flush(),
      // What was captured for one was not for another: sequences share nothing.
      kindOf: () => this.#kind(),
      evictedSessions: this.input.sessions?.evicted ?? 'replay',
      lost: (address, reason) => this.#sessions.evict(address, reason),
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
      idleMs: this.input.sessions?.idleMs ?? IDLE_MS,
      open: (row) => this.#sessions.open(row),
      hasRoom: () => this.#sessions.hasRoom,
      closed: (name, address) => {
        this.#sessions.closed(name, address);
        this.gatherTurns();
      },
      isOpen: (ask) => this.#sessions.isOpen(ask),
      ended: (ask) => this.#sessions.ended(ask),
      move: (order) => void this.#orders.push(order),
    });
  }

  registered({ status }: Reply): MachineEvent | null {
    if (status !== null) return { type: 'control.refused', status };
    const { pin, warmup } = this.input.prepared.document.deployment;
    if (!(pin || warmup)) return { type: 'control.loaded' };
    this.#isWarming = true;
    this.#lease.use();
    return null;
  }

  granted(reply: Reply): MachineEvent | null {
    const failure = this.#lease.granted(reply);
    if (this.#isWarming) {
      this.#isWarming = false;
      this.#lease.rest();
      if (failure === null) return { type: 'control.loaded' };
      return { type: 'control.refused', status: failure };
    }
    if (failure !== null) {
      this.#orders.fail(failure);
      this.#turns!.failReady(failure);
    }
    this.formEpoch();
    return null;
  }

  /** Others wait for the rows' room: what came before that goes on, then it is theirs. */
  wanted(): void {
    if (!this.#lease.isHeld) return;
    this.#lease.wanted();
    this.#turns!.door.shut();
    this.#orders.shut();
    this.gatherTurns();
  }

  evicted(): void {
    this.#lease.evicted();
    this.#turns!.evictRows();
    this.#orders.evicted();
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
      const row = this.#sessions.hasRoom ? this.#store.open(this.#kind()) : null;
      if (row === null) throw this.#home!.noRow();
      const made = this.#sessions.open(row);
      if (text.image !== undefined)
        return this.#sessions.handOver(ask, this.#sessions.addressOf(made.id));
      this.self.reply(ask, made);
      return this.#over();
    }
    const { profile } = this.input.prepared.document;
    const asked = text.op === 'generate' ? (text.body.profile ?? profile) : profile;
    if (asked !== profile) return this.refuseProfile(ask, asked);
    if (text.op === 'generate' && text.body.session === null) return this.#startTurn(ask);
    const id = text.op === 'generate' ? text.body.session! : text.session;
    this.#sessions.handOver(ask, this.#sessions.addressOf(id));
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
    this.#sessions.handOver(ask, address);
  }

  #kind(): string {
    const { document } = this.input.prepared;
    return document.profile === 'sequence' ? this.self.nextId('row') : 'text';
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
    if (!this.#lease.isHeld) return this.#awaitRows();
    const order = this.#orders.next();
    const work = order === null ? this.#turns!.next() : null;
    const members = work?.spans.length ?? 0;
    if (order === null && work === null) return this.#rest();
    this.#epochsFormed += 1;
    this.#spansServed += members;
    this.self.tell(this.self.address, 'cohort.formed', { members });
    const { device, prepared } = this.input;
    const shared = { control: this.#control!, store: this.#store, device, keys: this.#keys };
    const name = `epochs/${this.#epochsFormed}`;
    const { geometry } = prepared;
    this.#epoch =
      work !== null
        ? this.self.spawn(name, epoch, { work, turns: this.#turns!, ...shared })
        : this.self.spawn(name, rowTransfer, { geometry, order: order!, ...shared });
  }

  epochEnded(): void {
    this.#epoch = null;
  }

  /** Its rows are wanted where somebody could go on; nobody waits for them where nobody could. */
  #awaitRows(): void {
    if (this.#orders.size > 0 || this.#turns!.wantsRows) this.#lease.use();
    else this.#lease.rest();
  }

  /** Nobody goes on now: the room is for who waits, and who came meanwhile asks behind them. */
  #rest(): void {
    const { door } = this.#turns!;
    if (!door.isShut) return this.self.startTimer('rest', LINGER_MS, 'rows.idle');
    this.#lease.rest();
    door.open();
    this.#orders.open();
    this.#awaitRows();
  }

  /** No turn came for a while. */
  idle(): void {
    if (this.#epoch === null && !this.#willForm && this.#lease.isHeld) this.#lease.rest();
  }

  took({ streams }: DeltasTaken): void {
    for (const stream of streams) this.#turns?.took(stream);
    this.formEpoch();
  }

  releaseStages(): void {
    // Before the banks that they hold.
    this.#lease.unregister();
    this.release([]);
  }

  details(): TextGenerationDetails {
    const { prepared, device } = this.input;
    const owner = { model: prepared.id, device, preparer: this.preparer, epoch: this.#epoch };
    const store = storeOutlook(prepared.geometry, this.#store.describe(), this.#sessions.size);
    const lease = this.#lease.details();
    return { ...owner, ...store, lease, turns: turnsOutlook(this.#turns) };
  }

  pulse(): GenerationPulse {
    const ready = readyTurns(this.#turns?.all ?? []) + this.#orders.size;
    return epochPulse(this.input.prepared.id, {
      ready,
      formed: this.#epochsFormed,
      epoch: this.#epoch ?? this.#lease.waiting,
    });
  }

  describe(): GenerationSummary {
    return {
      requests: this.#sessions.requests,
      waiting: this.#turns?.waiting ?? 0,
      cohorts: this.#epoch === null ? 0 : 1,
      specializations: 0,
      cohortsFormed: this.#epochsFormed,
      membersServed: this.#spansServed,
    };
  }
}

const nothing = (): void => undefined;

/** A message that is no event of the machine. */
const told =
  (act: (message: Message) => void) =>
  (message: Message): null => {
    act(message);
    return null;
  };

export const textGeneration: MachineActorFactory<GenerationInput<PreparedText>> = machineActor(
  machine,
  (self: ActorSelf, input: GenerationInput<PreparedText>): MachineHost => {
    const host = new TextGenerationHost(self, input);
    return {
      ...generationFace(host),
      replies: {
        'rows.registered': (reply) => host.registered(reply),
        'rows.granted': (reply) => host.granted(reply),
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
        'text.taken': told(({ payload }) => host.took(payload as DeltasTaken)),
        'rows.wanted': told(() => host.wanted()),
        'rows.evicted': told(() => host.evicted()),
        'rows.idle': told(() => host.idle()),
      },
    };
  },
);
