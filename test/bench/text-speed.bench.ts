/**
 * A random model of 61 million parameters in 8-bit blocks, served over HTTP as a user starts it,
 * against node-llama-cpp in this process: the same file, turns of each alternating, so that ratios
 * are of one run. Of the rounds the median counts; with --best the best, on a busy machine.
 *
 *   node dist/test/bench/text-speed.bench.js [--best] [--rounds N] [--peer-threads 1,2]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLlamaPeer } from './llama-peer.js';
import type { LlamaPeer } from './llama-peer.js';
import { quantRate } from './quant-rate.js';
import { productWeights, writeRandomLlama } from './random-llama.js';
import { median, printReport } from './report.js';
import type { BenchRow } from './report.js';
import { startServer } from './server-process.js';
import { gapsOf, Prompts, quantile, rateOf, textClient } from './text-client.js';
import type { TextClient } from './text-client.js';
import { busySeconds, loadOf } from './text-server.js';

const LAYERS = 16;
const STREAMS = 16;
/** Peak memory beyond bank and pages. */
const MEMORY_GOAL = 150;
/** V8 optimizes what runs once a token only after thousands of them; llama.cpp comes compiled. */
const SETTLING_TURNS = 60;
const { values } = parseArgs({
  options: {
    best: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    'peer-threads': { type: 'string', default: '1,2' },
  },
});
const rounds = Number(values.rounds);
const peerThreads = values['peer-threads'].split(',').map(Number);
const prompts = new Prompts();
const rows: BenchRow[] = [];

const row = (name: string, value: number, rest: Omit<BenchRow, 'name' | 'value'>): void => {
  rows.push({ name, value, ...rest });
  console.log(`${name}: ${value.toFixed(2)} ${rest.unit}`);
};
const fastest = (rates: readonly number[]): number =>
  values.best ? Math.max(...rates) : median(rates);
const shortest = (times: readonly number[]): number =>
  values.best ? Math.min(...times) : median(times);

/** Tokens a second of one way to generate. */
interface Way {
  readonly name: string;
  run(): Promise<number>;
}

/** Rates by way, each round running all of them. */
async function alternate(ways: readonly Way[]): Promise<number[]> {
  const rates = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, way] of ways.entries()) rates[index]!.push(await way.run());
  }
  return rates.map(fastest);
}

/** Ours against the best of theirs. */
async function compare(what: string, ways: readonly Way[], goal: number): Promise<number> {
  const rates = await alternate(ways);
  const better = 'higher';
  rates.forEach((rate, index) => {
    row(`${what}, ${ways[index]!.name}`, rate, { unit: 'tokens/s', better });
  });
  const best = Math.max(...rates.slice(1));
  if (rates.length > 1) {
    row(`${what}, against llama.cpp`, rates[0]! / best, { unit: 'x', better, goal });
  }
  return rates[0]!;
}

const arrivalsOf = async (tokens: AsyncIterable<number>): Promise<number[]> => {
  const arrivals: number[] = [];
  for await (const _ of tokens) arrivals.push(performance.now());
  return arrivals;
};

async function theirWays(
  peer: LlamaPeer | null,
  sequences: number,
  run: (context: Awaited<ReturnType<LlamaPeer['open']>>) => Promise<number>,
): Promise<Way[]> {
  if (peer === null) return [];
  return Promise.all(
    peerThreads.map(async (threads): Promise<Way> => {
      const context = await peer.open({ threads, sequences, tokens: 1024 });
      return { name: `llama.cpp ${threads}T`, run: () => run(context) };
    }),
  );
}

async function oneStream(what: string, client: TextClient, peer: LlamaPeer | null) {
  const ours = async () => rateOf((await client.generate(prompts.next(8), 100)).arrivals);
  const theirs = await theirWays(peer, 1, async (context) =>
    rateOf(await arrivalsOf(context.generate(0, prompts.next(8), 100))),
  );
  await compare(what, [{ name: 'ours', run: ours }, ...theirs], 1);
}

async function promptOf256(client: TextClient, peer: LlamaPeer | null): Promise<void> {
  const ours = async () => {
    const { arrivals, sentMs } = await client.generate(prompts.next(256), 1);
    return 256_000 / (arrivals[0]! - sentMs);
  };
  const theirs = await theirWays(peer, 1, async (context) => {
    const sentMs = performance.now();
    const [first] = await arrivalsOf(context.generate(0, prompts.next(256), 1));
    return 256_000 / (first! - sentMs);
  });
  await compare('prompt of 256', [{ name: 'ours', run: ours }, ...theirs], 0.5);
}

/** Tokens a second of all streams together, while all of them run. */
function together(streams: readonly (readonly number[])[]): number {
  const from = Math.max(...streams.map((arrivals) => arrivals[0]!));
  const to = Math.min(...streams.map((arrivals) => arrivals.at(-1)!));
  const tokens = streams.flat().filter((at) => at > from && at <= to).length;
  return (tokens * 1000) / (to - from);
}

