/** The ground of a server behind a socket: this process's own, or one that runs elsewhere. */
import { systemPorts } from '../runtime/base/ports.js';
import type { Answer, Ground } from './ground.js';
import type { Call } from './scenario.js';

const ports = systemPorts('scenario');

export function httpGround(
  url: string,
  own: Pick<Ground, 'harm' | 'hold' | 'transitions'>,
): Ground {
  const { clock, timers } = ports;
  return { clock, timers, ...own, fetch: (call, signal) => fetchOver(url, call, signal) };
}

async function fetchOver(url: string, call: Call, signal: AbortSignal): Promise<Answer> {
  return answerOf(await fetch(`${url}${call.path}`, { signal, ...requestOf(call) }));
}

/** Method, headers and body of a call. */
export function requestOf({ method, body, id }: Call): RequestInit {
  const headers = {
    'content-type': 'application/json',
    ...(id === undefined ? {} : { 'x-request-id': id }),
  };
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** The body is read only as far as its reader asks. */
export function answerOf({ status, headers, body }: Response): Answer {
  return { status, headers: Object.fromEntries(headers), body: chunksOf(body) };
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Nobody waits for it: of an answer that was left it may never resolve.
    reader.cancel().catch(() => undefined);
  }
}
