/** A real server for tests: all threads, no socket. Every test file starts and closes its own. */
import { isAbsolute } from 'node:path';
import { startServer, type RunningServer } from '../../actors/start.js';
import type { EmbeddingInput } from '../../runtime/profiles/embeddings.js';
import type { FiniteResult, StartOptions } from '../../http/serving.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

export interface TestServer extends RunningServer {
  readonly lines: { readonly level: string; readonly message: string }[];
  readonly now: () => number;
  embed(model: string, inputs: readonly string[], options?: EmbedOptions): Promise<FiniteResult>;
  serve(folder: string): Promise<void>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly withinMs?: number;
  readonly dimensions?: number;
}

export const packageFolder = (name: string): string => `${repositoryRoot}/models/${name}`;

/** What a server has unless it is told: for tests of what threads share, and of their loss. */
export const twoPreparationThreads = { preparationThreads: 2 } as const;

/** Small, with as few threads as serve, without files of its own, and its log lines kept. */
export function serverOptions(
  overrides: Partial<StartOptions> = {},
): StartOptions & Pick<TestServer, 'lines'> {
  const lines: TestServer['lines'] = [];
  const line = (level: string) => (_fields: object, message: string) =>
    void lines.push({ level, message });
  return {
    lines,
    device: 'local',
    threads: 2,
    modelThreads: 1,
    preparationThreads: 1,
    memoryBytes: 256 * 1024 * 1024,
    parameterRoots: [],
    packageRoots: [],
    cacheDir: null,
    sessionDir: null,
    queueMax: 4096,
    requestTimeoutMs: 60_000,
    recordFile: null,
    ports: systemPorts('main'),
    metrics: { add() {}, set() {}, observe() {} },
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    ...overrides,
  };
}

export async function runServer(
  packages: readonly string[],
  overrides: Partial<StartOptions> = {},
): Promise<TestServer> {
  const options = serverOptions(overrides);
  const { ports, lines } = options;
  const server = await startServer(options);
  const now = (): number => ports.clock.now();
  const serve = async (folder: string): Promise<void> => {
    await server.serving.register({ kind: 'package', package: folder }, { wait: true });
  };
  const made: TestServer = {
    ...server,
    lines,
    now,
    serve,
    embed(model, inputs, { signal, withinMs = 30_000, dimensions = 0 } = {}) {
      const texts = inputs.map((text): EmbeddingInput => ({ kind: 'text', text }));
      const body = { profile: 'embeddings', inputs: texts, dimensions } as const;
      return server.serving.infer(
        { requestId: ports.ids.next('test'), model, body },
        { signal: signal ?? new AbortController().signal, deadlineMs: now() + withinMs },
      );
    },
  };
  for (const name of packages) await serve(packageFolder(name));
  return made;
}

/** Runs `body` over a server and always closes it. */
export async function withServer(
  packages: readonly string[],
  body: (server: TestServer) => Promise<void>,
  overrides: Partial<StartOptions> = {},
): Promise<void> {
  const server = await runServer(packages, overrides);
  try {
    await body(server);
  } finally {
    await server.serving.drain(5_000);
    await server.close();
  }
}

export async function rejection(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('the promise should have been rejected');
}

type ServerTest = (server: TestServer) => Promise<void>;

export interface SharedServer {
  /** Serves `packages` (names below `models/`, or folders), runs `body`, and removes all models. */
  with(packages: readonly string[], body: ServerTest): Promise<void>;
  close(): Promise<void>;
}

/**
 * One server for the tests of a file that leave it as they found it: to start one costs more than
 * most of them do. An id that an earlier test served has a generation already.
 */
export function sharedServer(overrides: Partial<StartOptions> = {}): SharedServer {
  let started: Promise<TestServer> | null = null;
  return {
    async with(packages, body) {
      const server = await (started ??= runServer([], overrides));
      try {
        for (const one of packages) await server.serve(isAbsolute(one) ? one : packageFolder(one));
        await body(server);
      } finally {
        for (const { id } of await server.serving.modelStates())
          await server.serving.unregister(id);
      }
    },
    async close() {
      await (await started)?.close();
    },
  };
}
