/** A hono route that answers one embeddings JSON from a constant: the floor of the ratios. */
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';

const answer = JSON.parse(process.argv[2] ?? '{}') as object;
const app = new Hono();
app.post('/v1/embeddings', async (c) => {
  // Reading the body is part of what any route must do.
  await c.req.text();
  return c.json(answer);
});

const server = createAdaptorServer({ fetch: app.fetch });
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGINT', () => process.exit(0));
