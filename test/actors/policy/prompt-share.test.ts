import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PromptShare } from '../../../actors/policy/prompt-share.js';

/** A device on which an epoch takes 10 ms and each token of a prompt `tokenMs` more. */
function run(share: PromptShare, epochs: number, tokenMs: number, prompts: boolean): number {
  let now = 1000;
  let longest = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const prompt = prompts ? share.tokens : 0;
    share.begin({ speaking: 4, prompt }, now);
    const took = 10 + prompt * tokenMs;
    longest = Math.max(longest, took);
    now += took;
    share.end(now);
  }
  return longest;
}

test('half of an epoch at first, then a few tokens until it is known what they cost', () => {
  const share = new PromptShare(256);
  assert.is(share.tokens, 128);
  run(share, 3, 0.5, false);
  assert.is(share.tokens, 16);
  assert.is(new PromptShare(1).tokens, 1);
});

test('an epoch with a prompt takes about twice as long as one without', () => {
  const share = new PromptShare(256);
  run(share, 5, 0.5, false);
  assert.is(run(share, 20, 0.5, true), 20);
  assert.is(share.tokens, 20);
});

test('prompts that become dearer get less, those that become cheaper more, within the bounds', () => {
  const share = new PromptShare(256);
  run(share, 5, 0.5, false);
  run(share, 40, 2, true);
  assert.is(share.tokens, 5);
  run(share, 40, 200, true);
  assert.is(share.tokens, 2);
  run(share, 200, 0.01, true);
  assert.is(share.tokens, 128);
});

test('epochs without speakers, that failed or that took no time teach nothing', () => {
  const share = new PromptShare(256);
  const note = (speaking: number, prompt: number, took: number): void => {
    share.begin({ speaking, prompt }, 1000);
    share.end(1000 + took);
  };
  note(4, 0, 0);
  note(4, 0, 10);
  note(0, 256, 5000);
  share.begin({ speaking: 4, prompt: 8 }, 1000);
  share.forget();
  share.end(90_000);
  assert.is(share.tokens, 16);
  note(4, 128, 74);
  assert.is(share.tokens, 20);
});

test.run();
