/**
 * Turns away requests that can never fit by their package's own estimate, before anything of them
 * is prepared. Knows the budget of the device once it has answered; holds and reserves nothing.
 * Owned by a generation whose package names an estimate; without one it lets everything pass.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { FiniteControl } from '../../runtime/packages/finite-control.js';
import type { FiniteBody } from '../../runtime/profiles/finite-request.js';
import { forecastRefusal } from '../../runtime/profiles/memory-forecast.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import type { DeviceSummary } from './device-queue.js';

const DESCRIBE_DEADLINE_MS = 30_000;

export class MemoryGate {
  #budgetBytes = 0;

  /** Asks the device what it has; the reply is of kind 'device.described'. */
  open(self: ActorSelf, device: string): void {
    const deadlineMs = self.now() + DESCRIBE_DEADLINE_MS;
    self.ask(device, 'device.describe', {}, { deadlineMs, as: 'device.described' });
  }

  /** Why it cannot open, or null. */
  described(reply: Reply): StatusRecord | null {
    if (reply.status !== null) return reply.status;
    this.#budgetBytes = (reply.value as DeviceSummary).budget;
    return null;
  }

  /** Why the request is turned away, or null; an estimate that fails is its own reason. */
  refusal(control: FiniteControl, body: FiniteBody): StatusRecord | null {
    try {
      const forecast = control.forecast(body);
      return forecast === null ? null : forecastRefusal(forecast, this.#budgetBytes);
    } catch (error) {
      return toStatus(error);
    }
  }
}
