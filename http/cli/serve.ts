/**
 * `serve PACKAGE…`: starts threads and actors, listens, registers each package and runs until a
 * signal. A package that does not come up ends the start with its diagnostics. The first signal
 * stops accepting and drains within `--drain-timeout`; the second ends the process at once.
 *
 * Threads are started first and what serves HTTP is loaded meanwhile: each takes a good part of a
 * start, and they run on different cores.
 */
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemPorts } from '../../runtime/base/ports.js';
import type { Listener } from '../listen.js';
import { createLog, type LogFormat } from '../log.js';
import { Metrics } from '../metrics.js';
import type { RequestSpans } from '../request-spans.js';
import type { StartedServer, StartOptions } from '../serving.js';
import type { ToolCommand } from './check.js';
import { devicesOf } from './device-options.js';
import { exitCodes } from './outcome.js';
import { requireDistinctIds, requireOneForId } from './package-folders.js';
import { startProgress } from './progress.js';
import { addServeOptions } from './serve-options.js';
import type { ServeOptions } from './serve-options.js';
import { onStopSignals } from './signals.js';
import { paint } from './terminal.js';
import type { Terminal } from './terminal.js';

export function addServe(program: Command, tool: ToolCommand): void {
  const command = program
    .command('serve')
    .summary('serve packages over HTTP')
    .description(
      'Serves packages (folders with a model.json) over HTTP until it is stopped. A checkpoint ' +
        'folder (config.json, *.safetensors, tokenizer.json) or a .gguf file is served as it is.',
    )
    .argument(
      '[package...]',
      'package folders or checkpoints; more can be registered later through /admin/models',
    );
  addServeOptions(command).action(async (folders: string[], options: ServeOptions) => {
    tool.end(await serve(folders, options, tool));
  });
}

async function serve(
  folders: readonly string[],
  options: ServeOptions,
  tool: ToolCommand,
): Promise<number> {
  requireDistinctIds(folders);
  requireOneForId(folders, options.id);
  const signals = onStopSignals();
  const metrics = new Metrics();
  const start = startOptions(options, metrics);
  const version = readVersion();
  const spans = await openSpans(options.otel, start, version);
  const { startServer } = await tool.load();
  const [server, { openFrontEnd }] = await Promise.all([
    startServer(start),
    import('./front-end.js'),
  ]);
  let isStarting = true;
  let isDraining = false;
  let listener: Listener | null = null;
  try {
    listener = await openFrontEnd({
      server,
      options,
      start,
      metrics,
      spans,
      version,
      isStarting: () => isStarting,
      isDraining: () => isDraining,
    });
    const serving = registerAll(server, folders, options.id, tool.terminal);
    const stopped = await Promise.race([serving.then(() => false), signals.first.then(() => true)]);
    if (!stopped) {
      isStarting = false;
      await announce(server, listener, tool.terminal);
      await signals.first;
    }
    serving.catch(() => undefined);
    tool.terminal.err('stopping: accepted work finishes first; signal again to end at once');
    return exitCodes.success;
  } finally {
    isDraining = true;
    await stop(server, listener, options.drainTimeout);
    await spans?.close();
    signals.ignore();
  }
}

/** None unless they are asked for: nothing is loaded for them. */
async function openSpans(
  url: string | undefined,
  { ports, log }: StartOptions,
  version: string,
): Promise<RequestSpans | null> {
  if (url === undefined) return null;
  const { openOtlpSpans } = await import('../otlp-spans.js');
  return openOtlpSpans({ url, version, clock: ports.clock, log });
}

/** New connections are refused first, then actors drain, then the last answers are written. */
async function stop(
  server: StartedServer,
  listener: Listener | null,
  drainTimeoutMs: number,
): Promise<void> {
  server.observing.close();
  const closed = listener?.close(drainTimeoutMs);
  await server.serving.drain(drainTimeoutMs);
  await closed;
  await server.close();
}

async function registerAll(
  server: StartedServer,
  folders: readonly string[],
  id: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const progress = startProgress(terminal);
  let done = 0;
  const register = async (folder: string): Promise<void> => {
    const named = id === undefined ? {} : { id };
    const body = { kind: 'package', package: resolve(folder), ...named } as const;
    await server.serving.register(body, { wait: true, isOfStart: true });
    progress.step(++done, folders.length, `${folder} is prepared`);
  };
  const outcomes = await Promise.allSettled(folders.map(register));
  progress.stop();
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected'
      ? [{ folder: folders[index], reason: outcome.reason as unknown }]
      : [],
  );
  const first = failures[0];
  if (first === undefined) return;
  terminal.err(`cannot serve ${failures.map((failure) => failure.folder).join(', ')}`);
  throw first.reason;
}

async function announce(
  server: StartedServer,
  listener: Listener,
  terminal: Terminal,
): Promise<void> {
  const models = await server.serving.models();
  const everywhere = listener.isEverywhere ? ', and on every other address of this machine' : '';
  const name = paint(terminal, 'bold', 'loom-serve');
  terminal.out(`${name} is ready on ${listener.url}${everywhere}`);
  for (const model of models) terminal.out(`  ${model.id} (${model.profile})`);
  if (models.length === 0) terminal.out('  no models yet: POST /admin/models registers one');
  for (const [profile, example] of Object.entries(examples)) {
    const model = models.find((one) => one.profile === profile);
    if (model !== undefined) terminal.out(curlLine(listener.url + example.path, model.id, example));
  }
  terminal.out(`  curl -s ${listener.url}/v1/models`);
  terminal.out(`  routes: ${listener.url}/docs`);
}

interface Example {
  readonly path: string;
  readonly body: object;
}

/** One request to try for the first model of each profile. */
const examples: Readonly<Record<string, Example>> = {
  embeddings: { path: '/v1/embeddings', body: { input: ['abc', 'hello'] } },
  text: {
    path: '/v1/completions',
    body: { prompt: 'In the beginning', max_tokens: 32 },
  },
  decisions: {
    path: '/v1/decisions',
    body: {
      questions: { kind: 'choice', text: 'bonjour tout le monde', labels: ['fra', 'eng'] },
    },
  },
};

function curlLine(url: string, model: string, { body }: Example): string {
  const text = JSON.stringify({ model, ...body });
  return `  curl -s ${url} -H 'content-type: application/json' -d '${text}'`;
}

function startOptions(options: ServeOptions, metrics: Metrics): StartOptions {
  return {
    ...devicesOf(options.device, options.memory),
    threads: options.threads,
    modelThreads: options.modelThreads,
    parameterRoots: options.parameterRoot,
    packageRoots: options.packageRoot,
    cacheDir: options.cacheDir ?? null,
    sessionDir: options.sessionDir ?? null,
    queueMax: options.maxQueue,
    sessionIdleMs: options.sessionIdle,
    evictedSessions: options.evictedSessions,
    requestTimeoutMs: options.requestTimeout,
    recordFile: options.record ?? null,
    ports: systemPorts('main'),
    metrics,
    log: createLog(options.logLevel, logFormat(options.logFormat)),
  };
}

const logFormat = (asked: ServeOptions['logFormat']): LogFormat => {
  if (asked !== 'auto') return asked;
  return process.stderr.isTTY === true ? 'text' : 'json';
};

/** package.json lies above the folder that the build writes to, whatever that is called. */
export function readVersion(): string {
  for (const up of ['../../', '../../../', '../../../../']) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      continue;
    }
  }
  return 'unknown';
}
