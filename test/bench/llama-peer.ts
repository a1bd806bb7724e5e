/** node-llama-cpp as a peer: contexts of so many threads and sequences, greedy tokens. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './server-process.js';

interface Sequence {
  evaluate(ids: readonly number[], options: object): AsyncIterable<number>;
  clearHistory(): Promise<void>;
}

interface Context {
  getSequence(): Sequence;
  dispose(): Promise<void>;
}

interface Model {
  tokenize(text: string): readonly number[];
  createContext(options: object): Promise<Context>;
}

interface Runtime {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<Model> }>;
}

export interface ContextOptions {
  readonly threads: number;
  readonly sequences: number;
  /** Tokens of each sequence. */
  readonly tokens: number;
  /** Keys and values in f32, as ours; else in f16, which is theirs by default. */
  readonly exact?: boolean;
}

export interface PeerContext {
  /** Greedy tokens after `ids` in a sequence that holds nothing, as they come. */
  generate(sequence: number, ids: readonly number[], count: number): AsyncIterable<number>;
  close(): Promise<void>;
}

export interface LlamaPeer {
  tokenize(text: string): readonly number[];
  open(options: ContextOptions): Promise<PeerContext>;
}

/** Null when it is not installed, or has no addon for this machine. */
export async function openLlamaPeer(path: string): Promise<LlamaPeer | null> {
  const require = createRequire(join(root, 'test/bench/package.json'));
  let model: Model;
  try {
    const entry = pathToFileURL(require.resolve('node-llama-cpp')).href;
    const { getLlama } = (await import(entry)) as Runtime;
    const quiet = { progressLogs: false, logLevel: 'error' };
    const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, ...quiet });
    model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  } catch (error) {
    console.log(`node-llama-cpp: ${String(error)}; to compare with it: npm run bench:peers`);
    return null;
  }
  return {
    tokenize: (text) => model.tokenize(text),
    open: async ({ threads, sequences, tokens, exact = false }) => {
      const exactly = { experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32' };
      const context = await model.createContext({
        ...{ sequences, threads: { ideal: threads, min: threads } },
        ...{ contextSize: tokens, batchSize: 512, flashAttention: !exact },
        ...(exact ? exactly : {}),
      });
      const all = Array.from({ length: sequences }, () => context.getSequence());
      return {
        generate: (sequence, ids, count) => generate(all[sequence]!, ids, count),
        close: () => context.dispose(),
      };
    },
  };
}

async function* generate(sequence: Sequence, ids: readonly number[], count: number) {
  await sequence.clearHistory();
  const left = { tokens: count };
  for await (const token of sequence.evaluate(ids, { temperature: 0, yieldEogToken: true })) {
    yield token;
    if (--left.tokens <= 0) return;
  }
}
