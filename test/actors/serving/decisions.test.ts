/**
 * Decisions through the whole server, from the JSON of a request to that of its answer: the same
 * bits alone and in any cohort, and a package's bad distribution is its own question's alone.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApp } from '../../../http/app.js';
import { harness } from '../../http/harness.js';
import type { ErrorShape } from '../../http/harness.js';
import { decisionBound, decisionOracle } from '../../oracles/decision.js';
import { readQuestion } from '../../../runtime/profiles/question-body.js';
import { runServer, type TestServer } from '../running-server.js';
import { crookedFaults, crookedTexts } from './crooked-package.js';
import { writePackage } from './faulty-package.js';
import { isQuiet } from './quiet.js';

type Post = (body: object, path?: string) => Promise<{ status: number; json: unknown }>;

let server: TestServer;
let post: Post;
const crooked = writePackage(crookedTexts, { id: 'crooked', profile: 'decisions' });

test.before(async () => {
  server = await runServer(['decision', 'first-output']);
  await server.serve(crooked.folder);
  post = client();
});

test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  crooked.remove();
});

/** The real application over the real server, without a socket. */
function client(): Post {
  const app = createApp({ ...harness().services, serving: server.serving });
  return async (body, path = '/v1/decisions') => {
    const response = await app.request(path, {
      method: 'POST',
      headers: { host: 'localhost:8040', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: await response.json() };
  };
}

interface Decisions {
  readonly data: { answers: { label: string; probability: number }[]; best: { label: string } }[];
}

const errorIn = ({ json }: { json: unknown }): ErrorShape['error'] => (json as ErrorShape).error;

/** JSON numbers tell f32 values apart, so equal lists are equal bits. */
function distributions({ status, json }: { status: number; json: unknown }): number[][] {
  assert.is(status, 200, JSON.stringify(json));
  return (json as Decisions).data.map(({ answers }) => answers.map((one) => one.probability));
}

const labels = ['dog', 'cat', 'a bird', 'none of these', 'kůň'];
const questions = Array.from({ length: 60 }, (_, at) => {
  const asked = {
    text: `question ${at} ${'é'.repeat(at % 7)}`,
    context: 'x'.repeat((at * 37) % 90),
  };
  if (at % 3 === 0) return { kind: 'choice', ...asked, labels: labels.slice(0, 1 + (at % 5)) };
  if (at % 3 === 1) return { kind: 'yes_no', ...asked };
  return { kind: 'score', ...asked, min: -at, max: 1 + (at % 4) };
});

test('distributions have the same bits alone, in cohorts and several to a request', async () => {
  const ask = async (asked: unknown) =>
    distributions(await post({ model: 'decision', questions: asked }));
  const alone: number[][] = [];
  for (const question of questions) alone.push(...(await ask(question)));
  const shared = await Promise.all(questions.map(ask));
  const listed = await ask(questions);
  assert.equal(shared.flat(), alone);
  assert.equal(listed, alone);
  alone.forEach((row, at) => {
    const expected = decisionOracle(readQuestion(questions[at], 'q', ''));
    assert.is(row.length, expected.length);
    row.forEach((value, k) => assert.ok(Math.abs(value - expected[k]!) <= decisionBound));
    assert.ok(Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) <= 1e-6);
  });
  await isQuiet(server);
});

test('questions of different clients share cohorts', async () => {
  const body = (at: number) => ({
    requestId: `r${at}`,
    model: 'decision',
    body: {
      profile: 'decisions' as const,
      questions: [{ kind: 'yes_no' as const, text: `is it ${at}?`, context: '' }],
    },
  });
  const options = () => ({
    signal: new AbortController().signal,
    deadlineMs: server.now() + 30_000,
  });
  const results = await Promise.all(
    Array.from({ length: 64 }, (_, at) => server.serving.infer(body(at), options())),
  );
  assert.ok(results.some(({ cohortSize }) => cohortSize > 1));
});

test('a model of another profile and a question that the package refuses answer 400', async () => {
  const question = { kind: 'yes_no', text: 'is it?' };
  const embeds = await post({ model: 'first-output', questions: question });
  assert.is(embeds.status, 400);
  assert.is(errorIn(embeds).param, 'model');
  assert.match(errorIn(embeds).message, /profile embeddings, which \/v1\/embeddings asks/);
  const decides = await post({ model: 'decision', input: 'abc' }, '/v1/embeddings');
  assert.is(decides.status, 400);
  assert.match(errorIn(decides).message, /profile decisions, which \/v1\/decisions asks/);
  const wide = { kind: 'score', text: 'how far?', min: 0, max: 64 };
  const refused = await post({ model: 'decision', questions: [question, wide] });
  assert.is(refused.status, 400);
  assert.is(errorIn(refused).param, 'questions[1]');
  assert.match(errorIn(refused).message, /questions\[1\]: .*65 answers; at most 64/);
  assert.equal(distributions(await post({ model: 'decision', questions: question })).length, 1);
  assert.is((await post({ model: 'nobody', questions: question })).status, 404);
});

test('a bad distribution fails its own request and says which question', async () => {
  const ask = (...texts: string[]) =>
    post({ model: 'crooked', questions: texts.map((text) => ({ kind: 'yes_no', text })) });
  for (const [text, name, message] of crookedFaults) {
    const peers = Array.from({ length: 4 }, () => ask('good'));
    const culprit = ask('good', text, 'good');
    peers.push(ask('good'), ask('good', 'good'));
    const outcome = await culprit;
    assert.is(outcome.status, 500, name);
    assert.match(errorIn(outcome).message, message, name);
    assert.match(errorIn(outcome).message, /^questions\[1\]: /, name);
    for (const peer of await Promise.all(peers)) {
      for (const row of distributions(peer)) assert.equal(row, [0.5, 0.5], name);
    }
  }
  assert.equal(distributions(await ask('good')), [[0.5, 0.5]]);
  await isQuiet(server);
});

test.run();
