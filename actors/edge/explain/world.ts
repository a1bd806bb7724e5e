/** The actors of all threads as they were seen at one moment, by address. */
import type { WaitReason, Waiting } from '../../../http/observing.js';
import type { ActorDescription } from '../../../runtime/system/describe.js';
import type { MachineDescription } from '../../../runtime/system/machine-actor.js';
import { threadOf } from '../../../runtime/system/address.js';
import { actorsOf, type ThreadView } from '../thread-views.js';

export interface SeenActor {
  readonly address: string;
  readonly parent: string;
  readonly thread: string;
  /** Id of its machine; its name where it has none. */
  readonly kind: string;
  readonly state: string;
  readonly ageMs: number;
  /** Messages that wait for it. */
  readonly mailbox: number;
  /** What its host tells of itself; who knows its kind knows the shape. */
  readonly details: object | null;
}

export class World {
  readonly actors: readonly SeenActor[];
  readonly #byAddress = new Map<string, SeenActor>();
  readonly #silent = new Set<string>();

  constructor(threads: readonly ThreadView[]) {
    this.actors = threads.flatMap((view) => actorsOf(view).map((actor) => seen(actor, view)));
    for (const actor of this.actors) this.#byAddress.set(actor.address, actor);
    for (const { thread, description } of threads) {
      if (description === null) this.#silent.add(thread);
    }
  }

  find(address: string): SeenActor | undefined {
    return this.#byAddress.get(address);
  }

  /** Null when there is no such actor, or its thread does not answer. */
  details<Details extends object>(address: string): Details | null {
    return (this.find(address)?.details ?? null) as Details | null;
  }

  /** That the thread of an address does not answer; nothing where it does. */
  silence(address: string): Waiting[] {
    const thread = threadOf(address);
    if (!this.#silent.has(thread)) return [];
    return [
      waiting('thread', {
        text: `thread ${thread} does not answer: it is in the middle of a long call, or stuck`,
        unblockedBy: `the end of what thread ${thread} does; /readyz tells when it takes too long`,
        details: { thread },
      }),
    ];
  }
}

function seen(actor: ActorDescription, { thread }: ThreadView): SeenActor {
  const { address, parent, ageMs, mailbox, kind, status } = actor;
  const machine = actor.state as Partial<MachineDescription> | null;
  return {
    address,
    parent,
    thread,
    kind: machine?.machine ?? kind,
    state: typeof machine?.state === 'string' ? machine.state : status,
    ageMs,
    mailbox: mailbox.data + mailbox.control,
    details: machine?.details ?? null,
  };
}

export function waiting(reason: WaitReason, told: Omit<Waiting, 'reason'>): Waiting {
  return { reason, ...told };
}

/** `1.5 MB`; small ones to the byte. */
export function bytesText(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`;
}
