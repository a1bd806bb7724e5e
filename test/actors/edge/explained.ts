/** Situations of a running server in which requests wait, and what is said of them. */
import * as assert from 'uvu/assert';
import type { Explanation, WaitReason, Waiting } from '../../../http/observing.js';
import type { TestServer } from '../running-server.js';
import { addressOf } from './wedged.js';

/**
 * Works whose label begins so do not start any more; '' holds all, null lets all go. The device has
 * heard of it when this resolves: what others send it later comes too late.
 */
export function holdWorks(server: TestServer, label: string | null): Promise<void> {
  return hold(server, [label]);
}

/** What was held starts; what comes after it is held again. */
export function startHeld(server: TestServer, label: string): Promise<void> {
  return hold(server, [null, label]);
}

async function hold(server: TestServer, labels: readonly (string | null)[]): Promise<void> {
  const device = await addressOf(server, 'deviceQueue');
  for (const label of labels) server.system.tell(device, 'work.hold', { label });
  const deadlineMs = server.now() + 30_000;
  await server.system.request(device, 'device.describe', {}, { deadlineMs });
}

/** A request with an id, whose end does not matter. */
export function send(
  server: TestServer,
  requestId: string,
  { model, texts }: { readonly model: string; readonly texts: readonly string[] },
): Promise<unknown> {
  const inputs = texts.map((text) => ({ kind: 'text', text }) as const);
  const body = { profile: 'embeddings', inputs, dimensions: 0 } as const;
  const { signal } = new AbortController();
  const options = { signal, deadlineMs: server.now() + 30_000 };
  return server.serving.infer({ requestId, model, body }, options).catch((error: unknown) => error);
}

/** Its explanation as soon as it waits for this. */
export async function waitsFor(
  server: TestServer,
  requestId: string,
  reason: WaitReason,
): Promise<{ readonly wait: Waiting; readonly explanation: Explanation }> {
  let last: readonly Explanation[] = [];
  for (let tries = 0; tries < 1_000; tries += 1) {
    last = await server.observing.explain(requestId).catch(() => []);
    for (const explanation of last) {
      const wait = explanation.waiting.find((each) => each.reason === reason);
      if (wait === undefined) continue;
      assert.is(explanation.request, requestId);
      assert.ok(wait.unblockedBy.length > 0, 'what would let it go on is said');
      return { wait, explanation };
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`${requestId} should wait for ${reason}: ${JSON.stringify(last)}`);
}

/** Reasons in order: the last is what holds it up. */
export const reasonsOf = ({ waiting }: Explanation): WaitReason[] =>
  waiting.map(({ reason }) => reason);
