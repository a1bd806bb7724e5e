/** What runs because of the server's chart: its devices, its deployments, who waits. */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/system/server.machine.js';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { ChartModel, ChartStep } from '../chart-history.js';

const status: StatusRecord = { code: 'unavailable', message: 'lost' };

type DeviceLife = 'none' | 'opening' | 'open' | 'away';

export class ServerModel implements ChartModel<Context> {
  readonly input: { readonly devices: number };
  readonly #devices: DeviceLife[];
  /** Registered, and the server was told so; of these, those that were told to leave. */
  #created = 0;
  #announced = 0;
  #leaving = 0;
  #starters = 0;
  #drainers = 0;
  #failure: StatusRecord | null = null;
  /** Devices whose deployments know that they are lost. */
  readonly #stranded = new Set<number>();
  #isDraining = false;

  constructor(devices: number) {
    this.input = { devices };
    this.#devices = Array.from({ length: devices }, () => 'none');
  }

  facts(): MachineEvent[] {
    const types = ['request.submit', 'deployment.unregister', 'deployment.register'];
    types.push('deployment.register', 'server.await');
    if (this.#created > this.#announced) types.push('deployment.created', 'deployment.created');
    if (this.#announced > 0) types.push('deployment.removed');
    if (this.#isDraining) types.push('drain.expired');
    const facts: MachineEvent[] = types
      // A server that leaves refuses at the door.
      .filter((type) => !this.#isDraining || type !== 'server.await')
      .map((type) => ({ type }));
    this.#devices.forEach((life, at) => {
      const told = { at, status: { ...status } };
      if (life === 'opening' || life === 'away') {
        facts.push({ type: 'device.opened', at }, { type: 'device.opened', at });
        facts.push({ type: 'device.refused', ...told });
      }
      if (life === 'open') facts.push({ type: 'device.lost', ...told });
    });
    // Rarely: little happens afterwards.
    const isDue = this.#announced > 2 || this.#starters > 2 || this.#stranded.size > 1;
    if (isDue || this.#isDraining) facts.push({ type: 'server.drain' });
    return facts;
  }

  before({ type, status: told, at }: MachineEvent & { status?: unknown; at?: unknown }): void {
    if (type === 'server.drain') this.#isDraining = true;
    if (type === 'deployment.created') this.#announced += 1;
    if (type === 'deployment.removed') {
      this.#announced -= 1;
      this.#created -= 1;
      this.#leaving = Math.max(0, this.#leaving - 1);
    }
    if (typeof at !== 'number') return;
    const isStarting = this.#devices.includes('opening') && !this.#isDraining;
    this.#devices[at] = type === 'device.opened' ? 'open' : 'away';
    if (isStarting && type !== 'device.opened') this.#failure = told as StatusRecord;
  }

  effect(type: string, event: MachineEvent): void {
    if (type === 'openDevices') this.#devices.fill('opening');
    else if (type === 'registerDeployment') this.#created += 1;
    else if (type === 'drainDeployments') this.#leaving = this.#created;
    else if (type === 'strandDeployments') this.#stranded.add(event['at'] as number);
    else if (type === 'restoreDeployments') this.#stranded.delete(event['at'] as number);
    else if (type === 'keepStarter') this.#starters += 1;
    else if (type === 'answerStarters' || type === 'failStarters') this.#starters = 0;
    else if (type === 'keepDrainer') this.#drainers += 1;
    else if (type === 'answerDrainers') this.#drainers = 0;
  }

  check({ event, effects, from, to }: ChartStep, context: Context): void {
    assert.is(context.failure, this.#failure, 'why it did not start');
    if (from === 'starting' && !this.#isDraining) {
      const isOpen = this.#devices.every((life) => life === 'open');
      assert.is(to === 'ready', isOpen, 'all are open');
    }
    if (to !== 'starting') assert.is(this.#starters, 0, 'whoever asked knows that it started');
    if (to === 'ready') {
      this.#devices.forEach((life, at) => {
        assert.is(this.#stranded.has(at), life === 'away', 'deployments know each device');
      });
    }
    this.#checkDeployments({ event, effects, from, to });
    if (!this.#isDraining) return;
    if (to === 'draining') {
      this.#devices.forEach((life, at) => {
        if (life === 'away') assert.ok(this.#stranded.has(at), 'deployments know of the loss');
      });
    }
    if (to !== 'stopped') {
      assert.is(this.#leaving, this.#created, 'all were told to leave');
      assert.ok(this.#announced > 0, 'nobody is waited for');
      return;
    }
    const isOver = event.type === 'drain.expired' || from === 'starting';
    assert.ok(isOver || this.#announced === 0, 'accepted work finishes');
    assert.ok(effects.includes('closeDevices'));
    assert.is(this.#drainers, 0, 'whoever drains knows the end');
  }

  #checkDeployments({ event: { type }, effects, from }: ChartStep): void {
    if (type === 'request.submit') {
      assert.equal(effects, [from === 'ready' ? 'forwardRequest' : 'refuseRequest']);
    } else if (type === 'deployment.register') {
      assert.equal(effects, [from === 'ready' ? 'registerDeployment' : 'refuseRegistration']);
    } else if (type === 'deployment.unregister') {
      assert.equal(effects, ['unregisterDeployment']);
    } else if (type === 'server.await' || type === 'server.drain') {
      assert.ok(effects.includes(type === 'server.await' ? 'keepStarter' : 'keepDrainer'));
    } else if (type === 'deployment.removed') assert.ok(effects.includes('forgetDeployment'));
  }

  end(): void {}
}
