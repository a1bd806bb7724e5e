/**
 * `/openapi.json`, and `/docs`, a page that shows it. The page is one file without a reference to
 * any other host, so it works where the server does.
 */
import { answerJsonText, answerText } from '../answer.js';
import type { LoomApp } from '../context.js';
import { docsPage } from '../docs-page.js';
import type { Services } from '../services.js';

export function openapiRoutes(app: LoomApp, services: Services): void {
  let text: string | null = null;
  app.get('/openapi.json', (c) => {
    c.get('scope').route = '/openapi.json';
    // Made on first demand: it costs more than a start should pay.
    text ??= JSON.stringify(openapiDocument(app, services.version));
    return answerJsonText(c, text);
  });
  for (const path of ['/', '/docs']) {
    app.get(path, (c) => {
      c.get('scope').route = path;
      return answerText(c, 200, 'text/html; charset=utf-8', docsPage);
    });
  }
}

function openapiDocument(app: LoomApp, version: string): unknown {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'loom-serve',
      version,
      description: 'A model server whose models are packages of small programs.',
    },
    tags: [
      {
        name: 'inference',
        description: 'As OpenAI has it where it does, so that its clients work unchanged.',
      },
      { name: 'sessions', description: 'Tokens that stay between turns.' },
      { name: 'admin', description: 'Needs the admin token unless the server is on loopback.' },
      { name: 'operation', description: 'For probes and dashboards.' },
    ],
  });
}
