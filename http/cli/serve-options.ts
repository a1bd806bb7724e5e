/** The options of `serve`, as flags and as values. One place says every default. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defaultLimits } from '../services.js';
import type { EvictedSessions } from '../text-serving.js';
import { byteSizes, defaultDevices, deviceNames } from './device-options.js';
import { byteSize, folders, httpUrl, logLevels, secondsMs, wholeNumber } from './options.js';

/** Where files of packages may lie. */
export interface FileOptions {
  readonly parameterRoot: readonly string[];
  readonly packageRoot: readonly string[];
  readonly cacheDir?: string;
}

export interface ServeOptions extends FileOptions {
  /** Of the one checkpoint that is served; undefined: its name. */
  readonly id?: string;
  readonly host: string;
  readonly port: number;
  /** The first is for packages that name none. */
  readonly device: readonly string[];
  readonly threads: number;
  readonly modelThreads: number;
  /** For all devices, or for each in their order; undefined: each decides itself. */
  readonly memory?: readonly number[];
  /** Undefined: sessions are not saved. */
  readonly sessionDir?: string;
  readonly adminToken?: string;
  /** Milliseconds. */
  readonly requestTimeout: number;
  /** Milliseconds. */
  readonly generationTimeout: number;
  readonly streamBuffer: number;
  /** Milliseconds. */
  readonly streamStall: number;
  /** Milliseconds. */
  readonly sessionIdle: number;
  readonly evictedSessions: EvictedSessions;
  /** Milliseconds. */
  readonly headerTimeout: number;
  readonly maxBody: number;
  readonly maxBatch: number;
  readonly maxQueue: number;
  /** Milliseconds. */
  readonly drainTimeout: number;
  /** Undefined: nothing is recorded. */
  readonly record?: string;
  /** Undefined: no spans are told. */
  readonly otel?: string;
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'text';
}

const examples = `
Examples:
  loom-serve serve models/first-output models/embedding
  loom-serve serve path/to/checkpoint --id my-model
  loom-serve serve my-model --host 0.0.0.0 --port 80 --admin-token "$TOKEN"
  loom-serve serve my-model --threads 8 --memory 8GiB --parameter-root /data/weights

The first Ctrl-C or SIGTERM stops accepting, lets accepted work finish and ends with 0; a second one
ends at once.`;

export function addServeOptions(command: Command): Command {
  return addStreamLimits(addLimits(addFileOptions(addMachine(command)))).addHelpText(
    'after',
    examples,
  );
}

/** Where it listens, and what it may use of the machine. */
function addMachine(command: Command): Command {
  const cores = availableParallelism();
  return command
    .option('--id <id>', 'id of a checkpoint without model.json; default: the name of its folder')
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <n>', 'port to listen on; 0 takes a free one')
        .default(8040)
        .argParser(wholeNumber({ min: 0, max: 65_535 })),
    )
    .addOption(
      new Option(
        '--device <name>',
        'auto, local, webgpu or webgpu:NAME; auto takes a hardware adapter where there is one. Several by commas or repeated: the first runs packages that name none',
      )
        .default(defaultDevices, 'local')
        .argParser(deviceNames),
    )
    .addOption(
      new Option('--threads <n>', 'compute workers of the local device')
        .default(cores, `cores: ${cores}`)
        .argParser(wholeNumber({ min: 1, max: 256 })),
    )
    .addOption(
      new Option('--model-threads <n>', 'threads that host models')
        .default(1)
        .argParser(wholeNumber({ min: 1, max: 64 })),
    )
    .addOption(
      new Option(
        '--memory <bytes>',
        'device memory budget, as in 512M or 2GiB, or one a device by commas; default: each decides',
      ).argParser(byteSizes),
    );
}

