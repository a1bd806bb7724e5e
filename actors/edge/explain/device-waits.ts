/**
 * What an invocation waits for on the device: a limit of its stages, the budget, its banks, works
 * before it, a fence and whoever produces it.
 */
import type { Waiting } from '../../../http/observing.js';
import type { QueuedWork } from '../../../runtime/hal/queue.js';
import type { DeviceDetails } from '../../model/device-queue.js';
import { bytesText, waiting, type World } from './world.js';

/** Of those who hold memory, in a sentence. */
const HOLDERS_TOLD = 4;

export function deviceWaits(world: World, device: string, invocation: string): Waiting[] {
  const silence = world.silence(device);
  if (silence.length > 0) return silence;
  const details = world.details<DeviceDetails>(device);
  if (details === null) {
    const text = `its device ${device} has ended`;
    return [waiting('routing', { text, unblockedBy: 'word of that', details: { device } })];
  }
  return (
    stageLimit(details, invocation) ??
    budget(details, invocation) ??
    banks(details, invocation) ??
    works(details, invocation) ?? [
      waiting('routing', {
        text: `its invocation is on its way between its model and ${device}`,
        unblockedBy: 'its arrival',
        details: { device, invocation },
      }),
    ]
  );
}

function stageLimit({ parked }: DeviceDetails, invocation: string): Waiting[] | null {
  const found = parked.find(({ id }) => id === invocation);
  if (found === undefined) return null;
  const stages = found.stages.map(({ stage, bytes, limitBytes, usedBytes }) => {
    return `${stage}: ${usedBytes} of ${limitBytes} bytes are in use, it needs ${bytes}`;
  });
  return [
    waiting('stageLimit', {
      text: `it waits for the workspace limit of its stages (${stages.join('; ')})`,
      unblockedBy: 'the end of an invocation that uses these stages',
      details: { invocation, stages: found.stages },
    }),
  ];
}

function budget(details: DeviceDetails, invocation: string): Waiting[] | null {
  const { asking, resident, reserved, budget: limit, byOwner, leases, running, rows } = details;
  const place = asking.findIndex(({ id }) => id === invocation);
  if (place < 0) return null;
  const { bytes, banksAway } = asking[place]!;
  const free = limit - resident - reserved;
  const holders = [...byOwner].sort((left, right) => right.bytes - left.bytes);
  const told = holders.slice(0, HOLDERS_TOLD).map(({ kind, deployment, bytes: held }) => {
    return `${bytesText(held)} by ${kind} of ${deployment}`;
  });
  const away = banksAway.length === 0 ? '' : `, its banks ${banksAway.join(', ')} included`;
  const needs = `${bytesText(bytes)} of device memory${away}`;
  const before = place === 0 ? '' : `${asking[0]!.id} asked before it, and `;
  const held = `${bytesText(free)} of ${bytesText(limit)} are free; held: ${told.join(', ') || 'none'}`;
  const inUse = rows.filter(({ id, state }) => state === 'inUse' && id !== invocation);
  const ends = [
    ...(running.length === 0 ? ['bytes that are given back'] : [endsOf(running)]),
    ...inUse.map(
      ({ deployment }) => `the end of the turns of ${deployment}, whose rows are in use`,
    ),
  ].join(', or ');
  return [
    waiting('budget', {
      text: `it waits for ${needs}: ${before}${held}`,
      unblockedBy: `${ends}; idle banks and rows leave by themselves, and more memory is --memory`,
      details: { invocation, place, bytes, freeBytes: free, budget: limit, byOwner, leases, rows },
    }),
  ];
}

const endsOf = (running: DeviceDetails['running']): string =>
  `the end of ${running.map(({ id }) => id).join(', ')}`;

function banks({ running, banks: all }: DeviceDetails, invocation: string): Waiting[] | null {
  const ids = running.find(({ id }) => id === invocation)?.banksActivating ?? [];
  if (ids.length === 0) return null;
  const found = all.filter(({ id }) => ids.includes(id));
  const bytes = found.reduce((sum, bank) => sum + bank.bytes, 0);
  const progress = found.map(({ id, loadedBytes, totalBytes }) => {
    return `${id}: ${bytesText(loadedBytes)} of ${bytesText(totalBytes)} read`;
  });
  return [
    waiting('bank', {
      text: `it waits for the activation of ${bytesText(bytes)} (${progress.join('; ')})`,
      unblockedBy: 'the last block of its banks to be read and placed',
      details: {
        invocation,
        bytes,
        banks: found.map(({ id, bytes: size, loadedBytes, totalBytes }) => {
          return { id, bytes: size, loadedBytes, totalBytes };
        }),
      },
    }),
  ];
}

/** Its works are those of timelines that have its name: its own, and branches for gathers. */
function works(details: DeviceDetails, invocation: string): Waiting[] | null {
  const isOwn = ({ timeline }: QueuedWork): boolean =>
    timeline === invocation || timeline.startsWith(`${invocation} `);
  const own = details.works.filter(isOwn);
  const isKnown = details.running.some(({ id }) => id === invocation);
  if (!isKnown) return null;
  const next = own.find(({ timeline }) => timeline === invocation) ?? own[0];
  if (next === undefined || next.isRunning) return [running(invocation, next ?? null)];
  if (next.fence.length > 0) return [fence(details, invocation, next)];
  if (next.after.length === 0) return [running(invocation, next)];
  return [
    waiting('work', {
      text: `${next.label} waits for works before it: ${next.after.join(', ')}`,
      unblockedBy: `the retirement of ${next.after.join(', ')}`,
      details: { invocation, work: next.label, after: next.after },
    }),
  ];
}

function running(invocation: string, work: QueuedWork | null): Waiting {
  const label = work?.label ?? 'its last work';
  const does = work === null || work.isRunning ? 'runs' : 'was accepted and has not started';
  return waiting('work', {
    text: `${label} of ${invocation} ${does} on the device`,
    unblockedBy: 'its retirement',
    details: { invocation, work: label, isRunning: work?.isRunning ?? true },
  });
}

function fence({ works: all }: DeviceDetails, invocation: string, work: QueuedWork): Waiting {
  const producers = all.filter(({ timeline }) => work.fence.includes(timeline));
  const told = producers.map(({ label, timeline }) => `${label} of ${timeline}`);
  return waiting('fence', {
    text: `${work.label} waits for a fence whose producer is ${told.join(', ')}`,
    unblockedBy: `the retirement of ${told.join(', ')}`,
    details: { invocation, work: work.label, producers: told },
  });
}
