/** Whatever is said, by how many, and however it ends: streams keep their law. */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Speech } from './fake-text.js';
import { postJson, withServer } from './listening.js';
import { checkLaw } from './sse-law.js';

/** Texts that look like the frame they travel in. */
const token = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '\n\n', 'data: [DONE]\n\n', ': x\n\n', '"}', '\u2028', '\u0000', '\r\n'),
);

const choice = fc.record({
  tokens: fc.array(token, { maxLength: 12 }),
  /** Fails after so many tokens, if there are as many. */
  failAt: fc.option(fc.nat(12), { freq: 4, nil: undefined }),
});

const request = fc.record({
  choices: fc.array(choice, { minLength: 1, maxLength: 4 }),
  limit: fc.option(fc.nat(12), { nil: null }),
  hasUsage: fc.boolean(),
  form: fc.constantFrom('chat' as const, 'completion' as const),
});

const route = {
  chat: { path: '/v1/chat/completions', asked: { messages: [{ role: 'user', content: 'Hi' }] } },
  completion: { path: '/v1/completions', asked: { prompt: 'Hi' } },
};

test('streams keep their law', () =>
  withServer(async ({ text }, { url }) => {
    await fc.assert(
      fc.asyncProperty(request, async ({ choices, limit, hasUsage, form }) => {
        text.calls.length = 0;
        text.speeches = choices as Speech[];
        const { path, asked } = route[form];
        const response = await postJson(url + path, {
          model: 'm',
          ...asked,
          stream: true,
          stream_options: { include_usage: hasUsage },
          n: choices.length,
          max_tokens: limit ?? 100,
        });
        const body = await response.text();
        const said = choices.map(({ tokens }) => tokens.slice(0, limit ?? 100));
        // The server of this test notices a failure at the token, or at the end, where it lies.
        const fails = choices.some(
          ({ failAt }, at) => failAt !== undefined && failAt <= said[at]!.length,
        );
        if (response.status !== 200) {
          assert.ok(fails, body);
          return;
        }
        const ends = fails ? 'error' : 'done';
        const heard = checkLaw(body, { form, choices: choices.length, usage: hasUsage, ends });
        for (const [at, one] of heard.texts.entries()) {
          const whole = said[at]!.join('');
          if (fails) assert.ok(whole.startsWith(one));
          else assert.is(one, whole);
        }
        if (fails || !hasUsage) return;
        const tokens = said.reduce((sum, one) => sum + one.length, 0);
        assert.is(heard.usage?.completion_tokens, tokens);
      }),
      { numRuns: 200 },
    );
  }));

test.run();
