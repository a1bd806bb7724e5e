/** Harm for a running server that only tests can do, and what its health says of it. */
import * as assert from 'uvu/assert';
import type { TestServer } from '../running-server.js';

/** What the issue allows between a wedge and a red answer. */
const RED_WITHIN_MS = 5_000;

/** Between two looks. */
const LOOK_MS = 100;

/** At most: a test that fails lets go of its threads, too. */
const BLOCKED_MS = 30_000;

/**
 * Blocks a thread as an endless loop would, until the returned function is called. It is blocked
 * when this resolves: what others send it later, by whatever way, comes too late.
 */
export async function blockThread(
  { system, now }: TestServer,
  thread: string,
): Promise<() => void> {
  const word = new Int32Array(new SharedArrayBuffer(8));
  const name = `blocks-${thread}-${now()}`;
  system.spawn(
    name,
    (self) => {
      self.spawnOn(thread, name, 'blocker', { word, ms: BLOCKED_MS });
      return { receive() {} };
    },
    null,
  );
  while (Atomics.load(word, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return () => {
    Atomics.store(word, 0, 1);
    Atomics.notify(word, 0);
  };
}

/** The address of an actor by the kind of its machine. */
export async function addressOf({ observing }: TestServer, kind: string): Promise<string> {
  const { actors } = await observing.tree();
  const found = actors.find((actor) => actor.kind === kind);
  assert.ok(found, `an actor of kind ${kind}`);
  return found.address;
}

/** What is known before anybody is blamed, on a machine that is too busy to tell who. */
const unanswered = /^model \S+ does not answer its first case/;

/** The reasons of the first answer that blames somebody, which must come in time. */
export async function redReasons(server: TestServer): Promise<string> {
  const fromMs = server.now();
  // Time in which this thread, the server's own, did not run is nobody's: the server forgives it.
  let lateMs = 0;
  for (;;) {
    const { ready, reasons } = await server.serving.readiness();
    const tookMs = server.now() - fromMs - lateMs;
    const so = ready ? 'still green' : reasons.join('; ');
    assert.ok(tookMs <= RED_WITHIN_MS, `red within ${RED_WITHIN_MS} ms, not ${tookMs}: ${so}`);
    if (!ready && !reasons.every((reason) => unanswered.test(reason))) return reasons.join('\n');
    const restsMs = server.now();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    lateMs += Math.max(0, server.now() - restsMs - 2 * LOOK_MS);
  }
}

/** Resolves when it is green again. */
export async function green(server: TestServer): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await server.serving.readiness()).ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.unreachable('the server should have become ready again');
}

/** A request that waits for what is wedged; its end does not matter. */
export function waitingRequest(server: TestServer, signal?: AbortSignal): Promise<unknown> {
  return server.embed('first-output', ['abc'], { signal }).catch((error: unknown) => error);
}
