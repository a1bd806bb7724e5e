/**
 * What a turn asks of sampling as `request_options` reads it: f64 words, and pairs for biases.
 * What the caller does not say is taken from `request_defaults`; what the package does not say
 * either has no effect. Names in errors are those of the request.
 */
import { StatusError } from '../base/errors.js';
import { invalidReturn } from './record-table.js';
import type { SamplingOptions } from './text.js';

const FIXED_WORDS = 10;
const PAIR_WORDS = 2;
/** Of one request. */
const biasesMax = 4096;
const entry = 'request_defaults';

interface Field {
  readonly name: keyof Omit<SamplingOptions, 'logitBias'>;
  readonly param: string;
  readonly isValid: (value: number) => boolean;
  readonly expected: string;
  /** Has no effect. */
  readonly neutral: number;
}

const isSafe = Number.isSafeInteger;
const isPenalty = (value: number): boolean => value >= -2 && value <= 2;

/** In the order of the table. */
const fields: readonly Field[] = [
  {
    name: 'temperature',
    param: 'temperature',
    isValid: (value) => value >= 0 && value < Infinity,
    expected: 'a number from 0 (the likeliest token, always)',
    neutral: 1,
  },
  {
    name: 'topP',
    param: 'top_p',
    isValid: (value) => value > 0 && value <= 1,
    expected: 'a number above 0 and at most 1',
    neutral: 1,
  },
  {
    name: 'topK',
    param: 'top_k',
    isValid: (value) => isSafe(value) && value >= 0,
    expected: 'a whole number from 0 (no limit)',
    neutral: 0,
  },
  {
    name: 'minP',
    param: 'min_p',
    isValid: (value) => value >= 0 && value <= 1,
    expected: 'a number from 0 to 1',
    neutral: 0,
  },
  {
    name: 'presencePenalty',
    param: 'presence_penalty',
    isValid: isPenalty,
    expected: 'a number from -2 to 2',
    neutral: 0,
  },
  {
    name: 'frequencyPenalty',
    param: 'frequency_penalty',
    isValid: isPenalty,
    expected: 'a number from -2 to 2',
    neutral: 0,
  },
  {
    name: 'repetitionPenalty',
    param: 'repetition_penalty',
    isValid: (value) => value > 0 && value < Infinity,
    expected: 'a number above 0',
    neutral: 1,
  },
  {
    name: 'seed',
    param: 'seed',
    isValid: isSafe,
    expected: 'a whole number that 53 bits hold',
    neutral: 0,
  },
  {
    name: 'topLogprobs',
    param: 'top_logprobs',
    isValid: (value) => isSafe(value) && value >= 0,
    expected: 'a whole number from 0',
    neutral: -1,
  },
];

/** Refuses what no model takes; `vocabulary` bounds the ids of biases. */
export function checkSampling(options: SamplingOptions, vocabulary: number): void {
  for (const { name, param, isValid, expected } of fields) {
    const value = options[name];
    if (value !== undefined && !isValid(value)) throw refused(param, `${value}`, expected);
  }
  const { logitBias = [] } = options;
  if (logitBias.length > biasesMax) {
    throw refused('logit_bias', `${logitBias.length} tokens`, `at most ${biasesMax}`);
  }
  for (const [id, bias] of logitBias) {
    if (!(isSafe(id) && id >= 0 && id < vocabulary)) {
      throw refused('logit_bias', `token ${id}`, `ids from 0 to ${vocabulary - 1}`);
    }
    if (!(bias >= -100 && bias <= 100)) {
      throw refused('logit_bias', `${bias} for token ${id}`, 'numbers from -100 to 100');
    }
  }
}

function refused(param: string, value: string, expected: string): StatusError {
  return new StatusError('invalidArgument', `${param} is ${value}; ${expected} expected`, {
    param,
  });
}

/** A complete table: what the caller says, else what the package prefers, else what is neutral. */
export function encodeSampling(asked: SamplingOptions, defaults: SamplingOptions): Uint8Array {
  const biases = asked.logitBias ?? defaults.logitBias ?? [];
  const words = fields.map(({ name, neutral }) => asked[name] ?? defaults[name] ?? neutral);
  words.push(biases.length, ...biases.flat());
  const view = new DataView(new ArrayBuffer(words.length * 8));
  words.forEach((word, index) => view.setFloat64(index * 8, word, true));
  return new Uint8Array(view.buffer);
}

/** What `request_defaults` gave; NaN is what it leaves open. */
export function checkDefaults(bytes: Uint8Array, vocabulary: number): SamplingOptions {
  const words = bytes.length / 8;
  if (!Number.isInteger(words) || words < FIXED_WORDS) {
    throw invalidReturn(entry, `${bytes.length} bytes; at least ${FIXED_WORDS} f64 words expected`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const word = (index: number): number => view.getFloat64(index * 8, true);
  const count = word(fields.length);
  const biases = Number.isNaN(count) ? 0 : count;
  if (words !== FIXED_WORDS + PAIR_WORDS * biases) {
    throw invalidReturn(entry, `${words} words with ${count} biases; two for each expected`);
  }
  const said: Record<string, unknown> = {};
  fields.forEach(({ name }, index) => {
    const value = word(index);
    const isSaid = !Number.isNaN(value) && !(name === 'topLogprobs' && value === -1);
    if (isSaid) said[name] = value;
  });
  if (biases > 0) {
    said['logitBias'] = Array.from({ length: biases }, (_, at) => {
      const index = FIXED_WORDS + at * PAIR_WORDS;
      return [word(index), word(index + 1)];
    });
  }
  const defaults = said as SamplingOptions;
  try {
    checkSampling(defaults, vocabulary);
  } catch (error) {
    throw error instanceof StatusError ? invalidReturn(entry, error.message) : error;
  }
  return defaults;
}
