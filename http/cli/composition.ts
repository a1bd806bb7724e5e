/**
 * Finds `actors/start.ts`, which wires threads and actors together. Loaded on first need: `--help`,
 * `compile` and `print` must not pay for a server.
 */
import { resolve } from 'node:path';
import { systemPorts } from '../../runtime/base/ports.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { defaultLimits } from '../services.js';
import type { Composition, StartOptions } from '../serving.js';

export type LoadComposition = () => Promise<Composition>;

export const loadComposition: LoadComposition = async () => {
  // A computed name: http is built and tested without the actors.
  const path = new URL('../../actors/start.js', import.meta.url).href;
  return (await import(path)) as Composition;
};

/** The options of tools that start no HTTP: everything at its default, no log. */
export function toolOptions(level: string): StartOptions {
  const { LOOM_CACHE_DIR: cacheDir } = process.env;
  return {
    device: 'local',
    threads: null,
    modelThreads: 1,
    memoryBytes: null,
    parameterRoots: [],
    packageRoots: [],
    cacheDir: cacheDir === undefined ? null : resolve(cacheDir),
    queueMax: 1024,
    requestTimeoutMs: defaultLimits.requestTimeoutMs,
    ports: systemPorts('main'),
    metrics: new Metrics(),
    log: createLog(level, 'json'),
  };
}
