/**
 * Where two payloads begin to differ is found wherever it is: by changing one place of any text.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { BLOCK, PayloadDigest } from '../../../http/traffic/payload-digest.js';
import type { Payload } from '../../../http/traffic/traffic-lines.js';
import { systemPorts } from '../../../runtime/base/ports.js';
import { Metrics } from '../../../http/metrics.js';
import { firstDifference, isDividedOtherwise } from '../../../scenarios/replay/first-difference.js';
import { startOptionsOf } from '../../../scenarios/replay/replay-options.js';
import type { Recording } from '../../../scenarios/replay/recording.js';

function payloadOf(text: string, type = 'application/json', status = 200): Payload {
  const digest = new PayloadDigest(status, type);
  digest.take(Buffer.from(text));
  return digest.end();
}

test('the place of one character that was changed is told: itself, or its block', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 5 * BLOCK }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (length, share) => {
        const at = Math.floor(length * share);
        const text = Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26)));
        const old = payloadOf(text.join(''));
        assert.is(firstDifference(old, payloadOf(text.join(''))), null);
        text[at] = '#';
        const says = firstDifference(old, payloadOf(text.join('')))!;
        const character = /differs from character (\d+) on/.exec(says)?.[1];
        const block = /differs in characters (\d+) to (\d+), the first/.exec(says);
        if (character !== undefined) assert.is(Number(character), at);
        else assert.ok(Number(block![1]) <= at && at < Number(block![2]), says);
      },
    ),
    { numRuns: 60 },
  );
});

test('one that goes on where the other ends differs from there on', () => {
  const says = firstDifference(payloadOf('{"a":1}'), payloadOf('{"a":1}more'))!;
  assert.match(says, /from character 7 on/);
});

const events = (texts: readonly string[], more = ''): string =>
  [...texts.map((text) => `{"choices":[{"index":0,"text":${JSON.stringify(text)}}]}`), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('') + more;
const stream = 'text/event-stream';

test('of streams what was said counts, and by whom', () => {
  const old = payloadOf(events(['in ', 'the']), stream);
  const other = payloadOf(events(['in', ' the']), stream);
  assert.is(firstDifference(old, other), null);
  assert.ok(isDividedOtherwise(old, other));
  assert.not.ok(isDividedOtherwise(old, old));
  const changed = payloadOf(events(['in ', 'a']), stream);
  assert.match(firstDifference(old, changed)!, /text of choice 0 differs from character 3 on/);
  const second = 'data: {"choices":[{"index":1,"text":"x"}]}\n\n';
  const more = payloadOf(events(['in ', 'the'], second), stream);
  assert.match(firstDifference(old, more)!, /text of choice 1 is new: "x"/);
  assert.match(firstDifference(more, old)!, /text of choice 1 is missing, recorded was "x"/);
});

test('a status is told before everything else, with what came', () => {
  const says = firstDifference(payloadOf('{}'), payloadOf('{"error":"no"}', undefined, 404))!;
  assert.is(says, 'status 200 was recorded, 404 came; now it says "{\\"error\\":\\"no\\"}"');
});

test('the time of day of a replay goes on from when its recording began', () => {
  const recording = { wallTimeMs: 1_000_000, settings: {} } as Recording;
  let nowMs = 500;
  const system = systemPorts('test');
  const clock = { now: () => nowMs, wallTime: () => 7 };
  const given = { ports: { ...system, clock }, metrics: new Metrics(), sessionDir: null };
  const { ports } = startOptionsOf(recording, given);
  nowMs += 250;
  assert.is(ports.clock.wallTime(), 1_000_250);
  assert.is(ports.clock.now(), 750);
});

test.run();
