/**
 * Prompts whose tokens are said with their likelihoods, on real threads: against the scores of the
 * oracle, whoever shares the epochs, and without a change to what follows.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextBody, TextToken } from '../../../http/text-serving.js';
import { toStatus } from '../../../runtime/base/errors.js';
import { Replay } from '../../oracles/tiny-text.js';
import { rejection, runServer } from '../running-server.js';
import { Texts } from '../texts.js';
import { serveSized } from './text-packages.js';

const CONTEXT = 64;
const server = await runServer([]);
const texts = new Texts(server);

// Few enough pages that turns side by side take them from each other, and read their rows again.
test.before(() => serveSized(server, 'small', { rows: 4, context: CONTEXT, pages: 17, states: 6 }));
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

interface Scored {
  readonly prompt: readonly TextToken[];
  readonly tokens: readonly TextToken[];
  readonly finish: string;
  readonly outputTokens: number;
  readonly promptTokens: number;
}

let asked = 0;

async function score(ids: readonly number[], more: Partial<TextBody> = {}): Promise<Scored> {
  const prompt: TextToken[] = [];
  const tokens: TextToken[] = [];
  const body: TextBody = {
    prompt: { kind: 'tokens', ids },
    session: null,
    maxTokens: 0,
    stop: [],
    sampling: { topLogprobs: 3 },
    grammar: null,
    hasTools: false,
    isPromptScored: true,
    ...more,
  };
  asked += 1;
  const call = { requestId: `scored-${asked}`, model: 'small', body };
  const result = await server.text.generate(call, {
    ...texts.options(),
    onDelta: (delta) => {
      prompt.push(...(delta.prompt ?? []));
      tokens.push(...delta.tokens);
    },
  });
  const { finish, outputTokens, promptTokens } = result;
  return { prompt, tokens, finish, outputTokens, promptTokens };
}

/** log softmax of what follows the first tokens, by the oracle in double precision. */
function likelihoods(ids: readonly number[]): number[] {
  const scores = new Replay(ids).scoresAt(ids.length - 1);
  const most = Math.max(...scores);
  const total = most + Math.log(scores.reduce((sum, one) => sum + Math.exp(one - most), 0));
  return scores.map((one) => one - total);
}

const bytes = (words: string): number[] => [...new TextEncoder().encode(words)];

function checkPrompt(ids: readonly number[], prompt: readonly TextToken[]): void {
  assert.equal(
    prompt.map(({ id }) => id),
    ids,
  );
  assert.equal([prompt[0]!.logprob, prompt[0]!.top], [null, []]);
  for (let at = 1; at < ids.length; at += 1) {
    const due = likelihoods(ids.slice(0, at));
    const { logprob, top } = prompt[at]!;
    assert.ok(Math.abs(logprob! - due[ids[at]!]!) < 1e-4, `token ${at}: ${logprob}`);
    const best = [...due].sort((left, right) => right - left).slice(0, 3);
    top.forEach((one, rank) => {
      assert.ok(Math.abs(one.logprob - best[rank]!) < 1e-4, `rank ${rank} of token ${at}`);
      assert.ok(Math.abs(due[one.id]! - best[rank]!) < 1e-4);
    });
    assert.is(top.length, 3);
  }
}

test('each token of a prompt has its likelihood, the first one none', async () => {
  const ids = bytes('what was, é 本');
  const { prompt, tokens, finish, outputTokens, promptTokens } = await score(ids);
  checkPrompt(ids, prompt);
  assert.equal([tokens, finish, outputTokens, promptTokens], [[], 'length', 0, ids.length]);
  for (const { id, text, bytes: parts } of prompt) assert.equal(parts ?? bytes(text), [id]);
  // The bytes of one character begin where it does.
  const starts = [...'what was, é 本'].flatMap((one, at) => bytes(one).map(() => at));
  assert.equal(
    prompt.map(({ offset }) => offset),
    starts,
  );
});

test('one token, and a row that is exactly full', async () => {
  const one = await score([97]);
  assert.equal(
    one.prompt.map(({ id, logprob }) => [id, logprob]),
    [[97, null]],
  );
  const full = Array.from({ length: CONTEXT }, (_, at) => 97 + ((at * 7) % 26));
  checkPrompt(full, (await score(full)).prompt);
  const more = await rejection(score(full, { maxTokens: 1 }));
  assert.equal([more.code, toStatus(more).reason], ['outOfRange', 'context_length_exceeded']);
  const last = await score(full.slice(1), { maxTokens: 1 });
  assert.equal([last.prompt.length, last.outputTokens], [CONTEXT - 1, 1]);
});

test('what follows is the same with the prompt scored and without', async () => {
  const ids = bytes('it goes on');
  for (const sampling of [
    { topLogprobs: 2 },
    { topLogprobs: 2, temperature: 1, seed: 7, presencePenalty: 1, minP: 0.01 },
  ]) {
    const wanted = { sampling, maxTokens: 12 };
    const scored = await score(ids, wanted);
    const plain = await score(ids, { ...wanted, isPromptScored: false });
    checkPrompt(
      ids,
      scored.prompt.map((token) => ({ ...token, top: topOf(ids, token) })),
    );
    assert.equal(plain.prompt, []);
    assert.equal(scored.tokens, plain.tokens);
    assert.is(scored.outputTokens, plain.outputTokens);
  }
});

/** Where fewer of the likeliest were asked for, the third is the oracle's. */
function topOf(ids: readonly number[], { offset, top }: TextToken): TextToken['top'] {
  if (offset === 0) return top;
  const due = likelihoods(ids.slice(0, offset));
  const third = due
    .map((logprob, id) => ({ id, text: '', logprob }))
    .sort((left, right) => right.logprob - left.logprob)[2]!;
  return [...top, third];
}

test('the same bits alone and among others that take the pages from each other', async () => {
  const prompts = Array.from({ length: 5 }, (_, turn) =>
    Array.from({ length: 30 + turn }, (_, at) => 97 + ((at * (turn + 3) + turn) % 26)),
  );
  const alone: Scored[] = [];
  for (const ids of prompts) alone.push(await score(ids, { maxTokens: 4 }));
  const together = await Promise.all(prompts.map((ids) => score(ids, { maxTokens: 4 })));
  assert.equal(together, alone);
  const session = await server.text.openSession('small', texts.options());
  assert.is(session.tokens, 0);
});

test('a prompt that others have read is scored, too', async () => {
  const ids = bytes('read by others before');
  await texts.say('small', { prompt: { kind: 'tokens', ids }, maxTokens: 2 });
  checkPrompt(ids, (await score(ids)).prompt);
});

test.run();