/** Where files of packages may lie. */
export function addFileOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--parameter-root <dir>', 'folder that parameter files may lie in; repeatable')
        .default([], 'the package folders')
        .argParser(folders),
    )
    .addOption(
      new Option('--package-root <dir>', 'folder that packages may be registered from; repeatable')
        .default([], 'any folder')
        .argParser(folders),
    )
    .addOption(
      new Option(
        '--cache-dir <dir>',
        'folder for files that packages import; default: loom-serve in your cache folder',
      )
        .env('LOOM_CACHE_DIR')
        .argParser((text: string) => resolve(text)),
    );
}

/** Who may do what, and how much of it. */
function addLimits(command: Command): Command {
  return command
    .addOption(
      new Option('--admin-token <token>', 'secret for /admin routes; needed beyond loopback').env(
        'LOOM_ADMIN_TOKEN',
      ),
    )
    .addOption(
      new Option('--request-timeout <seconds>', 'longest time for one request')
        .default(defaultLimits.requestTimeoutMs, `${defaultLimits.requestTimeoutMs / 1000}`)
        .argParser(secondsMs),
    )
    .addOption(
      new Option('--header-timeout <seconds>', 'longest time for the headers of a request')
        .default(20_000, '20')
        .argParser(secondsMs),
    )
    .addOption(
      new Option('--max-body <bytes>', 'largest request body')
        .default(defaultLimits.bodyBytesMax, '8M')
        .argParser(byteSize),
    )
    .addOption(
      new Option('--max-batch <n>', 'most inputs of one request')
        .default(defaultLimits.batchMax)
        .argParser(wholeNumber({ min: 1, max: 1_000_000 })),
    )
    .addOption(
      new Option('--max-queue <n>', 'most inputs that wait for one model')
        .default(4096)
        .argParser(wholeNumber({ min: 1, max: 1_000_000 })),
    )
    .addOption(
      new Option('--drain-timeout <seconds>', 'longest time to finish accepted work at the end')
        .default(10_000, '10')
        .argParser(secondsMs),
    )
    .addOption(
      new Option(
        '--record <file>',
        'record traffic and what all actors do; for replay, trace and the console',
      ).argParser((text: string) => resolve(text)),
    )
    .addOption(
      new Option('--otel <url>', 'OpenTelemetry collector (OTLP over HTTP) that spans are sent to')
        .env('OTEL_EXPORTER_OTLP_ENDPOINT')
        .argParser(httpUrl),
    )
    .addOption(
      new Option('--log-level <level>', 'what to log on standard error')
        .default('info')
        .choices([...logLevels]),
    )
    .addOption(
      new Option('--log-format <format>', 'how: json, text, or text on a terminal only')
        .default('auto')
        .choices(['auto', 'json', 'text']),
    );
}

/** What generated text may take, and where it may be kept. */
function addStreamLimits(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--session-dir <dir>',
        'folder for saved sessions; without it none are saved',
      ).argParser((text: string) => resolve(text)),
    )
    .addOption(
      new Option('--generation-timeout <seconds>', 'longest time to generate a text')
        .default(defaultLimits.generationTimeoutMs, `${defaultLimits.generationTimeoutMs / 1000}`)
        .argParser(secondsMs),
    )
    .addOption(
      new Option('--stream-buffer <bytes>', 'bytes held for a reader before its generation waits')
        .default(defaultLimits.streamBufferBytes, '256K')
        .argParser(byteSize),
    )
    .addOption(
      new Option('--stream-stall <seconds>', 'longest time in which a reader takes nothing')
        .default(defaultLimits.streamStallMs, `${defaultLimits.streamStallMs / 1000}`)
        .argParser(secondsMs),
    )
    .addOption(
      new Option('--session-idle <seconds>', 'a session without a turn for so long is closed')
        .default(600_000, '600')
        .argParser(secondsMs),
    )
    .addOption(
      new Option(
        '--evicted-sessions <policy>',
        'idle sessions whose memory others needed: they read their text again (replay), those do ' +
          'that were not restored from a file (replay-own), or they are gone (refuse)',
      )
        .default('replay')
        .choices(['replay', 'replay-own', 'refuse']),
    );
}
