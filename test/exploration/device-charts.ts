/**
 * The chart of a device with its queue and its timers, for worlds that depend on a device: it is
 * lost, does not open for a while, and opens again; whoever is on it hears of that at once.
 */
import { device } from '../../actors/system/device.js';
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { ChartKind, Draft } from './chart-world.js';

export const DEVICE = 'device';
const status = { code: 'unavailable', message: 'the device is away' } as const;

export interface DeviceAccount {
  /** It works, as far as anybody was told. */
  device: boolean;
  queue: 'opening' | 'open' | 'none';
  /** Until it opens again, or until it counts as steady. */
  timer: 'reopen.due' | 'device.settled' | null;
  readonly budget: { readonly losses: number; readonly refusals: number };
}

type Change<Outside> = readonly [string, (draft: Draft<Outside>) => void];

/** To whoever is on the device. */
export interface DeviceNews<Outside> {
  readonly opened: (draft: Draft<Outside>) => void;
  readonly lost: (draft: Draft<Outside>, status: StatusRecord) => void;
  readonly refused?: (draft: Draft<Outside>, status: StatusRecord) => void;
}

export class DeviceCharts<Outside extends DeviceAccount> {
  readonly kind: ChartKind<Outside>;

  constructor({ opened, lost, refused }: DeviceNews<Outside>) {
    this.kind = {
      table: device.table,
      effects: {
        openQueue(draft) {
          if (draft.outside.queue !== 'none') draft.fault('two queues of one device');
          draft.outside.queue = 'opening';
        },
        announceOpened(draft) {
          draft.outside.device = true;
          opened(draft);
        },
        announceLost(draft) {
          draft.outside.device = false;
          lost(draft, status);
        },
        announceRefused: (draft) => refused?.(draft, status),
        startBackoff({ outside }) {
          outside.timer = 'reopen.due';
        },
        startSteady({ outside }, { context }) {
          const { attempts } = context as { readonly attempts: number };
          if (attempts > 0) outside.timer = 'device.settled';
        },
        cancelTimers({ outside }) {
          outside.timer = null;
        },
      },
    };
  }

  /** It is open from the start. */
  start(draft: Draft<Outside>): void {
    draft.spawn(DEVICE, 'device', {});
    draft.outside.queue = 'open';
    draft.step(DEVICE, { type: 'device.opened' });
  }

  moves({ queue, timer, budget }: Outside): Change<Outside>[] {
    const list: Change<Outside>[] = [];
    const add = (what: string, next: Outside['queue'], event: MachineEvent): void =>
      void list.push([
        what,
        (draft) => {
          draft.outside.queue = next;
          if (event.type !== 'device.opened')
            spend(draft, queue === 'open' ? 'losses' : 'refusals');
          draft.step(DEVICE, event);
        },
      ]);
    const lost = { type: 'device.lost', status };
    if (queue === 'opening') add('the device opens', 'open', { type: 'device.opened' });
    if (queue === 'opening' && budget.refusals > 0) {
      add('the device does not open', 'none', { type: 'device.refused', status });
      add('the thread of the device dies while it opens', 'none', lost);
    }
    if (queue === 'open' && budget.losses > 0) add('the device is lost', 'none', lost);
    if (timer !== null) {
      const due = (draft: Draft<Outside>): void => {
        draft.outside.timer = null;
        draft.step(DEVICE, { type: timer });
      };
      list.push([timer, due]);
    }
    return list;
  }
}

function spend<Outside extends DeviceAccount>(
  { outside }: Draft<Outside>,
  what: 'losses' | 'refusals',
): void {
  (outside.budget as Record<typeof what, number>)[what] -= 1;
}
