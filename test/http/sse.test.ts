/** What a stream holds for its reader, and how long. */
import type { HttpBindings } from '@hono/node-server';
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postText } from '../end-to-end/clients/connection.js';
import { postJson, until, withServer } from './listening.js';
import { manualPorts } from './manual-ports.js';
import { checkLaw } from './sse-law.js';

const path = '/v1/chat/completions';
const good = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };
const word = 'x'.repeat(1000);
/** One event with a word in it. */
const eventBytes = 1400;

/** A reader that has asked and does not read. */
function stalled(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause();
      socket.write(postText(path, good, { connection: 'close' }));
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

/** Reads to the end what a chunked answer says. */
async function readOn(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  let at = bytes.indexOf('\r\n\r\n') + 4;
  let text = '';
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    const size = parseInt(bytes.subarray(at, end).toString(), 16);
    if (!(size > 0)) return text;
    text += bytes.subarray(end + 2, end + 2 + size).toString();
    at = end + 2 + size + 2;
  }
}

/** Waits until no more is said, and gives how much was. */
async function rests(spoken: () => number): Promise<number> {
  for (let last = -1; ;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = spoken();
    if (now === last && now > 0) return now;
    last = now;
  }
}

test('a stalled reader stops its generation at the bound, and gets all when it reads', () =>
  withServer(
    async ({ text, services }, { url, port }) => {
      const words = 10_000;
      text.speeches = [{ tokens: Array.from({ length: words }, () => word) }];
      const reader = await stalled(port);
      const said = (): number => [...text.spoken.values()].reduce((sum, bytes) => sum + bytes, 0);
      await until(() => services.open.heldBytes >= 64 * 1024, 'what is held');
      const atRest = await rests(said);
      assert.ok(atRest < words * word.length, 'the generation waits');
      assert.is(text.ended, 0);
      const held = services.open.heldBytes;
      assert.ok(held >= 64 * 1024 && held < 64 * 1024 + eventBytes, `${held} bytes are held`);
      // Somebody else is served meanwhile.
      text.speeches = [{ tokens: ['a'] }];
      const other = await postJson(url + path, good);
      assert.equal(checkLaw(await other.text(), { form: 'chat' }).texts, ['a']);
      const heard = checkLaw(await readOn(reader), { form: 'chat' });
      assert.is(heard.texts[0]!.length, words * word.length);
      assert.is(services.open.heldBytes, 0);
      assert.is(services.open.streams, 0);
    },
    { limits: { streamBufferBytes: 64 * 1024 } },
  ));

test('500 stalled readers hold 500 bounds at most, and nobody else up', () =>
  withServer(
    async ({ app, text, services }, { url, port }) => {
      const readers = 500;
      const bound = 16 * 1024;
      // The kernel would take megabytes from each: here it takes nothing.
      const fetch = app.fetch.bind(app);
      app.fetch = (request, env, context) => {
        (env as HttpBindings).outgoing.socket!.cork();
        return fetch(request, env, context);
      };
      text.speeches = [{ tokens: Array.from({ length: 1_000 }, () => word) }];
      const sockets = await Promise.all(Array.from({ length: readers }, () => stalled(port)));
      await until(() => text.calls.length === readers);
      app.fetch = fetch;
      text.speeches = [{ tokens: ['a'] }];
      const other = await postJson(url + path, good);
      assert.equal(checkLaw(await other.text(), { form: 'chat' }).texts, ['a']);
      const { heldBytes } = services.open;
      assert.ok(heldBytes >= readers * bound, `${heldBytes} bytes are held`);
      assert.ok(heldBytes < readers * (bound + eventBytes), `${heldBytes} bytes are held`);
      assert.is(text.ended, 1);
      for (const socket of sockets) socket.destroy();
      await until(() => text.ended === readers + 1);
      assert.is(services.open.heldBytes, 0);
      assert.is(services.open.streams, 0);
    },
    { limits: { streamBufferBytes: 16 * 1024 } },
  ));

test('n choices that are held up share the bound', () =>
  withServer(
    async ({ text, services }, { url }) => {
      text.speeches = [{ tokens: Array.from({ length: 3_000 }, () => word) }];
      const response = await postJson(url + path, { ...good, n: 4 });
      await rests(() => services.open.heldBytes);
      assert.ok(services.open.heldBytes < 64 * 1024 + 4 * eventBytes);
      const heard = checkLaw(await response.text(), { form: 'chat', choices: 4 });
      assert.ok(heard.texts.every((said) => said.length === 3_000 * word.length));
    },
    { limits: { streamBufferBytes: 64 * 1024 } },
  ));

test('a reader that takes nothing for the time is cut, and its generation told to stop', () =>
  withServer(
    async ({ text, services }, { port }) => {
      text.speeches = [{ tokens: Array.from({ length: 100_000 }, () => word) }];
      await stalled(port);
      await until(() => text.aborted.length === 1, 'the end of the stalled one');
      await until(() => services.open.streams === 0);
    },
    { limits: { streamStallMs: 300, streamBufferBytes: 64 * 1024 } },
  ));

test('where nothing else moves a comment comes every 15 s, before the first token too', async () => {
  const ports = manualPorts();
  await withServer(
    async ({ text }, { url }) => {
      let speak = (): void => undefined;
      const generate = text.generate.bind(text);
      text.generate = async (call, options) => {
        await new Promise<void>((resolve) => (speak = resolve));
        return generate(call, options);
      };
      let isAnswered = false;
      const pending = postJson(url + path, good).then((response) => {
        isAnswered = true;
        return response;
      });
      // The deadline's timer, and the stream's.
      await until(() => ports.pending() === 2);
      ports.advance(14_999);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.is(isAnswered, false);
      ports.advance(1);
      const response = await pending;
      assert.is(response.status, 200);
      const reader = response.body!.getReader();
      assert.is(Buffer.from((await reader.read()).value!).toString(), ': waiting\n\n');
      ports.advance(15_000);
      assert.is(Buffer.from((await reader.read()).value!).toString(), ': waiting\n\n');
      speak();
      let rest = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        rest += Buffer.from(part.value).toString();
      }
      assert.equal(checkLaw(rest, { form: 'chat' }).texts, ['Hello']);
    },
    { ports },
  );
});

test.run();
