/**
 * Masks of grammars under 49,152 tokens, made of those of a small vocabulary; a twelfth of them go
 * across the end of a string, where the walk cannot skip.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileGrammar } from '../../runtime/text/grammar/compile-grammar.js';
import { GrammarState } from '../../runtime/text/grammar/grammar-state.js';
import { TokenTable } from '../../runtime/text/grammar/token-table.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import { Random } from '../generators/random.js';
import { median, printReport } from './report.js';
import type { BenchRow } from './report.js';
import { root } from './server-process.js';

const vocabulary = 49_152;
const runs = 15;

function madeTokenizer(): Tokenizer {
  const path = join(root, 'models', 'kjv', 'tokenizer.json');
  const file = JSON.parse(readFileSync(path, 'utf8')) as { model: { vocab: object } };
  const entries = Object.entries(file.model.vocab) as [string, number][];
  const small = entries.sort(([, left], [, right]) => left - right).map(([token]) => token);
  const random = new Random(1);
  const tokens = new Set(small);
  while (tokens.size < vocabulary) {
    const end = random.chance(12) ? random.of(['"', '":', '",', '"}']) : '';
    tokens.add(random.of(small) + random.of(small).replace('Ġ', '') + end);
  }
  const vocab = Object.fromEntries([...tokens].map((token, id) => [token, id]));
  const model = { ...file.model, vocab, merges: [] };
  return new Tokenizer(new TextEncoder().encode(JSON.stringify({ ...file, model })), 'made');
}

const tokenizer = madeTokenizer();
const started = performance.now();
const table = new TokenTable(tokenizer, { vocabulary, terminal: [0] });
const tableMs = performance.now() - started;
const ids = new Map<number, number>();
for (let id = 0; id < vocabulary; id += 1) {
  const bytes = table.bytesOf(id);
  if (bytes.length === 1) ids.set(bytes[0]!, id);
}

/** Time of every mask of a text, written byte by byte. */
function maskTimes(schema: object, text: string): number[] {
  const state = new GrammarState(compileGrammar({ kind: 'schema', schema }), table);
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const from = performance.now();
    state.mask();
    const time = performance.now() - from;
    state.advance(ids.get(byte)!);
    return time;
  });
}

/** Each run says something else of no meaning, so that nothing is remembered. */
const fresh = Array.from({ length: runs }, (_, run) => ({
  title: `run ${run}`,
  properties: {
    name: { type: 'string' },
    list: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 4999 } },
    code: { type: 'string', maxLength: 8 },
  },
  required: ['name', 'list', 'code'],
}));
const text = '{"name": "some words", "list": [17, 4711], "code": "abcdef"}';
const first = fresh.map((schema) => maskTimes(schema, text));
const again = Array.from({ length: runs }, () => maskTimes(fresh.at(-1)!, text));
const at = (part: string): number[] => first.map((times) => times[text.indexOf(part)]!);
const row = (name: string, value: number, goal?: number): BenchRow => ({
  name,
  value,
  unit: 'ms',
  better: 'lower',
  ...(goal === undefined ? {} : { goal }),
});

printReport({
  name: `grammars, ${vocabulary} tokens`,
  rows: [
    row('table of the tokens', tableMs),
    row('mask, median over a text', median(first.flat()), 1),
    row('mask in a string, first time there', median(at('some'))),
    row('mask near maxLength, first time there', median(at('def'))),
    row('mask, known', median(again.flat()), 1),
  ],
});
