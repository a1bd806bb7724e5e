/**
 * What runs scenarios, over a ground of its own without a server: acts wait for their moments, a
 * false expectation and an act that never ends fail with a report that says so, and what is wrong
 * with a scenario is found before it begins. Then every scenario by its form.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemPorts } from '../../runtime/base/ports.js';
import { allScenarios } from '../../scenarios/all-scenarios.js';
import { checkActs } from '../../scenarios/check-acts.js';
import { EventReader } from '../../scenarios/event-reader.js';
import {
  all,
  answering,
  ask,
  at,
  ended,
  holdDevice,
  inTurn,
  look,
  reached,
  said,
} from '../../scenarios/acts.js';
import { answers, holds, leaves, refuses, rows, same } from '../../scenarios/expectations.js';
import type { Answer, Ground } from '../../scenarios/ground.js';
import { reportLines } from '../../scenarios/report.js';
import { isBroken, runScenario } from '../../scenarios/run-scenario.js';
import type { Act, Call, Expectation, Scenario } from '../../scenarios/scenario.js';

const { clock } = systemPorts('test');
/** Those of the ports do not keep the process alive. */
const timers = {
  start: (ms: number, act: () => void) => Number(setTimeout(act, ms)),
  cancel: (id: number) => clearTimeout(id),
};
const encoder = new TextEncoder();

/** What the ground answers, by path: chunks of a body, each after some milliseconds. */
interface Scripted {
  readonly status?: number;
  readonly chunks: readonly string[];
  readonly everyMs?: number;
}

const atRest: Readonly<Record<string, Scripted>> = {
  '/admin/models': { chunks: ['{"data":[]}'] },
  '/metrics': { chunks: ['loom_stream_held_bytes 0\n'] },
  '/readyz': { chunks: ['{"ready":true}'] },
};

const pause = (ms: number): Promise<void> => new Promise((done) => void timers.start(ms, done));

/** Whatever promises can do without time has been done. */
const soon = (): Promise<void> => pause(20);

async function* bodyOf({ chunks, everyMs = 0 }: Scripted, signal: AbortSignal) {
  for (const chunk of chunks) {
    await pause(everyMs);
    if (signal.aborted) throw new Error('aborted');
    yield encoder.encode(chunk);
  }
}

function groundOf(answersOf: Readonly<Record<string, Scripted>>, sent: string[] = []): Ground {
  return {
    clock,
    timers,
    harm: null,
    hold: null,
    transitions: null,
    async fetch({ method, path }: Call, signal: AbortSignal): Promise<Answer> {
      sent.push(`${method} ${path}`);
      const scripted = { ...atRest, ...answersOf }[path];
      if (scripted === undefined) return new Promise(() => undefined);
      return { status: scripted.status ?? 200, headers: {}, body: bodyOf(scripted, signal) };
    },
  };
}

const scenarioOf = (acts: readonly Act[], expects: readonly Expectation[] = []): Scenario => ({
  name: 'tried',
  about: 'A scenario of this test.',
  packages: [],
  acts,
  expects,
});

const embedding = (value: number): string => JSON.stringify({ data: [{ embedding: [value] }] });

test('acts wait for moments; ids of answers stand in paths', async () => {
  const sent: string[] = [];
  const ground = groundOf(
    {
      '/a': { chunks: ['{"object":"session","id":"s@1"}'], everyMs: 20 },
      '/of/s%401/x': { chunks: [embedding(1)] },
      '/v1/sessions/s%401': { chunks: ['{}'] },
      '/late': { chunks: [embedding(1)] },
    },
    sent,
  );
  const acts = [
    look('late', '/late', { when: all(ended('named'), at(5)) }),
    ask('named', '/of/{a}/x', {}),
    ask('a', '/a', {}),
  ];
  const report = await runScenario(scenarioOf(acts, [same('named', 'late')]), ground, new Map());
  assert.equal(sent.slice(0, 4), [
    'POST /a',
    'POST /of/s%401/x',
    'GET /late',
    // What it opened it closes.
    'DELETE /v1/sessions/s%401',
  ]);
  assert.not.ok(isBroken(report), reportLines(report, false).join('\n'));
});

