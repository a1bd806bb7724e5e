import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PromptShare } from '../../../actors/policy/prompt-share.js';
import type { EpochMix } from '../../../actors/policy/prompt-share.js';

/** A device on which an epoch takes 10 ms and each token of a prompt `tokenMs` more. */
function run(share: PromptShare, epochs: number, tokenMs: number, prompts: boolean): number {
  let now = 1000;
  let longest = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const prompt = prompts ? share.tokensBeside(4) : 0;
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
  assert.is(share.tokensBeside(4), 128);
  run(share, 3, 0.5, false);
  assert.is(share.tokensBeside(4), 16);
  assert.is(new PromptShare(1).tokensBeside(4), 1);
});

test('an epoch with a prompt takes about twice as long as one without', () => {
  const share = new PromptShare(256);
  run(share, 5, 0.5, false);
  assert.is(run(share, 20, 0.5, true), 20);
  assert.is(share.tokensBeside(4), 20);
});

test('prompts that become dearer get less, those that become cheaper more, within the bounds', () => {
  const share = new PromptShare(256);
  run(share, 5, 0.5, false);
  run(share, 40, 2, true);
  assert.is(share.tokensBeside(4), 5);
  run(share, 40, 200, true);
  assert.is(share.tokensBeside(4), 2);
  run(share, 200, 0.01, true);
  assert.is(share.tokensBeside(4), 128);
});

const note = (share: PromptShare, { speaking, prompt }: EpochMix, took: number): void => {
  share.begin({ speaking, prompt }, 1000);
  share.end(1000 + took);
};

test('how long an epoch takes is known by how many speak in it', () => {
  const share = new PromptShare(256);
  for (let i = 0; i < 4; i += 1) note(share, { speaking: 1, prompt: 0 }, 10);
  // Turns begin to speak one after another: what they add is nothing that prompts have added.
  for (let speaking = 2; speaking < 16; speaking += 1) {
    note(share, { speaking, prompt: 8 }, 10 * speaking + 4);
  }
  note(share, { speaking: 15, prompt: 0 }, 150);
  note(share, { speaking: 15, prompt: 16 }, 158);
  assert.is(share.tokensBeside(15), 32);
  assert.is(share.tokensBeside(1), 20);
  // Those in between are as few as they may be.
  assert.is(share.tokensBeside(6), 20);
});

test('many that never speak without a prompt beside them are no reason to starve it', () => {
  const share = new PromptShare(256);
  note(share, { speaking: 1, prompt: 0 }, 10);
  note(share, { speaking: 1, prompt: 4 }, 14);
  assert.is(share.tokensBeside(15), 10);
  note(share, { speaking: 15, prompt: 10 }, 110);
  // More than it was ever tried with are tried step by step.
  assert.is(share.tokensBeside(15), 16);
});

test('epochs that are late for other reasons do not starve prompts', () => {
  // Every fourth epoch, with prompts or without, is 40 ms late, which says nothing of tokens.
  const share = new PromptShare(256);
  let now = 1000;
  let [tokens, epochs] = [0, 0];
  for (let epoch = 0; epoch < 400; epoch += 1) {
    const prompt = epoch % 8 < 4 ? 0 : share.tokensBeside(4);
    share.begin({ speaking: 4, prompt }, now);
    now += 10 + prompt * 0.5 + (epoch % 4 === 1 ? 40 : 0);
    share.end(now);
    if (epoch < 100 || prompt === 0) continue;
    tokens += prompt;
    epochs += 1;
  }
  assert.ok(tokens / epochs > 16, `${tokens / epochs} tokens an epoch`);
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
  assert.is(share.tokensBeside(4), 16);
  note(4, 128, 74);
  assert.is(share.tokensBeside(4), 20);
});

test.run();
