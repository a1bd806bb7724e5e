/** What runs because of the server's chart: its device, its timer, its deployments, who waits. */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/system/server.machine.js';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { ChartModel, ChartStep } from '../chart-history.js';

const status: StatusRecord = { code: 'unavailable', message: 'lost' };

export class ServerModel implements ChartModel<Context> {
  #device: 'none' | 'opening' | 'open' = 'none';
  #timer: 'none' | 'backoff' | 'steady' = 'none';
  /** Registered, and the server was told so; of these, those that were told to leave. */
  #created = 0;
  #announced = 0;
  #leaving = 0;
  #starters = 0;
  #drainers = 0;
  #attempts = 0;
  #failure: StatusRecord | null = null;
  /** Deployments know that the device is lost. */
  #isStranded = false;
  #isDraining = false;
  #wasOpen = false;

  facts(): MachineEvent[] {
    const types = ['request.submit', 'deployment.unregister', 'deployment.register'];
    types.push('deployment.register', 'server.await');
    if (this.#created > this.#announced) types.push('deployment.created', 'deployment.created');
    if (this.#announced > 0) types.push('deployment.removed');
    if (this.#timer === 'backoff') types.push('reopen.due', 'reopen.due');
    if (this.#timer === 'steady') types.push('device.settled');
    if (this.#isDraining) types.push('drain.expired');
    const facts: MachineEvent[] = types
      // A server that leaves refuses at the door.
      .filter((type) => !this.#isDraining || type !== 'server.await')
      .map((type) => ({ type }));
    if (this.#device === 'opening')
      facts.push({ type: 'device.opened' }, { type: 'device.opened' });
    if (this.#device === 'opening') facts.push({ type: 'device.refused', status: { ...status } });
    if (this.#device !== 'none') facts.push({ type: 'device.lost', status: { ...status } });
    // Rarely: little happens afterwards.
    const isDue = this.#attempts > 1 || this.#announced > 2 || this.#starters > 2;
    if (isDue || this.#isDraining) facts.push({ type: 'server.drain' });
    return facts;
  }

  before({ type, status: told }: MachineEvent & { status?: unknown }): void {
    if (type === 'server.drain') this.#isDraining = true;
    if (type === 'reopen.due' || type === 'device.settled') this.#timer = 'none';
    if (type === 'device.settled') this.#attempts = 0;
    if (type === 'deployment.created') this.#announced += 1;
    if (type === 'deployment.removed') {
      this.#announced -= 1;
      this.#created -= 1;
      this.#leaving = Math.max(0, this.#leaving - 1);
    }
    if (type === 'device.opened') {
      this.#device = 'open';
      if (!this.#isDraining) this.#failure = null;
    } else if (type === 'device.lost' || type === 'device.refused') {
      this.#device = 'none';
      if (type === 'device.lost' || !this.#isDraining) this.#failure = told as StatusRecord;
    }
  }

  effect(type: string, _event: MachineEvent, context: Context): void {
    if (type === 'openDevice') this.#device = 'opening';
    else if (type === 'registerDeployment') this.#created += 1;
    else if (type === 'drainDeployments') this.#leaving = this.#created;
    else if (type === 'strandDeployments') this.#isStranded = true;
    else if (type === 'restoreDeployments') this.#isStranded = false;
    else if (type === 'keepStarter') this.#starters += 1;
    else if (type === 'answerStarters' || type === 'failStarters') this.#starters = 0;
    else if (type === 'keepDrainer') this.#drainers += 1;
    else if (type === 'answerDrainers') this.#drainers = 0;
    else if (type === 'cancelTimers') this.#timer = 'none';
    else if (type === 'startSteady') this.#timer = context.attempts > 0 ? 'steady' : 'none';
    else if (type === 'startBackoff') {
      this.#timer = 'backoff';
      this.#attempts += 1;
      assert.is(context.attempts, this.#attempts, 'losses in a row');
    }
  }

  check({ event, effects, from, to }: ChartStep, context: Context): void {
    assert.is(context.failure, this.#failure, 'why the device does not work');
    const isUp = this.#device === 'open' && !this.#isDraining;
    if (event.type === 'device.opened' && isUp) assert.is(to, 'ready');
    if (to !== 'starting') assert.is(this.#starters, 0, 'whoever asked knows that it started');
    if (to === 'ready') {
      assert.ok(this.#attempts === 0 || this.#timer === 'steady', 'losses are forgotten in time');
      assert.not(this.#isStranded && this.#wasOpen, 'deployments know the device');
    }
    if (event.type === 'device.opened') this.#wasOpen = true;
    this.#checkDeployments({ event, effects, from, to });
    const knowsLoss = this.#isStranded || this.#created === 0;
    if (this.#device === 'none' && this.#wasOpen && to !== 'stopped') {
      assert.ok(knowsLoss, 'deployments know that the device is lost');
      if (!this.#isDraining) assert.is(this.#timer, 'backoff', 'it is opened again');
    }
    if (this.#isDraining && to !== 'stopped') {
      assert.is(this.#leaving, this.#created, 'all were told to leave');
      assert.ok(this.#announced > 0, 'nobody is waited for');
    }
    if (to === 'stopped' && this.#isDraining) {
      const isOver = event.type === 'drain.expired' || from === 'starting';
      assert.ok(isOver || this.#announced === 0, 'accepted work finishes');
      assert.ok(effects.includes('closeDevice'));
      assert.is(this.#drainers, 0, 'whoever drains knows the end');
    }
  }

  #checkDeployments({ event: { type }, effects, from }: ChartStep): void {
    const routed = from !== 'starting' && from !== 'draining';
    if (type === 'request.submit') {
      assert.equal(effects, [routed ? 'forwardRequest' : 'refuseRequest']);
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
