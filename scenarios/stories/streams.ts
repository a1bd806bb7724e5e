/** Streams of text: who reads them slowly or not at all, what joins them, how they end. */
import {
  all,
  answering,
  at,
  cancel,
  chat,
  complete,
  ended,
  holdDevice,
  inTurn,
  reached,
  said,
} from '../acts.js';
import {
  answers,
  before,
  ends,
  finishes,
  hits,
  holds,
  leaves,
  same,
  says,
} from '../expectations.js';
import { errorOf, usageOf } from '../outcome.js';
import { packageOf } from '../packages.js';
import type { PackageNeed, Scenario } from '../scenario.js';

const text = packageOf('tiny-text');
const streamed = { stream: true, logprobs: 1, logit_bias: { 256: -100 } };
const words = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, i) => `word ${first + i}`).join(' ');
const READERS = 1_000;
const readers = Array.from({ length: READERS }, (_, i) => `reader.${i}`);
/** Hardly more pages than one of its rows can take. */
const tight: PackageNeed = {
  id: 'tight',
  folder: 'tiny-text',
  options: { rows: 4, context: 96, pages: 26 },
};

/** More than sockets hold for a reader, when each token comes with the twenty likeliest. */
const much = {
  messages: [{ role: 'user', content: 'say much' }],
  n: 14,
  max_tokens: 900,
  logit_bias: { 256: -100 },
};
const loud = { ...much, stream: true, logprobs: true, top_logprobs: 20 };

