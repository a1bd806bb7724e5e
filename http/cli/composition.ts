/**
 * Finds `actors/start.ts`, which wires threads and actors together. Loaded on first need: `--help`,
 * `compile` and `print` must not pay for a server.
 */
import { systemPorts } from '../../runtime/base/ports.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { defaultLimits } from '../services.js';
import type { Composition, StartOptions } from '../serving.js';
import type { FileOptions } from './serve-options.js';

export type LoadComposition = () => Promise<Composition>;

export const loadComposition: LoadComposition = async () => {
  // A computed name: http is built and tested without the actors.
  const path = new URL('../../actors/start.js', import.meta.url).href;
  return (await import(path)) as Composition;
};

/** The options of tools that start no HTTP: everything at its default, no log. */
export function toolOptions(level: string, files: FileOptions): StartOptions {
  return {
    device: 'local',
    threads: null,
    modelThreads: 1,
    memoryBytes: null,
    parameterRoots: files.parameterRoot,
    packageRoots: files.packageRoot,
    cacheDir: files.cacheDir ?? null,
    sessionDir: null,
    queueMax: 1024,
    recordFile: null,
    requestTimeoutMs: defaultLimits.requestTimeoutMs,
    ports: systemPorts('main'),
    metrics: new Metrics(),
    log: createLog(level, 'json'),
  };
}
