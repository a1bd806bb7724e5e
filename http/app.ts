/**
 * Composes the HTTP application from its routes. It owns no state: what a request may reach is in
 * `Services`. Tests call `app.request` on it without a socket; `listen` puts it behind one.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { answerError } from './answer.js';
import type { LoomApp, LoomContext, LoomEnv } from './context.js';
import { DirectCalls } from './direct-calls.js';
import { HttpFault } from './errors.js';
import { requestForm } from './middleware/request-form.js';
import { requestScope } from './middleware/request-scope.js';
import { adminRoutes } from './routes/admin.js';
import { chatRoutes } from './routes/chat.js';
import { completionsRoutes } from './routes/completions.js';
import { consoleRoutes } from './routes/console.js';
import { decisions, decisionsRoutes } from './routes/decisions.js';
import { embeddings, embeddingsRoutes } from './routes/embeddings.js';
import { healthRoutes } from './routes/health.js';
import { metricsRoutes } from './routes/metrics.js';
import { modelRoutes } from './routes/models.js';
import { openapiRoutes } from './routes/openapi.js';
import { requestRoutes } from './routes/requests.js';
import { sequencesRoutes } from './routes/sequences.js';
import { sessionRoutes } from './routes/sessions.js';
import { tokenRoutes } from './routes/tokens.js';
import type { Services } from './services.js';

export function createApp(services: Services): LoomApp {
  const app: LoomApp = new OpenAPIHono<LoomEnv>();
  app.use(requestScope(services));
  app.use(requestForm);
  app.onError((error, c) => answerError(c, error));
  embeddingsRoutes(app, services);
  decisionsRoutes(app, services);
  chatRoutes(app, services);
  completionsRoutes(app, services);
  sequencesRoutes(app, services);
  sessionRoutes(app, services);
  tokenRoutes(app, services);
  requestRoutes(app, services);
  modelRoutes(app, services);
  adminRoutes(app, services);
  consoleRoutes(app, services);
  healthRoutes(app, services);
  metricsRoutes(app, services);
  openapiRoutes(app, services);
  app.notFound((c) => answerError(c, noRoute(app, c)));
  return app;
}

/** The calls that need none of the above, for `listen`. */
export function directCalls(services: Services): DirectCalls {
  return new DirectCalls(services, [embeddings, decisions]);
}

/** 405 where only the method is wrong, 404 with a pointer to the list otherwise. */
function noRoute(app: LoomApp, c: LoomContext): HttpFault {
  const { method, path } = c.req;
  const methods = app.routes
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    .map((route) => route.method);
  if (methods.length > 0) {
    const allow = [...new Set(methods)].sort().join(', ');
    return new HttpFault(405, 'method_not_allowed', `${path} takes ${allow}, not ${method}`, {
      headers: { allow },
    });
  }
  return new HttpFault(404, 'unknown_route', `no route ${method} ${path}; see /openapi.json`);
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(':') || part === given[index])
  );
}
