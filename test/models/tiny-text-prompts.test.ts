/** Prompts of models/tiny-text as a preparation thread makes them, and what turns may ask. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TextPreparer } from '../../runtime/packages/text-preparer.js';
import { vocabulary } from '../oracles/tiny-text.js';
import { EpochBench } from './epoch-bench.js';

const { model, tokenizer } = new EpochBench('tiny-text');
const preparer = new TextPreparer(model, tokenizer);

test('text is its bytes, with the marks that it names', () => {
  const ids = preparer.promptIds({ kind: 'text', text: 'é<|end|>\n' });
  assert.equal(ids, [0xc3, 0xa9, 256, 10]);
  assert.is(preparer.detokenize(ids), 'é<|end|>\n');
});

test('known ids are taken as they are, others are refused by name', () => {
  const ids = [0, 255, vocabulary - 1];
  assert.equal(preparer.promptIds({ kind: 'tokens', ids }), ids);
  const wrong = { kind: 'tokens', ids: [1, vocabulary] } as const;
  assert.throws(() => preparer.promptIds(wrong), /token 1 of the prompt is 261; ids from 0 to 260/);
});

test('a chat is framed', () => {
  const messages = [{ role: 'user', content: '<|end|>' }];
  const json = JSON.stringify({ messages, add_generation_prompt: true });
  const text = [...new TextEncoder().encode('<|end|>')];
  assert.equal(preparer.promptIds({ kind: 'chat', json }), [258, ...text, 256, 259]);
});

test('what no turn may ask is refused by name', () => {
  const { control } = new EpochBench('tiny-text');
  assert.throws(() => control.bind({ topLogprobs: 21 }), /'top_logprobs' is 21/);
  assert.throws(() => control.bind({ repetitionPenalty: 1000 }), /'repetition_penalty' is 1000/);
  const logitBias = Array.from({ length: 262 }, () => [1, 1] as const);
  assert.throws(() => control.bind({ logitBias }), /'logit_bias' has 262 entries/);
});

test.run();
