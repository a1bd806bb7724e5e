/** A worker or its parent port as comlink wants it: comlink's own adapter, with a usable type. */
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Endpoint } from 'comlink';
import adapter from 'comlink/dist/umd/node-adapter.js';

export const endpointOf = (port: Worker | MessagePort): Endpoint =>
  (adapter as unknown as (port: unknown) => Endpoint)(port);
