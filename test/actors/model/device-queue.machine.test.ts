/** The chart of a device's queue in random histories: who is answered, what is closed and when. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deviceQueue } from '../../../actors/model/device-queue.js';
import type { Context } from '../../../actors/model/device-queue.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

/** What an event asks for while the device works, once it has worked, and before. */
const answers: Readonly<Record<string, readonly [works: string, worked: string, before: string]>> =
  {
    'work.submit': ['acceptSubmission', 'refuseSubmission', 'refuseSubmission'],
    'executable.load': ['loadExecutable', 'refuseExecutable', 'refuseExecutable'],
    'executable.unload': ['unloadExecutable', 'unloadExecutable', 'none'],
    'executables.release': ['releaseExecutables', 'releaseExecutables', 'none'],
    'rows.register': ['registerRows', 'refuseRows', 'refuseRows'],
    'rows.unregister': ['unregisterRows', 'unregisterRows', 'none'],
    'rows.use': ['useRows', 'refuseRows', 'refuseRows'],
    'rows.withdraw': ['passToRows', 'passToRows', 'none'],
    'rows.rest': ['passToRows', 'passToRows', 'none'],
    'banks.register': ['registerBanks', 'refuseBanks', 'refuseBanks'],
    'banks.unregister': ['unregisterBanks', 'unregisterBanks', 'none'],
    'banks.warm': ['warmBanks', 'refuseBanks', 'refuseBanks'],
    'banks.deactivate': ['deactivateBanks', 'refuseBanks', 'refuseBanks'],
  };

class QueueModel implements ChartModel<Context> {
  #phase: 'opening' | 'works' | 'lost' | 'closing' = 'opening';
  #inFlight = 0;
  #failure: unknown = null;
  #opener = 0;

  facts(): MachineEvent[] {
    const types = Object.keys(answers);
    for (let i = 0; i < 6; i++) types.push('work.submit');
    if (this.#phase === 'opening') types.push('driver.opened', 'driver.opened', 'driver.opened');
    for (let i = 0; i < this.#inFlight; i++) types.push('work.ended', 'work.ended');
    const facts: MachineEvent[] = types.map((type) => ({ type }));
    const status = { code: 'unavailable', message: 'gone' };
    if (this.#phase === 'opening') facts.push({ type: 'driver.refused', status });
    else if (this.#phase !== 'lost') facts.push({ type: 'driver.lost', status });
    facts.push({ type: 'device.close' });
    return facts;
  }

  before({ type, status }: MachineEvent & { status?: unknown }): void {
    if (type === 'work.ended') this.#inFlight -= 1;
    if (type === 'driver.opened') this.#phase = 'works';
    if (type === 'driver.lost') this.#phase = 'lost';
    if (type === 'device.close' && this.#phase !== 'lost') this.#phase = 'closing';
    if (status !== undefined) this.#failure = status;
  }

  effect(type: string): void {
    if (['acceptSubmission', 'warmBanks', 'useRows'].includes(type)) this.#inFlight += 1;
    if (type.startsWith('announce')) this.#opener += 1;
  }

  check({ event: { type }, effects, from, to }: ChartStep, context: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    const answer = answers[type];
    if (answer !== undefined) {
      const effect = answer[from === 'ready' ? 0 : from === 'opening' ? 2 : 1];
      assert.equal(effects, effect === 'none' ? [] : [effect], `${type} in ${from}`);
    }
    if (from === '') assert.ok(has('openDriver'));
    assert.is(context.failure, this.#failure, 'why it does not work');
    if (type === 'driver.opened') assert.ok(has('announceOpened'));
    if (type === 'driver.refused') assert.ok(has('announceRefused'));
    if (type === 'driver.lost') assert.ok(has('announceLost'), 'its loss is told');
    const isLeaving = this.#phase === 'lost' || this.#phase === 'closing';
    const leaves = type === 'driver.lost' || (type === 'device.close' && this.#phase === 'closing');
    if (leaves && (from === 'ready' || from === 'opening')) {
      assert.ok(has('refuseWaiting'), 'what waits for memory is told');
    }
    assert.is(context.inFlight, this.#inFlight, 'what was accepted');
    const isClosed = type === 'driver.refused' || (isLeaving && this.#inFlight === 0);
    assert.is(to === 'closed', isClosed, 'it closes when the last has ended, and not before');
    assert.is(has('closeDriver'), isClosed);
  }

  end(): void {
    assert.ok(this.#opener <= 2);
  }
}

test('two thousand histories: everyone is answered, and the driver closes after the last', () => {
  const model = (): QueueModel => new QueueModel();
  const reached = runHistories({ table: deviceQueue.table, model, histories: 2_000 });
  for (const state of ['ready', 'lost', 'closing', 'closed']) {
    assert.ok((reached.get(state) ?? 0) > 200, state);
  }
});

test.run();
