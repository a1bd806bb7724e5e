/** What a recording says of the server itself: its version, and options that answers depend on. */
import type { HttpLimits } from '../services.js';
import type { StartOptions } from '../serving.js';
import type { ServerLine } from './traffic-lines.js';

/** What `--session-idle` is where nobody says. */
const SESSION_IDLE_MS = 600_000;

export function serverLine(start: StartOptions, limits: HttpLimits, version: string): ServerLine {
  return {
    type: 'server',
    atMs: start.ports.clock.now(),
    version,
    options: {
      device: start.device,
      otherDevices: start.otherDevices ?? [],
      threads: start.threads,
      modelThreads: start.modelThreads,
      memoryBytes: start.memoryBytes,
      parameterRoots: start.parameterRoots,
      packageRoots: start.packageRoots,
      cacheDir: start.cacheDir,
      sessionDir: start.sessionDir,
      queueMax: start.queueMax,
      sessionIdleMs: start.sessionIdleMs ?? SESSION_IDLE_MS,
      evictedSessions: start.evictedSessions ?? 'replay',
      ...limits,
    },
  };
}