test('a false expectation fails, and the report says what was instead', async () => {
  const ground = groundOf({
    '/one': { chunks: [embedding(1)] },
    '/two': { chunks: [embedding(2)] },
    '/no': { status: 400, chunks: ['{"error":{"message":"not so","code":"x"}}'] },
  });
  const acts = [look('one', '/one'), look('two', '/two'), look('no', '/no')];
  const wrong = [
    same('one', 'two'),
    rows('one', [[3]]),
    answers('one', 'no'),
    refuses('no', 429),
    refuses('no', 400, /another reason/),
    leaves('one'),
    holds('nothing is as it is', () => 'it is as it is'),
  ];
  const right = [rows('two', [[2]]), refuses('no', 400, /not so/), answers('one', 'two')];
  const scenario = scenarioOf(acts, [...wrong, ...right]);
  const report = await runScenario(scenario, ground, new Map());
  const lines = reportLines(report, true).join('\n');
  const faults = report.verdicts.filter(({ fault }) => fault !== null);
  assert.is(faults.length, wrong.length, lines);
  assert.match(lines, /^FAILED {2}tried/);
  assert.match(lines, /FAILED: two: the same as one\n +\[\[2\]\] instead of \[\[1\]\]/);
  assert.match(lines, /FAILED: one, no: answered\n +no: 400: not so/);
  assert.match(lines, /FAILED: nothing is as it is\n +it is as it is/);
  assert.match(lines, /holds: two: its rows/);
});

test('a client leaves at a moment of its own stream, and has what it read', async () => {
  const chunks = Array.from({ length: 40 }, (_, i) => `data: {"choices":[],"n":${i}}\n\n`);
  const ground = groundOf({ '/stream': { chunks, everyMs: 2 } });
  const acts = [look('stream', '/stream', { leaves: said('stream', 3) })];
  const report = await runScenario(scenarioOf(acts, [leaves('stream')]), ground, new Map());
  assert.not.ok(isBroken(report), reportLines(report, false).join('\n'));
  assert.is(report.outcomes.of('stream').events.length, 3);
});

test('what came with the event that a client leaves at is not taken, the end neither', async () => {
  const chunks = [0, 1, 2, 3].map((n) => `data: {"choices":[],"n":${n}}\n\n`).join('');
  const ground = groundOf({
    '/stream': { chunks: [`${chunks}data: [DONE]\n\n`] },
    '/whole': { chunks: ['all at once'] },
  });
  const acts = [
    look('stream', '/stream', { leaves: said('stream', 3) }),
    look('whole', '/whole', { leaves: answering('whole') }),
  ];
  const scenario = scenarioOf(acts, [leaves('stream', 'whole')]);
  const report = await runScenario(scenario, ground, new Map());
  assert.not.ok(isBroken(report), reportLines(report, false).join('\n'));
  assert.is(report.outcomes.of('stream').events.length, 3);
  assert.is(report.outcomes.of('whole').text, '');
});

test('what is awaited is asked for again, until the answer says so', async () => {
  const sent: string[] = [];
  const ground = groundOf({ '/state': { chunks: [] } }, sent);
  const bodies = ['{"is":"green"}', '{"is":"red"}', '{"is":"red","who":"it"}'];
  const asked: Ground = {
    ...ground,
    async fetch(call, signal) {
      const answer = await ground.fetch(call, signal);
      if (call.path !== '/state') return answer;
      const [body] = bodies.splice(0, 1);
      return { ...answer, body: bodyOf({ chunks: [body!] }, signal) };
    },
  };
  const acts = [look('red', '/state', { awaits: /^200 .*red.*who/ })];
  const report = await runScenario(scenarioOf(acts, [answers('red')]), asked, new Map());
  assert.not.ok(isBroken(report), reportLines(report, false).join('\n'));
  assert.is(report.outcomes.of('red').text, '{"is":"red","who":"it"}');
  assert.is(sent.filter((one) => one === 'GET /state').length, 3);
});

