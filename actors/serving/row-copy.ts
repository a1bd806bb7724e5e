/**
 * What a session does when its row is to be kept outside, or to hold what was kept there. It takes
 * the place of a turn: the session's machine knows no difference. Plain object of the session's
 * actor; the bytes are made and checked on a preparation thread, and moved by the generation.
 *
 * Holds: nothing of an image reaches the row before all of it was checked.
 */
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';
import { HOST_BYTES_MAX } from '../../runtime/memory/invocation-plan.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { RowImage } from '../../runtime/text/row-image.js';
import type { ReadImage, SavedRow, TextSubmit, WriteImage } from '../protocol.js';
import type { SessionHome } from './session-home.js';

export class RowCopy {
  readonly #self: ActorSelf;
  readonly #home: SessionHome;
  readonly #row: Row;
  readonly #ask: Message;
  #isWithdrawn = false;
  /** Nothing is on its way any more. */
  #isSettled = false;
  /** What was made of the row. */
  #image: Uint8Array | null = null;

  constructor(
    self: ActorSelf,
    input: { readonly home: SessionHome; readonly row: Row },
    ask: Message,
  ) {
    this.#self = self;
    this.#home = input.home;
    this.#row = input.row;
    this.#ask = ask;
  }

  /** The session was opened for it, and is nobody's if it fails. */
  get opensSession(): boolean {
    return (this.#ask.payload as TextSubmit).text.op === 'open';
  }

  /** What was made of the row, for its answer; null where the row was filled. */
  get saved(): SavedRow | null {
    return this.#image === null ? null : { image: this.#image, tokens: this.#row.ids.length };
  }

  /** 'prompt.ready' follows, or 'prompt.refused'. */
  prepare(): void {
    const { text } = this.#ask.payload as TextSubmit;
    if (text.op !== 'open') return this.#self.tell(this.#self.address, 'prompt.ready', {});
    const read: ReadImage = { image: text.image! };
    this.#askPreparer('image.read', read, [read.image.buffer as ArrayBuffer]);
  }

  /** Of what was checked. */
  checked({ status, value }: Reply): MachineEvent {
    return status === null
      ? { type: 'prompt.ready', image: value }
      : { type: 'prompt.refused', status };
  }

  /** Throws what cannot be; 'turn.ended' or 'turn.failed' follows otherwise. */
  queue(image: RowImage | null): void {
    const row = this.#row;
    if (image === null) {
      this.#checkBytes();
      if (row.done > 0) return this.#move(null);
      const { stateBytes } = this.#home.geometry;
      return this.#write(new Uint8Array(stateBytes), stateBytes);
    }
    const { ids, done } = image;
    if (done > 0 && this.#home.turns.rows.install(row, ids, done)) return this.#move(image);
    // Without pages to be had the row reads itself again with its next turn.
    this.#home.store.append(row, ids);
    this.#self.tell(this.#self.address, 'row.written', {});
  }

  #checkBytes(): void {
    const { pageTokens, pageBytes, stateBytes } = this.#home.geometry;
    const bytes = Math.ceil(this.#row.done / pageTokens) * pageBytes + stateBytes;
    if (bytes <= HOST_BYTES_MAX) return;
    throw new StatusError(
      'outOfRange',
      `the session holds ${bytes} bytes beside its ids; at most ${HOST_BYTES_MAX} can be saved`,
    );
  }

  #move(image: RowImage | null): void {
    this.#home.move({ row: this.#row, session: this.#self.address, image });
    this.#self.tell(this.#self.parent, 'members.offered', {});
  }

  /** The device has given what the row holds: pages, then the state. */
  read(bytes: Uint8Array): MachineEvent | null {
    if (this.#isWithdrawn) return this.ended(null);
    this.#write(bytes, this.#home.geometry.stateBytes);
    return null;
  }

  #write(bytes: Uint8Array, stateBytes: number): void {
    const { ids, done } = this.#row;
    const end = bytes.length - stateBytes;
    const row: RowImage = { ids, done, pages: bytes.subarray(0, end), state: bytes.subarray(end) };
    this.#askPreparer('image.write', { row } satisfies WriteImage, [bytes.buffer as ArrayBuffer]);
  }

  written({ status, value }: Reply): MachineEvent {
    if (status === null) this.#image = value as Uint8Array;
    return this.ended(status);
  }

  /** Nothing is on its way any more. */
  ended(status: StatusRecord | null): MachineEvent {
    this.#isSettled = true;
    if (this.#isWithdrawn) return { type: 'turn.settled' };
    return status === null ? { type: 'turn.ended' } : { type: 'turn.failed', status };
  }

  /** False: something is still on its way, and the session is told when it is not. */
  withdraw(): boolean {
    this.#isWithdrawn = true;
    return this.#isSettled;
  }

  #askPreparer(kind: string, payload: object, transfer: readonly ArrayBuffer[]): void {
    const deadlineMs = this.#ask.deadline ?? Number.MAX_SAFE_INTEGER;
    this.#self.ask(this.#home.preparer(), kind, payload, { deadlineMs, as: kind, transfer });
  }
}
