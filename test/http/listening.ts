/** The application over fakes behind a real socket, for what only a socket shows. */
import * as assert from 'uvu/assert';
import { directCalls } from '../../http/app.js';
import { listen } from '../../http/listen.js';
import type { Listener, ListenOptions } from '../../http/listen.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { harness } from './harness.js';
import type { Harness, HarnessOptions } from './harness.js';

const ports = systemPorts('test');

export async function withServer(
  work: (made: Harness, listener: Listener) => Promise<void>,
  options: HarnessOptions & Pick<ListenOptions, 'times'> = {},
): Promise<void> {
  const made = harness(options);
  const { times } = options;
  const direct = directCalls(made.services);
  const where = { host: '127.0.0.1', port: 0 };
  const listener = await listen(made.app, { ...where, ports, times, direct });
  try {
    await work(made, listener);
  } finally {
    await listener.close(0);
  }
}

export const postJson = (url: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });

export async function until(
  condition: () => boolean,
  what = 'the awaited condition',
): Promise<void> {
  for (let turn = 0; turn < 4_000 && !condition(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.ok(condition(), `${what} never came`);
}
