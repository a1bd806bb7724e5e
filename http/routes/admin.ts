/**
 * `/admin`: register, watch and remove deployments, and see the live actors. Access is checked
 * before (middleware/admin-access.ts). A package that does not parse, link, type or prepare is 422
 * with every diagnostic in `details`; a body of the wrong shape is 400 like anywhere else.
 */
import { z } from '@hono/zod-openapi';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import { answerJson } from '../answer.js';
import type { LoomApp, LoomContext } from '../context.js';
import { HttpFault } from '../errors.js';
import { draining } from '../finite-call.js';
import { readJson } from '../json-body.js';
import { adminAccess } from '../middleware/admin-access.js';
import { checkBody } from '../schemas/check.js';
import { modelStateAnswer, readRegisterBody, registerRequest } from '../schemas/models.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

const idParams = z.object({ id: z.string() });
const adminErrors = [401, 403] as const;

export function adminRoutes(app: LoomApp, services: Services): void {
  const { serving } = services;
  app.use('/admin/*', adminAccess(services.admin));
  describeAdmin(app);
  describeBanks(app);
  app.post('/admin/models', (c) => register(c, services));
  app.get('/admin/models', async (c) => {
    c.get('scope').route = '/admin/models';
    return answerJson(c, { object: 'list', data: await serving.modelStates() });
  });
  app.get('/admin/models/:id', async (c) => {
    c.get('scope').route = '/admin/models/{id}';
    return answerJson(c, await serving.modelState(c.req.param('id')));
  });
  app.delete('/admin/models/:id', async (c) => {
    c.get('scope').route = '/admin/models/{id}';
    return answerJson(c, await serving.unregister(c.req.param('id')));
  });
  app.post('/admin/models/:id/warm-up', async (c) => {
    c.get('scope').route = '/admin/models/{id}/warm-up';
    return answerJson(c, await serving.warmUp(c.req.param('id')));
  });
  app.post('/admin/models/:id/deactivate', async (c) => {
    c.get('scope').route = '/admin/models/{id}/deactivate';
    return answerJson(c, await serving.deactivate(c.req.param('id')));
  });
  app.get('/admin/actors', async (c) => {
    c.get('scope').route = '/admin/actors';
    return answerJson(c, await serving.describe());
  });
}

async function register(c: LoomContext, services: Services): Promise<Response> {
  c.get('scope').route = '/admin/models';
  if (services.isDraining()) throw draining();
  const wait = readFlag('wait', c.req.query('wait'));
  const value = await readJson(c.req.raw, {
    ...services.limits,
    lists: null,
    exchange: c.get('scope').exchange,
  });
  const body = readRegisterBody(checkBody(registerRequest, value));
  const state = await services.serving.register(body, { wait }).catch((error: unknown) => {
    throw asUnprocessable(error);
  });
  c.get('scope').notes = { model: state.id, generation: state.generation };
  const answer = answerJson(c, state, wait ? 200 : 202);
  answer.headers.set('location', `/admin/models/${encodeURIComponent(state.id)}`);
  return answer;
}

/** `?wait`, `?wait=1` and `?wait=true` are on. */
function readFlag(name: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (['', '1', 'true'].includes(text)) return true;
  if (['0', 'false'].includes(text)) return false;
  throw new StatusError('invalidArgument', `${name}: must be true or false, not "${text}"`, {
    param: name,
  });
}

/** What a package is at fault for when it does not come up; fuel and memory of `prepare` too. */
const packageFaults: readonly string[] = [
  'invalidArgument',
  'outOfRange',
  'failedPrecondition',
  'resourceExhausted',
  'internal',
];

/**
 * The request was well formed; what it points at is not. An error that a later try may not meet
 * (the id is being removed) stays what it is.
 */
function asUnprocessable(error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const { code, message, ...options } = toStatus(error);
  if (!packageFaults.includes(code) || options.retryAfterS !== undefined) return error;
  return new HttpFault(422, 'invalid_package', message, options);
}

function describeAdmin(app: LoomApp): void {
  const state = { text: 'The deployment.', schema: modelStateAnswer };
  const shared = { tag: 'admin', errors: [...adminErrors] };
  describe(app, {
    ...shared,
    method: 'post',
    path: '/admin/models',
    summary: 'Registers a package, or a new generation of a deployment.',
    body: registerRequest,
    query: z.object({ wait: z.string().optional() }),
    answers: {
      200: { ...state, text: 'With ?wait: the generation serves.' },
      202: { ...state, text: 'Accepted; watch GET /admin/models/{id}.' },
    },
    errors: [400, ...adminErrors, 409, 413, 415, 422, 503],
  });
  const list = z.object({ object: z.literal('list'), data: z.array(modelStateAnswer) });
  describe(app, {
    ...shared,
    method: 'get',
    path: '/admin/models',
    summary: 'Lists every deployment with its state.',
    answers: { 200: { text: 'The deployments.', schema: list } },
  });
  describe(app, {
    ...shared,
    method: 'get',
    path: '/admin/models/{id}',
    summary: 'Shows state, stages, units, memory and generation of a deployment.',
    params: idParams,
    answers: { 200: state },
    errors: [400, ...adminErrors, 404],
  });
  describe(app, {
    ...shared,
    method: 'delete',
    path: '/admin/models/{id}',
    summary: 'Removes a deployment; accepted work finishes first.',
    params: idParams,
    answers: { 200: state },
    errors: [400, ...adminErrors, 404],
  });
  describe(app, {
    ...shared,
    method: 'get',
    path: '/admin/actors',
    summary: 'Shows the live actors as a tree.',
    answers: { 200: { text: 'The root of the tree.' } },
  });
}

function describeBanks(app: LoomApp): void {
  const state = { text: 'The deployment.', schema: modelStateAnswer };
  const shared = { tag: 'admin', errors: [...adminErrors] };
  describe(app, {
    ...shared,
    method: 'post',
    path: '/admin/models/{id}/warm-up',
    summary: 'Makes the parameters of a deployment resident; answers when they are.',
    params: idParams,
    answers: { 200: state },
    errors: [400, ...adminErrors, 404, 503],
  });
  describe(app, {
    ...shared,
    method: 'post',
    path: '/admin/models/{id}/deactivate',
    summary: 'Asks the parameters of a deployment to leave, each bank with its last use.',
    params: idParams,
    answers: { 200: state },
    errors: [400, ...adminErrors, 404],
  });
}
