/**
 * What an operator's command about banks asks for, one after another, as the promise edge does: who
 * is the device, which banks has the model there, then the command.
 */
import type { DeviceSummary } from '../../actors/model/device-queue.js';
import type { NameBanks } from '../../actors/protocol.js';
import type { ServerSummary } from '../../actors/system/server.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';

type Hop = 'server' | 'device' | 'command';

/** A step of the traffic. */
interface BankEvent {
  readonly step: { readonly kind: string; readonly model: string };
  /** Of what it waits for now. */
  correlation: string;
  readonly sentMs: number;
}

export class BankOperator {
  /** To the server. */
  readonly first = { kind: 'server.describe', payload: {} };
  readonly #patienceMs: number;
  readonly #hops = new Map<BankEvent, Hop>();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Whether the reply leads to another question, whose answer the event waits for now. */
  goesOn(self: ActorSelf, event: BankEvent, reply: Reply): boolean {
    const { kind, model } = event.step;
    if (kind !== 'warm' && kind !== 'deactivate') return false;
    if (reply.outcome !== 'value') return false;
    const ask = (to: string, what: string, payload: unknown): void => {
      const deadlineMs = event.sentMs + this.#patienceMs;
      event.correlation = self.ask(to, what, payload, { deadlineMs, as: 'answer' });
    };
    switch (this.#hops.get(event) ?? 'server') {
      case 'server': {
        const device = (reply.value as ServerSummary).devices[0]!.address;
        // It has not been opened yet.
        if (device === '') return false;
        this.#hops.set(event, 'device');
        this.#device = device;
        ask(device, 'device.describe', {});
        return true;
      }
      case 'device': {
        const ids = banksOf(model, reply.value as DeviceSummary);
        if (ids.length === 0) return false;
        this.#hops.set(event, 'command');
        ask(this.#device, `banks.${kind}`, { ids } satisfies NameBanks);
        return true;
      }
      case 'command':
        return false;
    }
  }

  /** That was named last: commands to an earlier one end as its own do. */
  #device = '';
}

/** Of the newest generation. */
function banksOf(model: string, { banks }: DeviceSummary): readonly string[] {
  const mine = banks.filter(({ deployment }) => deployment === model);
  const numbers = mine.map(({ id }) => Number(/@(\d+)\//.exec(id)![1]));
  const newest = `${model}@${Math.max(...numbers)}/`;
  return mine.map(({ id }) => id).filter((id) => id.startsWith(newest));
}
