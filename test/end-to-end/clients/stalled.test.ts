/**
 * Law I11: clients that ask and do not read cost host bytes within a bound, no device byte, and
 * nobody else anything. time limit: 120 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { pipelinedMax } from '../../../http/listen.js';
import type { WrittenPackage } from '../../actors/serving/faulty-package.js';
import { Connection, embedText, type RawAnswer } from './connection.js';
import { observedServer, until, type ObservedServer } from './observed-server.js';
import { WIDTH, widePackage, wideRow } from './wide-package.js';

const readers = 500;
/** Readers that pipeline more than the kernel buffers for them, and than a connection may. */
const greedy = 4;
const greedyRequests = 100;
const inputs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const request = embedText('wide', inputs);
/** Longest answer to `request`: up to ten characters a value. */
const answerBytes = inputs.length * WIDTH * 10;

let written: WrittenPackage;
/** Requests that were answered before the readers came. */
let before = 0;
let server: ObservedServer;

test.before(async () => {
  written = widePackage();
  server = await observedServer([written.folder, '--max-queue', '100000']);
});
test.after(async () => {
  await server.stop('SIGINT');
  written.remove();
});

const residentBytes = (): number => {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
};

async function stalled(requests: number): Promise<Connection> {
  const connection = await Connection.open(server.url);
  connection.socket.pause();
  connection.send(request.repeat(requests));
  return connection;
}

const answered = (): Promise<number> => server.metric('loom_requests_total', '"/v1/embeddings"');

/** Waits until the readers have made all the work that they ever will: they stall. */
async function rests(): Promise<void> {
  let last = -1;
  await until(async () => {
    await server.becomesQuiet('wide');
    await new Promise((next) => setTimeout(next, 100));
    const now = await answered();
    const isSame = now === last;
    last = now;
    return isSame && now >= before + readers - greedy;
  });
}

function checkRows({ status, body }: RawAnswer): void {
  assert.is(status, 200, body);
  const { data } = JSON.parse(body) as { data: { embedding: number[] }[] };
  assert.equal(
    data.map((row) => row.embedding),
    inputs.map((text) => wideRow(text.charCodeAt(0))),
  );
}

test('500 stalled readers: no device bytes, bounded host bytes, others unaffected', async () => {
  // The same work, read at once, gives the heap the size that it needs.
  for (let round = 0; round < 50; round += 1) await server.embed('wide', inputs);
  const residentBefore = residentBytes();
  before = await answered();
  const few = await Promise.all(Array.from({ length: greedy }, () => stalled(greedyRequests)));
  const many = await Promise.all(Array.from({ length: readers - greedy }, () => stalled(1)));
  // While they come in, and while they stall, somebody else is served.
  for (let byte = 33; byte < 53; byte += 1) {
    assert.equal(await server.embed('wide', String.fromCharCode(byte)), [wideRow(byte)]);
  }
  await rests();
  assert.is(await server.metric('loom_device_bytes'), 0);

  const held = residentBytes() - residentBefore;
  // An answer may be there twice, as text and as bytes on their way; and what a heap leaves lying.
  const answers = readers - greedy + greedy * pipelinedMax;
  const bound = 2 * answerBytes * answers + 64 * 1024 * 1024;
  const mib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  console.log(
    `    ${readers} stalled readers hold ${mib(held)} of host memory; bound ${mib(bound)}`,
  );
  assert.ok(held < bound, `${held} bytes are held, at most ${bound} may be`);

  // Whoever reads after all gets every answer, complete and in order.
  for (const connection of [many[0]!, many.at(-1)!]) {
    connection.socket.resume();
    checkRows((await connection.receive(1))[0]!);
  }
  const [first] = few;
  first!.socket.resume();
  const all = await first!.receive(greedyRequests);
  const served = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  // What is beyond the limit is refused, or cut when it cannot even be read.
  assert.is(served.length + refused.length, all.length);
  assert.ok(served.length >= pipelinedMax);
  checkRows(served[0]!);
  checkRows(served.at(-1)!);
  for (const { body, headers } of refused) {
    assert.match(body, /at most 64 may be pipelined/);
    assert.ok(Number(headers['retry-after']) >= 1);
  }
  for (const connection of [...few, ...many]) connection.leave();
  await server.becomesQuiet('wide');
});

test.run();
