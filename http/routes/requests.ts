/** `DELETE /v1/requests/ID`: ends a request that is being answered, by its `x-request-id`. */
import { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';
import { answerJson } from '../answer.js';
import type { LoomApp } from '../context.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

const cancelledAnswer = z
  .object({ id: z.string(), object: z.literal('request.cancelled'), cancelled: z.literal(true) })
  .openapi('RequestCancelled');

export function requestRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'delete',
    path: '/v1/requests/{id}',
    tag: 'inference',
    summary: 'Cancels a running request by the x-request-id that it was sent with.',
    params: z.object({ id: z.string() }),
    answers: { 200: { text: 'It was told to end, and answers 499.', schema: cancelledAnswer } },
    errors: [404],
  });
  app.delete('/v1/requests/:id', (c) => {
    c.get('scope').route = '/v1/requests/{id}';
    const id = c.req.param('id');
    if (services.open.cancel(id) === 0) {
      throw new StatusError('notFound', `no request with the id ${id} is being answered`, {
        param: 'id',
      });
    }
    return answerJson(c, { id, object: 'request.cancelled', cancelled: true });
  });
}
