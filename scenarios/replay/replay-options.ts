/**
 * From the options that a recording has to those of a server that replays it: the same, but for
 * what belongs to the place. The time of day goes on from when the recording began.
 */
import { availableParallelism } from 'node:os';
import type { Clock, Ports } from '../../runtime/base/ports.js';
import type { Metrics } from '../../http/metrics.js';
import type { StartOptions } from '../../http/serving.js';
import type { Services } from '../../http/services.js';
import type { Recording } from './recording.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface Given {
  readonly ports: Ports;
  readonly metrics: Metrics;
  /** A copy: what is saved must not take the place of what was. */
  readonly sessionDir: string | null;
}

export function startOptionsOf(recording: Recording, given: Given): StartOptions {
  const { settings } = recording;
  const ports = { ...given.ports, clock: recordedTime(recording, given.ports.clock) };
  return {
    device: settings.device,
    otherDevices: settings.otherDevices,
    threads: fewThreads(settings.threads),
    modelThreads: settings.modelThreads,
    memoryBytes: settings.memoryBytes,
    parameterRoots: settings.parameterRoots,
    packageRoots: settings.packageRoots,
    cacheDir: settings.cacheDir,
    sessionDir: given.sessionDir,
    queueMax: settings.queueMax,
    sessionIdleMs: settings.sessionIdleMs,
    evictedSessions: settings.evictedSessions,
    requestTimeoutMs: settings.requestTimeoutMs,
    recordFile: null,
    ports,
    metrics: given.metrics,
    log: silent,
  };
}

/** Bytes do not depend on their number, and more than there are cores would only wait. */
const fewThreads = (threads: number | null): number | null =>
  threads === null ? null : Math.min(threads, availableParallelism());

function recordedTime({ wallTimeMs }: Recording, clock: Clock): Clock {
  const beganMs = clock.now();
  return { now: () => clock.now(), wallTime: () => wallTimeMs + clock.now() - beganMs };
}

/** What http is composed with, but for the server itself. */
export function servicesOf(
  { settings }: Recording,
  { ports, log }: StartOptions,
  metrics: Metrics,
): Omit<Services, 'serving' | 'text' | 'observing' | 'open'> {
  const { bodyBytesMax, batchMax, requestTimeoutMs, generationTimeoutMs } = settings;
  const { streamBufferBytes, streamStallMs } = settings;
  return {
    ports,
    metrics,
    log,
    spans: null,
    limits: {
      bodyBytesMax,
      batchMax,
      requestTimeoutMs,
      generationTimeoutMs,
      streamBufferBytes,
      streamStallMs,
    },
    admin: { loopback: true, token: null },
    version: 'replay',
    isStarting: () => false,
    isDraining: () => false,
  };
}