test('what is held is held until its moment, or until it is given up', async () => {
  const happened: string[] = [];
  const fire: (() => void)[] = [];
  const ground = groundOf({ '/one': { chunks: [embedding(1)] } }, happened);
  const held: Ground = {
    ...ground,
    async hold({ kind }) {
      happened.push(kind);
      return () => void happened.push(`${kind} ends`);
    },
  };
  const acts = [
    holdDevice('device', ended('one')),
    look('one', '/one', { when: answering('device') }),
  ];
  assert.not.ok(isBroken(await runScenario(scenarioOf(acts), held, new Map())));
  assert.equal(happened.slice(0, 3), ['hold-device', 'GET /one', 'hold-device ends']);
  happened.length = 0;
  const never = scenarioOf([...acts, look('two', '/nowhere', { when: ended('device') })]);
  const hangs = scenarioOf([holdDevice('device', ended('no')), look('no', '/nowhere')]);
  const timers = { start: (_ms: number, act: () => void) => fire.push(act), cancel: () => {} };
  for (const scenario of [never, hangs]) {
    const running = runScenario(scenario, { ...held, timers }, new Map());
    await soon();
    for (const act of fire.splice(0)) act();
    assert.ok(isBroken(await running));
  }
  const ends = happened.filter((one) => one === 'hold-device ends').length;
  assert.is(ends, 2, 'each once');
  const { skipped } = await runScenario(hangs, ground, new Map());
  assert.match(skipped!, /it holds up the server/);
});

test('a stream that goes on after its end, or ends with nothing, breaks the law', async () => {
  const choice = (finish: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, text: 'a', finish_reason: finish }] })}\n\n`;
  const bodies: readonly [string[], RegExp | null][] = [
    [[choice(null), choice('stop'), 'data: [DONE]\n\n'], null],
    [[choice('stop'), choice(null), 'data: [DONE]\n\n'], /goes on after its end/],
    [[choice(null), 'data: [DONE]\n\n'], /has no finish_reason/],
    [[choice(null)], /neither \[DONE\] nor an error/],
    [['data: [DONE]\n\n', choice('stop')], /\[DONE\] is not last/],
    [[choice(null), 'data: {"error":{"message":"m"}}\n\n', choice(null)], /follows an error/],
  ];
  for (const [chunks, fault] of bodies) {
    const ground = groundOf({ '/stream': { chunks } });
    const report = await runScenario(scenarioOf([look('s', '/stream')]), ground, new Map());
    const lines = reportLines(report, false).join('\n');
    if (fault === null) assert.not.ok(isBroken(report), lines);
    else assert.match(lines, fault);
  }
});

test('an act that never ends fails the scenario, by its name and what it waits for', async () => {
  const fire: (() => void)[] = [];
  const ground: Ground = {
    ...groundOf({ '/one': { chunks: [embedding(1)] } }),
    timers: { start: (_ms, act) => fire.push(act), cancel: () => undefined },
  };
  const acts = [look('one', '/nowhere'), look('two', '/one', { when: ended('one') })];
  const running = runScenario(scenarioOf(acts), ground, new Map());
  await soon();
  for (const act of fire.splice(0)) act();
  const report = await running;
  assert.match(
    reportLines(report, false).join('\n'),
    /FAILED: every act has ended\n +never ended: one waits for an answer; two waits for the end of one/,
  );
});

test('what is wrong with acts is found before they begin', () => {
  const wrong: readonly [Act[], RegExp][] = [
    [[look('a', '/x'), look('a', '/y')], /two acts have the same name/],
    [[look('a', '/x', { when: ended('b') })], /a speaks of b/],
    [[look('a', '/x/{b}')], /a speaks of b/],
    [
      [look('a', '/x', { leaves: all(at(1), reached('cohrt', 'x')) })],
      /no machine is called cohrt/,
    ],
  ];
  for (const [acts, message] of wrong) assert.throws(() => checkActs(acts), message);
});

test('acts in turn keep moments of their own', () => {
  const [, second] = inTurn([look('a', '/x'), look('b', '/x', { when: at(3) })]);
  assert.equal(second!.when, all(at(3), ended('a')));
});

test('events come whole, however they are cut', () => {
  const bytes = encoder.encode(': ping\n\ndata: žluť\n\ndata: [DONE]\n\n');
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new EventReader();
    const events: string[] = [];
    for (let from = 0; from < bytes.length; from += size) {
      events.push(...reader.take(bytes.subarray(from, from + size)));
    }
    assert.equal(events, ['žluť', '[DONE]']);
  }
});

test('every scenario has a name of its own, says what it is about and expects something', () => {
  const names = allScenarios.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  for (const { name, about, acts, expects } of allScenarios) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    assert.match(about, /^[A-Z].*\.$/, name);
    assert.ok(expects.length > 0, name);
    checkActs(acts);
  }
});

test.run();
