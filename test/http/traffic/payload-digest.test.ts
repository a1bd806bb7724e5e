/**
 * Digests of payloads: the same for the same, however its bytes were divided and its events cut;
 * another for whatever else differs. By properties over texts of every kind.
 */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { comparable } from '../../../http/traffic/exempt-fields.js';
import { BLOCK, PayloadDigest } from '../../../http/traffic/payload-digest.js';
import type { Payload } from '../../../http/traffic/traffic-lines.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Taken in pieces that end at the given places. */
function digestOf(text: string, type: string, ends: readonly number[] = []): Payload {
  const bytes = Buffer.from(text);
  const digest = new PayloadDigest(200, type);
  let from = 0;
  for (const end of [...ends, bytes.length].map((at) => Math.min(at, bytes.length)).sort(byValue)) {
    digest.take(bytes.subarray(from, end));
    from = end;
  }
  return digest.end();
}

const byValue = (left: number, right: number): number => left - right;
const plain = 'application/json';
const stream = 'text/event-stream; charset=utf-8';
const texts = fc.string({ unit: 'grapheme', maxLength: 40 });
const ends = fc.array(fc.nat(2_000), { maxLength: 12 });

test('a plain payload is its text, however it came', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2 * BLOCK }), ends, (said, cuts) => {
      const text = JSON.stringify({ said });
      const { tracks, bytes, events } = digestOf(text, plain, cuts);
      assert.is(bytes, Buffer.byteLength(text));
      assert.is(events, null);
      assert.is(tracks['body']!.length, text.length);
      assert.is(tracks['body']!.sha256, sha256(text));
    }),
  );
});

/** A stream as the server writes one: the pieces of each choice in turn. */
function streamOf(pieces: readonly (readonly string[])[], id: string): string {
  const head = { id, object: 'text_completion', created: id.length, model: 'm' };
  const events: object[] = [];
  const longest = Math.max(0, ...pieces.map(({ length }) => length));
  for (let at = 0; at < longest; at += 1) {
    pieces.forEach((texts, index) => {
      if (texts[at] === undefined) return;
      const choice = { index, text: texts[at], logprobs: null, finish_reason: null };
      events.push({ ...head, choices: [choice] });
    });
  }
  pieces.forEach((_, index) => {
    const choice = { index, text: '', logprobs: null, finish_reason: 'stop' };
    events.push({ ...head, choices: [choice], timings: { queue_ms: id.length } });
  });
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
  return lines.map((line) => `data: ${line}\n\n`).join(': waiting\n\n');
}

test('a stream is what each choice said, not how it was divided', () => {
  const choices = fc.array(fc.array(texts, { minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(choices, ends, (pieces, cuts) => {
      const one = digestOf(streamOf(pieces, 'a'), stream, cuts);
      const joined = pieces.map((texts) => [texts.join('')]);
      const other = digestOf(streamOf(joined, 'longer-id'), stream);
      assert.equal(one.tracks, other.tracks);
      pieces.forEach((said, index) => {
        assert.is(one.tracks[`${index}.text`]!.sha256, sha256(said.join('')));
        assert.is(one.tracks[`${index}.finish`]!.head, 'stop');
      });
      assert.not.ok(one.isBroken);
      const same = digestOf(streamOf(pieces, 'another-id'), stream);
      assert.is(one.eventsDigest, same.eventsDigest);
    }),
  );
});

test('likelihoods are a line a token, in whatever events they came', () => {
  const tokens = [' a', ' b', ' c'].map((token, at) => ({ token, logprob: -at, top_logprobs: [] }));
  const chat = (parts: readonly (typeof tokens)[]): string =>
    parts
      .map((content) => ({
        choices: [{ index: 0, delta: { content: '' }, logprobs: { content, refusal: null } }],
      }))
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
  const one = digestOf(chat([tokens]), stream);
  const each = digestOf(chat(tokens.map((token) => [token])), stream);
  assert.equal(one.tracks, each.tracks);
  const other = digestOf(chat([tokens.slice(0, 2)]), stream);
  assert.is.not(one.tracks['0.logprobs']!.sha256, other.tracks['0.logprobs']!.sha256);
});

test('a stream that ends with an error, or before its end, is broken', () => {
  const event = 'data: {"choices":[{"index":0,"text":"a"}]}\n\n';
  assert.ok(digestOf(event, stream).isBroken);
  assert.ok(digestOf(`${event}data: {"error":{"message":"no"}}\n\n`, stream).isBroken);
  assert.not.ok(digestOf(`${event}data: [DONE]\n\n`, stream).isBroken);
});

test('of long texts each block has a digest, so the first that differs is found', () => {
  const long = 'x'.repeat(3 * BLOCK);
  const changed = `${long.slice(0, BLOCK + 7)}y${long.slice(BLOCK + 8)}`;
  const one = digestOf(long, plain).tracks['body']!.blocks!;
  const other = digestOf(changed, plain).tracks['body']!.blocks!;
  assert.is(one.length, 3);
  assert.equal(
    one.map((digest, at) => digest === other[at]),
    [true, false, true],
  );
});

test('what is exempt is left out where it is, and nowhere else', () => {
  const said = { text: 'the "id": "x", "created":12, "timings":{}', index: 0 };
  const answer = (id: string, created: number): string =>
    JSON.stringify({
      id,
      object: 'text_completion',
      created,
      system_fingerprint: `m@${created}`,
      choices: [said],
      usage: { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: created } },
      timings: { queue_ms: created },
    });
  assert.is(comparable(answer('a', 1)), comparable(answer('b', 22)));
  assert.equal(JSON.parse(comparable(answer('a', 1))), {
    object: 'text_completion',
    choices: [said],
    usage: { prompt_tokens: 1 },
  });
  // An id that is the name of something stays.
  const model = JSON.stringify({ id: 'kjv', object: 'model' });
  assert.is(comparable(model), model);
  const session = JSON.stringify({ id: 's', object: 'session', state: 'running', tokens: 3 });
  assert.equal(JSON.parse(comparable(session)), { id: 's', object: 'session', tokens: 3 });
});

test('a session that was made is told by its id', () => {
  const digest = new PayloadDigest(201, plain);
  digest.take(Buffer.from(JSON.stringify({ id: 'm@1.4', object: 'session' })));
  assert.is(digest.end().made, 'm@1.4');
});

test.run();
