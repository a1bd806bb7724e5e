/** `GET /metrics`: the table of http/metrics.ts in the text format of Prometheus. */
import type { LoomApp } from '../context.js';
import { answerText } from '../answer.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

export function metricsRoutes(app: LoomApp, services: Services): void {
  const { metrics, serving, open } = services;
  describe(app, {
    method: 'get',
    path: '/metrics',
    tag: 'operation',
    summary: 'Measurements in the text format of Prometheus.',
    answers: { 200: { text: 'One metric a block.' } },
  });
  app.get('/metrics', async (c) => {
    c.get('scope').route = '/metrics';
    metrics.resetGauges();
    await serving.collect(metrics);
    metrics.setProcessBytes();
    metrics.set('loom_open_requests', {}, open.requests);
    metrics.set('loom_open_streams', {}, open.streams);
    metrics.set('loom_stream_held_bytes', {}, open.heldBytes);
    const { type, text } = await metrics.text();
    return answerText(c, 200, type, text);
  });
}
