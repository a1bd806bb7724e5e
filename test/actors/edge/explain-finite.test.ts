/**
 * Why finite requests wait, in situations that are real: on threads, before cohorts, for stages.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeTuned } from '../model/tuned-package.js';
import { runServer, twoPreparationThreads } from '../running-server.js';
import { faultyTexts, good, writePackage } from '../serving/faulty-package.js';
import { holdWorks, reasonsOf, send, waitsFor } from './explained.js';
import { blockThread } from './wedged.js';

const server = await runServer([], { threads: 1, ...twoPreparationThreads });
const faulty = writePackage(faultyTexts, { id: 'faulty' });
const tuned = writeTuned();
for (const { folder } of [faulty, tuned]) await server.serve(folder);

// Also where a test has failed: the next finds nothing held.
test.after.each(() => holdWorks(server, null));

test.after(async () => {
  await server.serving.drain(2_000);
  await server.close();
  for (const { remove } of [faulty, tuned]) remove();
});

test('preparing, on a thread that is busy; the way to a thread that does not answer', async () => {
  const releasePreparation = await blockThread(server, 'preparation-0');
  // More inputs than are prepared where the generation lives.
  const texts = Array.from({ length: 6 }, (_, index) => good(index));
  const prepared = send(server, 'to-prepare', { model: 'faulty', texts });
  const { wait, explanation } = await waitsFor(server, 'to-prepare', 'preparing');
  assert.is(wait.details['thread'], 'preparation-0');
  assert.match(wait.unblockedBy, /prepare_request on thread preparation-0/);
  assert.equal(reasonsOf(explanation), ['preparing', 'thread']);
  const releaseModel = await blockThread(server, 'model-0');
  const moving = send(server, 'on-its-way', { model: 'faulty', texts: [good(1)] });
  const found = await waitsFor(server, 'on-its-way', 'thread');
  assert.is(found.explanation.address, null);
  assert.is(found.wait.details['thread'], 'model-0');
  releaseModel();
  releasePreparation();
  assert.not.instance(await prepared, Error);
  assert.not.instance(await moving, Error);
});

test('the next cohort, units that do not fit, another tag', async () => {
  const one = (id: string, ...texts: string[]) => send(server, id, { model: 'tuned', texts });
  // Its bank is there before anything is held.
  await one('warm', '01');
  await holdWorks(server, '');
  const ends = [one('first', '01')];
  const { wait: work } = await waitsFor(server, 'first', 'work');
  assert.match(work.text, /the upload of .*cohorts\/2 was accepted and has not started/);
  ends.push(one('second', '02'));
  await waitsFor(server, 'second', 'work');
  // Two cohorts are in flight; four units fit the third.
  ends.push(one('third', '01', '02', '03'));
  const { wait: slot, explanation } = await waitsFor(server, 'third', 'cohort');
  assert.equal(slot.details['cohorts'], [2, 3].map(cohortOf));
  assert.equal(reasonsOf(explanation), ['cohort', 'work'], 'with what holds the first cohort up');
  ends.push(one('too-many', '01', '02'), one('other', 'a1'));
  const { wait: units } = await waitsFor(server, 'too-many', 'units');
  assert.match(units.text, /older inputs take 4 of the 4/);
  const { wait: tag } = await waitsFor(server, 'other', 'tag');
  assert.match(tag.text, /its tag 97 is not that of the next cohort \(48\)/);
  const listed = await server.observing.requests();
  assert.equal(listed.map(({ id }) => id).sort(), [
    'first',
    'other',
    'second',
    'third',
    'too-many',
  ]);
  await holdWorks(server, null);
  for (const end of await Promise.all(ends)) assert.not.instance(end, Error);
  assert.equal(await server.observing.requests(), [], 'nothing is listed that is not open');
});

const cohortOf = (at: number): string => `model-0:/models/tuned@1/cohorts/${at}`;

test('a specialization that is on its way', async () => {
  // Models take turns on them.
  const threads = ['preparation-0', 'preparation-1'];
  const release = await Promise.all(threads.map((thread) => blockThread(server, thread)));
  const end = send(server, 'choosing', { model: 'tuned', texts: ['b1'] });
  const { wait, explanation } = await waitsFor(server, 'choosing', 'specialization');
  assert.match(wait.text, /specialization tuned.forward, which has its banks and files planned/);
  assert.is(reasonsOf(explanation).at(-1), 'thread', 'that of its preparer is blocked');
  for (const letGo of release) letGo();
  assert.not.instance(await end, Error);
});

test('one that runs alone, because a call that it shared has failed', async () => {
  await holdWorks(server, '');
  // They share a cohort, and the first spoils its call; good ones run alone, two at a time.
  const release = await blockThread(server, 'model-0');
  const ends = ['d0', good(1), good(2), good(3)].map((text, index) =>
    send(server, `member-${index}`, { model: 'faulty', texts: [text] }),
  );
  await waitsFor(server, 'member-3', 'thread');
  release();
  const { wait } = await waitsFor(server, 'member-3', 'alone');
  assert.match(wait.text, /it has to run alone, because a call that it shared has failed/);
  await holdWorks(server, null);
  const [culprit, ...others] = await Promise.all(ends);
  assert.instance(culprit, Error);
  for (const other of others) assert.not.instance(other, Error);
});

test('an id that nobody has is not found', async () => {
  try {
    await server.observing.explain('nobody');
    assert.unreachable();
  } catch (error) {
    assert.is((error as { code: string }).code, 'notFound');
  }
});

test.run();
