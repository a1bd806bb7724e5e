/**
 * `GET /v1/models` and `GET /v1/models/ID`: deployments that accept requests, as OpenAI lists them.
 */
import { z } from '@hono/zod-openapi';
import { answerJson } from '../answer.js';
import type { LoomApp } from '../context.js';
import { modelAnswer, modelsAnswer } from '../schemas/models.js';
import type { ModelSummary } from '../serving.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

export function modelRoutes(app: LoomApp, services: Services): void {
  const { serving } = services;
  describe(app, {
    method: 'get',
    path: '/v1/models',
    tag: 'inference',
    summary: 'Lists the deployments that accept requests.',
    answers: { 200: { text: 'The deployments.', schema: modelsAnswer } },
  });
  app.get('/v1/models', async (c) => {
    c.get('scope').route = '/v1/models';
    const models = await serving.models();
    return answerJson(c, { object: 'list', data: models.map(answerOf) });
  });
  describe(app, {
    method: 'get',
    path: '/v1/models/{id}',
    tag: 'inference',
    summary: 'Shows one deployment.',
    params: z.object({ id: z.string() }),
    answers: { 200: { text: 'The deployment.', schema: modelAnswer } },
    errors: [404],
  });
  app.get('/v1/models/:id', async (c) => {
    c.get('scope').route = '/v1/models/{id}';
    return answerJson(c, answerOf(await serving.model(c.req.param('id'))));
  });
}

function answerOf(model: ModelSummary): z.infer<typeof modelAnswer> {
  const { id, profile, generation, createdS } = model;
  return {
    id,
    object: 'model',
    created: Math.floor(createdS),
    owned_by: 'loom-serve',
    profile,
    generation,
  };
}
