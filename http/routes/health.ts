/**
 * `/livez`: the process answers. `/readyz`: every deployment ran its case 0 through the real path,
 * and the server is not shutting down; 503 with the reasons otherwise.
 */
import { z } from '@hono/zod-openapi';
import { answerJson, answerText } from '../answer.js';
import type { LoomApp } from '../context.js';
import type { Services } from '../services.js';
import type { Readiness } from '../serving.js';
import { describe } from './describe.js';

const readyAnswer = z.object({ ready: z.boolean(), reasons: z.array(z.string()) });

async function readinessOf(services: Services): Promise<Readiness> {
  const isNotReady = (why: string): Readiness => ({ ready: false, reasons: [why] });
  if (services.isDraining()) return isNotReady('the server is shutting down');
  const readiness = await services.serving.readiness();
  if (!readiness.ready || !services.isStarting()) return readiness;
  return isNotReady('packages that the server was started with are still being prepared');
}

export function healthRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'get',
    path: '/livez',
    tag: 'operation',
    summary: 'The process answers.',
    answers: { 200: { text: 'ok' } },
  });
  app.get('/livez', (c) => {
    c.get('scope').route = '/livez';
    return answerText(c, 200, 'text/plain; charset=utf-8', 'ok\n');
  });
  describe(app, {
    method: 'get',
    path: '/readyz',
    tag: 'operation',
    summary: 'Every deployment answers its first case through the real path.',
    answers: {
      200: { text: 'Ready.', schema: readyAnswer },
      503: { text: 'Not ready, with reasons.', schema: readyAnswer },
    },
  });
  app.get('/readyz', async (c) => {
    c.get('scope').route = '/readyz';
    const readiness = await readinessOf(services);
    if (readiness.ready) return answerJson(c, readiness);
    const answer = answerJson(c, readiness, 503);
    answer.headers.set('retry-after', '1');
    return answer;
  });
}