export const streams: readonly Scenario[] = [
  {
    name: 'staggered-lengths',
    about: 'Answers of very different lengths in the same epochs are those that each gives alone.',
    packages: [text],
    acts: [
      ...[1, 2, 5, 13, 40, 90].map((max_tokens, i) =>
        complete(`together.${i}`, { prompt: words(1 + 9 * i, i), max_tokens }, { when: at(3 * i) }),
      ),
      ...inTurn(
        [1, 2, 5, 13, 40, 90].map((max_tokens, i) =>
          complete(`alone.${i}`, { prompt: words(1 + 9 * i, i), max_tokens }),
        ),
      ).map((one, i) =>
        i === 0
          ? { ...one, when: all(...[0, 1, 2, 3, 4, 5].map((n) => ended(`together.${n}`))) }
          : one,
      ),
    ],
    expects: [0, 1, 2, 3, 4, 5].map((i) => same(`alone.${i}`, `together.${i}`)),
  },
  {
    name: 'streams-join-and-leave',
    about:
      'Streams join others in their epochs and leave them: those that stay say what they say alone.',
    packages: [text],
    acts: [
      complete('stays', { ...streamed, prompt: 'stays to the end', max_tokens: 120 }),
      ...[0, 1, 2, 3, 4].map((i) =>
        complete(
          `passes.${i}`,
          { ...streamed, prompt: `passes ${i}`, max_tokens: 300 },
          {
            when: said('stays', 5 + 10 * i),
            leaves: said(`passes.${i}`, 6 + i),
          },
        ),
      ),
      complete('joins', { prompt: 'joins late', max_tokens: 30 }, { when: said('stays', 30) }),
      complete('joins-alone', { prompt: 'joins late', max_tokens: 30 }, { when: ended('stays') }),
      complete(
        'alone',
        { ...streamed, prompt: 'stays to the end', max_tokens: 120 },
        {
          when: ended('joins-alone'),
        },
      ),
    ],
    expects: [
      same('alone', 'stays'),
      same('joins-alone', 'joins'),
      leaves(...[0, 1, 2, 3, 4].map((i) => `passes.${i}`)),
    ],
  },
  {
    name: 'few-tokens',
    about:
      'No token, one token, and an answer that stops at its first: each ends once, and rightly.',
    packages: [text],
    acts: [
      complete('none', { prompt: 'nothing to say', max_tokens: 0 }),
      complete('none-streamed', { prompt: 'nothing to say', max_tokens: 0, stream: true }),
      complete('one', { prompt: 'one', max_tokens: 1, logit_bias: { 97: 100 } }),
      complete('stops', { prompt: 'one', max_tokens: 20, stop: 'a', logit_bias: { 97: 100 } }),
      complete('stops-streamed', {
        prompt: 'one',
        max_tokens: 20,
        stop: 'a',
        stream: true,
        logit_bias: { 97: 100 },
      }),
      complete('ends', { prompt: 'one', max_tokens: 20, logit_bias: { 256: 100 } }),
    ],
    expects: [
      says('one', 'a'),
      finishes('one', 'length'),
      says('stops', ''),
      finishes('stops', 'stop'),
      says('stops-streamed', ''),
      finishes('stops-streamed', 'stop'),
      says('ends', ''),
      finishes('ends', 'stop'),
      ends('none', [200, 400]),
      ends('none-streamed', [200, 400]),
    ],
  },
  {
    name: 'stalled-reader',
    about: 'A reader takes nothing until its turns stall; others are answered, then it reads on.',
    packages: [text],
    acts: [
      chat('stalled', loud, {
        readsFrom: all(reached('session', 'stalled'), ended('prompt-reader')),
      }),
      complete(
        'prompt-reader',
        { prompt: 'is not held up', max_tokens: 40 },
        { when: reached('session', 'stalled') },
      ),
      chat('plain', { ...much, stream: false }, { when: ended('stalled') }),
    ],
    expects: [before('prompt-reader', 'stalled'), same('plain', 'stalled')],
  },
  {
    name: 'thousand-paused-readers',
    about:
      'A thousand clients ask for streams and read nothing; then two thirds read on, the others go.',
    packages: [text],
    acts: [
      ...readers.map((name, i) =>
        complete(
          name,
          { prompt: `reader ${i % 7}`, max_tokens: 3, stream: true },
          {
            ...(i % 3 === 0 ? { leaves: ended('nobody-reads') } : {}),
            readsFrom: ended('nobody-reads'),
          },
        ),
      ),
      complete('nobody-reads', { prompt: 'asks last', max_tokens: 3 }, { when: at(400) }),
    ],
    expects: [
      answers('nobody-reads', ...readers.filter((_, i) => i % 3 !== 0)),
      leaves(...readers.filter((_, i) => i % 3 === 0)),
      ...[0, 1, 2, 3, 4, 5, 6].map((kind) =>
        same(
          ...(readers.filter((_, i) => i % 3 !== 0 && i % 7 === kind).slice(0, 20) as [
            string,
            ...string[],
          ]),
        ),
      ),
    ],
  },
  {
    name: 'long-prompts-beside-a-chat',
    about: 'Long prompts come while an answer is being said: it goes on in every epoch of theirs.',
    packages: [text],
    acts: [
      // Until all of them have come.
      holdDevice('device', reached('session', 'waiting', 7)),
      complete(
        'chat',
        { ...streamed, prompt: 'a chat', max_tokens: 200 },
        { when: answering('device') },
      ),
      ...[0, 1, 2, 3, 4, 5].map((i) =>
        complete(
          `long.${i}`,
          { prompt: words(85, 1000 * i), max_tokens: 1 },
          { when: reached('epoch', 'executing') },
        ),
      ),
    ],
    expects: [
      answers('chat', ...[0, 1, 2, 3, 4, 5].map((i) => `long.${i}`)),
      holds(
        'the chat goes on while the prompts are being read: a token for every 256 of theirs',
        (outcomes) => {
          const longs = outcomes.all.filter(({ name }) => name.startsWith('long.'));
          const fromMs = Math.min(...longs.map(({ sentMs }) => sentMs));
          const toMs = Math.max(...longs.map(({ endedMs }) => endedMs));
          const tokens = longs.reduce((sum, one) => sum + (usageOf(one)?.prompt_tokens ?? 0), 0);
          const heard = outcomes
            .of('chat')
            .events.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
          const isFine = heard.length >= tokens / 256;
          return isFine ? null : `${heard.length} tokens of it beside ${tokens} of the prompts`;
        },
      ),
    ],
  },
  {
    name: 'prefix-hit-is-miss',
    about:
      'Pages of prompts are shared while others take them away: an answer is the same with and without.',
    packages: [tight],
    acts: inTurn([
      complete('miss', { model: 'tight', prompt: words(6), max_tokens: 12 }),
      complete('hit', { model: 'tight', prompt: words(6), max_tokens: 12 }),
      ...[0, 1, 2].map((i) =>
        complete(`churn.${i}`, { model: 'tight', prompt: words(7, 50 * i), max_tokens: 20 }),
      ),
      complete('again', { model: 'tight', prompt: words(6), max_tokens: 12 }),
      complete('longer', { model: 'tight', prompt: `${words(6)} and more`, max_tokens: 12 }),
      complete('longer-again', { model: 'tight', prompt: `${words(6)} and more`, max_tokens: 12 }),
    ]),
    expects: [
      same('miss', 'hit', 'again'),
      same('longer', 'longer-again'),
      hits('hit'),
      hits('longer-again'),
    ],
  },
  {
    name: 'pages-all-taken',
    about:
      'Rows want more pages than there are: each waits for those of others, and says what it says alone.',
    packages: [tight],
    acts: [
      ...[0, 1, 2, 3].map((i) =>
        complete(`together.${i}`, { model: 'tight', prompt: words(3, 9 * i), max_tokens: 60 }),
      ),
      ...inTurn(
        [0, 1, 2, 3].map((i) =>
          complete(`alone.${i}`, { model: 'tight', prompt: words(3, 9 * i), max_tokens: 60 }),
        ),
      ).map((one, i) =>
        i === 0 ? { ...one, when: all(...[0, 1, 2, 3].map((n) => ended(`together.${n}`))) } : one,
      ),
    ],
    expects: [0, 1, 2, 3].map((i) => same(`alone.${i}`, `together.${i}`)),
  },
  {
    name: 'cancel-a-stream-by-its-id',
    about: 'A stream is ended by its id after it began: an error is its last event, and no usage.',
    packages: [text],
    acts: [
      complete(
        'stream',
        {
          ...streamed,
          prompt: 'ended by others',
          max_tokens: 900,
          stream_options: { include_usage: true },
        },
        { id: 'story-stream' },
      ),
      cancel('ends-it', 'story-stream', { when: said('stream', 10) }),
    ],
    expects: [
      answers('ends-it'),
      holds('stream: an error is its last event, without usage', (outcomes) => {
        const stream = outcomes.of('stream');
        if (errorOf(stream) === null) return 'it has no error';
        return usageOf(stream) === null ? null : 'it tells usage';
      }),
    ],
  },
];
