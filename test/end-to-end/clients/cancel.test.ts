/** Clients that leave, in every state of a request, and those that stay. time limit: 120 s */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WrittenPackage } from '../../actors/serving/faulty-package.js';
import { Connection, embedText } from './connection.js';
import { History } from './history.js';
import { observedServer, until, type ObservedServer } from './observed-server.js';
import { lasting, slowPackage, slowText, type Phase } from './slow-package.js';

let written: WrittenPackage;
let server: ObservedServer;
const history = new History();

test.before(async () => {
  written = slowPackage();
  server = await observedServer([written.folder, '--log-level', 'debug']);
});

test.after(async () => {
  await server.stop('SIGINT');
  written.remove();
});

/** Sends a request on a connection of its own. */
async function begin(input: unknown): Promise<{ connection: Connection; leave: () => void }> {
  const connection = await Connection.open(server.url);
  const { id } = history.send();
  connection.send(embedText('slow', input, { 'x-request-id': id }));
  return { connection, leave: () => connection.leave() };
}

/** A client that stays and must get the right row. */
async function stay(phase: Phase, value: number): Promise<void> {
  const connection = await Connection.open(server.url);
  const sent = history.send();
  connection.send(embedText('slow', slowText(phase, value), { 'x-request-id': sent.id }));
  const [answer] = await connection.receive(1);
  sent.status = answer!.status;
  assert.is(answer!.status, 200, answer!.body);
  const { data } = JSON.parse(answer!.body) as { data: { embedding: number[] }[] };
  assert.equal(data[0]!.embedding, [value]);
  connection.leave();
}

const inFlight = async (): Promise<number> => (await server.model('slow')).inFlight;
const cancelled = (): Promise<number> => server.metric('loom_requests_total', '"cancelled"');

/** Lets `leavers` go, and checks that they were cancelled, peers were right and nothing stays. */
async function leaveAll(
  leavers: readonly { leave: () => void }[],
  peers: readonly Promise<void>[],
): Promise<void> {
  const before = await cancelled();
  for (const { leave } of leavers) leave();
  await until(async () => (await cancelled()) >= before + leavers.length);
  await Promise.all(peers);
  await server.becomesQuiet('slow');
  await stay('quick', 7);
  assert.is(await cancelled(), before + leavers.length, 'each is counted once');
}

test('control: every phase answers those who wait', async () => {
  const phases: Phase[] = ['quick', 'prepareRequest', 'prepareBatch', 'kernel'];
  await Promise.all(phases.map((phase, index) => stay(phase, 20 + index)));
  await server.becomesQuiet('slow');
});

test('preparing: its preparation ends, and its rows go nowhere', async () => {
  const leaver = await begin(lasting('prepareRequest'));
  await until(async () => (await inFlight()) === 1);
  const peers = [stay('quick', 30), stay('quick', 31)];
  await leaveAll([leaver], peers);
});

test('preparing, behind many others in line', async () => {
  const first = await begin(lasting('prepareRequest'));
  const rest = await Promise.all(Array.from({ length: 30 }, () => begin(lasting('quick', 20))));
  await until(async () => (await inFlight()) === 31);
  await leaveAll([first, ...rest], [stay('quick', 32)]);
});

test('executing: the device works on, and its storage returns when that has retired', async () => {
  const leaver = await begin(lasting('kernel'));
  await until(async () => (await server.metric('loom_device_bytes')) > 0);
  await leaveAll([leaver], [stay('quick', 33)]);
});

test('waiting for a cohort: those who leave make room, those who stay are served', async () => {
  const busy = [await begin(lasting('kernel')), await begin(lasting('kernel'))];
  await until(async () => (await server.metric('loom_device_bytes')) > 0);
  const leavers = await Promise.all(Array.from({ length: 40 }, () => begin(slowText('quick', 6))));
  const peers = Array.from({ length: 10 }, (_, index) => stay('quick', 40 + index));
  await until(async () => (await server.model('slow')).waiting > 0);
  await leaveAll([...busy, ...leavers], peers);
});

test('in the cohort while it is prepared: the cohort runs, peers in it are right', async () => {
  const leavers = [await begin(lasting('prepareBatch')), await begin(lasting('quick'))];
  const peers = [stay('quick', 50), stay('prepareBatch', 51), stay('quick', 52)];
  await until(async () => (await inFlight()) === leavers.length + peers.length);
  await leaveAll(leavers, peers);
});

test('one request of many inputs in several cohorts', async () => {
  const some = Array.from({ length: 100 }, (_, index) =>
    slowText(index % 40 === 0 ? 'kernel' : 'quick', index),
  );
  const leaver = await begin([...some, ...lasting('quick')]);
  await until(async () => (await server.metric('loom_device_bytes')) > 0);
  await leaveAll([leaver], [stay('quick', 53)]);
});

test('at any moment: 200 leave after a while of their own, 100 stay', async () => {
  const peers = Array.from({ length: 100 }, (_, index) => stay('quick', index + 1));
  const leaves = Array.from({ length: 200 }, async (_, index) => {
    const { connection, leave } = await begin(slowText('quick', 1));
    await new Promise((next) => setTimeout(next, (index * 7) % 23));
    leave();
    await connection.closed;
  });
  await Promise.all([...peers, ...leaves]);
  await server.becomesQuiet('slow');
});

test('each request of this file has ended exactly once', async () => {
  await until(() => history.isComplete(server.output()));
  history.check(server.output());
  const counted = await server.metric('loom_requests_total', '"/v1/embeddings"');
  assert.is(counted, history.length);
  assert.is(await server.metric('loom_dead_letters_total', '"lateReply"'), 0);
});

test.run();
