/** What runs because of a device's chart: its queue, its timer, what the server knows of it. */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/system/device.machine.js';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { ChartModel, ChartStep } from '../chart-history.js';

const status: StatusRecord = { code: 'unavailable', message: 'lost' };

export class DeviceModel implements ChartModel<Context> {
  #queue: 'none' | 'opening' | 'open' = 'none';
  #timer: 'none' | 'backoff' | 'steady' = 'none';
  /** As the server was told. */
  #known: 'nothing' | 'open' | 'away' = 'nothing';
  #knownFailure: StatusRecord | null = null;
  #attempts = 0;
  #failure: StatusRecord | null = null;

  facts(): MachineEvent[] {
    const facts: MachineEvent[] = [];
    if (this.#queue === 'opening') {
      facts.push({ type: 'device.opened' }, { type: 'device.opened' });
      facts.push({ type: 'device.refused', status: { ...status } });
    }
    if (this.#queue !== 'none') facts.push({ type: 'device.lost', status: { ...status } });
    if (this.#timer === 'backoff') facts.push({ type: 'reopen.due' });
    if (this.#timer === 'steady') facts.push({ type: 'device.settled' });
    return facts;
  }

  before({ type, status: told }: MachineEvent & { status?: unknown }): void {
    if (type === 'reopen.due' || type === 'device.settled') this.#timer = 'none';
    if (type === 'device.settled') this.#attempts = 0;
    if (type === 'device.opened') {
      this.#queue = 'open';
      this.#failure = null;
    } else if (type === 'device.lost' || type === 'device.refused') {
      this.#queue = 'none';
      this.#failure = told as StatusRecord;
    }
  }

  effect(type: string, _event: MachineEvent, context: Context): void {
    if (type.startsWith('announce')) this.#knownFailure = context.failure;
    if (type === 'openQueue') {
      assert.is(this.#queue, 'none', 'one queue at a time');
      this.#queue = 'opening';
    } else if (type === 'announceOpened') this.#known = 'open';
    else if (type === 'announceLost' || type === 'announceRefused') this.#known = 'away';
    else if (type === 'cancelTimers') this.#timer = 'none';
    else if (type === 'startSteady') this.#timer = context.attempts > 0 ? 'steady' : 'none';
    else if (type === 'startBackoff') {
      this.#timer = 'backoff';
      this.#attempts += 1;
    }
  }

  check({ effects, from, to }: ChartStep, context: Context): void {
    assert.is(context.failure, this.#failure, 'why it does not work');
    assert.is(context.attempts, this.#attempts, 'losses in a row');
    assert.is(to === 'open', this.#queue === 'open');
    assert.is(this.#knownFailure, this.#failure, 'the server knows why');
    if (this.#queue === 'open') {
      assert.is(this.#known, 'open', 'the server knows that it is open');
      assert.is(
        this.#timer,
        this.#attempts > 0 ? 'steady' : 'none',
        'losses are forgotten in time',
      );
    }
    if (this.#queue !== 'none') return;
    assert.is(this.#known, 'away', 'the server knows that it is away');
    assert.is(to, from === 'opening' ? 'refused' : 'recovering');
    if (from === 'open') assert.ok(effects.includes('announceLost'), 'deployments hear of it');
    else {
      assert.not(effects.includes('announceLost'), 'and once');
      assert.ok(effects.includes('announceRefused'), 'the server hears why it does not open');
    }
    if (to === 'recovering') assert.is(this.#timer, 'backoff', 'it is opened again');
  }

  end(): void {}
}