const each = <T>(make: (stream: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: STREAMS }, (_, stream) => make(stream)));

async function sixteenStreams(url: string, client: TextClient, peer: LlamaPeer | null) {
  const shares: number[] = [];
  const ours = async () => {
    const [busy, begin] = [await busySeconds(url), performance.now()];
    const streams = await each(() => client.generate(prompts.next(8), 96));
    const seconds = (performance.now() - begin) / 1000;
    shares.push(((await busySeconds(url)) - busy) / seconds);
    return together(streams.map(({ arrivals }) => arrivals));
  };
  const theirs = await theirWays(peer, STREAMS, async (context) =>
    together(await each((stream) => arrivalsOf(context.generate(stream, prompts.next(8), 96)))),
  );
  const rate = await compare('16 streams', [{ name: 'ours', run: ours }, ...theirs], 1);
  const share = 100 * (values.best ? Math.min(...shares) : median(shares));
  row('host part of an epoch, 16 streams', share, { unit: '%', better: 'lower', goal: 15 });
  const products = await quantRate({ M: STREAMS, K: 576, N: 3072 });
  const part = (100 * rate * 2 * productWeights(LAYERS)) / 1e9 / products;
  row('8-bit products of 16 rows', products, { unit: 'GOPS', better: 'higher' });
  row('16 streams, of our product rate', part, { unit: '%', better: 'higher', goal: 50 });
}

/** `count` streams that go on until `stop`; resolves when each has a token. */
async function running(client: TextClient, count: number) {
  const ends = new AbortController();
  const all = Array.from({ length: count }, () => {
    let begun = (): void => undefined;
    const first = new Promise<void>((resolve) => (begun = resolve));
    const options = { signal: ends.signal, onToken: begun };
    return { first, done: client.generate(prompts.next(8), 1000, options) };
  });
  await Promise.all(all.map(({ first }) => first));
  return {
    async stop() {
      ends.abort();
      return (await Promise.all(all.map(({ done }) => done))).map(({ arrivals }) => arrivals);
    },
  };
}

async function firstToken(client: TextClient): Promise<void> {
  const [idle, busy]: [number[], number[]] = [[], []];
  const once = async (): Promise<number> => {
    const { arrivals, sentMs } = await client.generate(prompts.next(256), 1);
    return arrivals[0]! - sentMs;
  };
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await once());
    const others = await running(client, STREAMS - 1);
    busy.push(await once());
    await others.stop();
  }
  const ms = { unit: 'ms', better: 'lower' } as const;
  row('first token after 256, idle', shortest(idle), ms);
  row('first token after 256, 15 streams running', shortest(busy), ms);
  const ratio = shortest(busy) / shortest(idle);
  row('first token, running against idle', ratio, { unit: 'x', better: 'lower', goal: 3 });
}

async function gaps(client: TextClient): Promise<void> {
  const [quiet, entering]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const others = await running(client, 4);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const enters = performance.now();
    await client.generate(prompts.next(2048), 1);
    const to = performance.now();
    const within = (arrivals: readonly number[], a: number, b: number): number[] =>
      gapsOf(arrivals.filter((at) => at >= a && at <= b));
    for (const arrivals of await others.stop()) {
      quiet.push(...within(arrivals, from, enters));
      entering.push(...within(arrivals, enters, to));
    }
  }
  const ms = { unit: 'ms', better: 'lower' } as const;
  const [before, during] = [quantile(quiet, 0.99), quantile(entering, 0.99)];
  row('gap between tokens, p99, 4 streams', before, ms);
  row('gap between tokens, p99, while a prompt of 2048 enters', during, ms);
  row('gaps, entering against quiet', during / before, { unit: 'x', better: 'lower', goal: 2.5 });
}

const folder = mkdtempSync(join(tmpdir(), 'loom-random-'));
const path = join(folder, 'random.gguf');
writeRandomLlama(path, { layers: LAYERS, type: 'Q8_0' });
const bare = await startServer();
const bareBytes = bare.residentBytes();
await bare.stop();
const peer = await openLlamaPeer(path);
const server = await startServer(path);
const client = textClient(server.url, 'random');
await client.generate(prompts.next(256), 16);
await oneStream('decode of 100, 1 stream', client, peer);
await promptOf256(client, peer);
await sixteenStreams(server.url, client, peer);
await firstToken(client);
await gaps(client);
const beyond = server.residentBytes() - bareBytes - (await loadOf(server.url, 'random'));
row('memory beyond bank and pages', beyond / 1e6, {
  unit: 'MB',
  better: 'lower',
  goal: MEMORY_GOAL,
});
for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await client.generate(prompts.next(8), 100);
await oneStream('decode of 100, 1 stream, settled', client, peer);
await server.stop();
rmSync(folder, { recursive: true });
printReport({ name: 'text-speed', rows });
// The peer's threads would keep the process alive.
process.exit(0);
