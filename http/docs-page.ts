/**
 * The page at `/docs`: reads /openapi.json and lists routes, fields and answers, with a form to try
 * a request. Plain HTML, CSS and script in one string; nothing is loaded from elsewhere.
 */

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fdfdfb; }
h1 small { font-weight: normal; color: #666; }
details { border: 1px solid #ddd; border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
code, pre, textarea { font: 14px/1.4 ui-monospace, monospace; }
pre, textarea { background: #f3f3ee; padding: .6rem; border-radius: 6px; width: 100%;
  box-sizing: border-box; white-space: pre-wrap; overflow-wrap: anywhere; border: 0; }
.verb { display: inline-block; min-width: 4.5rem; font-weight: bold; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1c1c1a; }
  pre, textarea { background: #2a2a27; color: #ddd; }
  details { border-color: #444; }
}`;

const script = `
const make = (tag, text, parent) => {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  if (parent) parent.append(node);
  return node;
};
const examples = {
  '/v1/embeddings': { model: 'first-output', input: ['abc', 'hello'] },
  '/v1/decisions': {
    model: 'language-id',
    questions: { kind: 'choice', text: 'bonjour tout le monde', labels: ['fra', 'eng'] },
  },
  '/admin/models': { package: '/path/to/package' },
};
const resolve = (api, schema) =>
  schema && schema.$ref ? api.components.schemas[schema.$ref.split('/').pop()] : schema;
const jsonSchema = (api, part) => resolve(api, part?.content?.['application/json']?.schema);

function showRoute(api, path, verb, route, parent) {
  const box = make('details', '', parent);
  const line = make('summary', '', box);
  make('code', verb.toUpperCase(), line).className = 'verb';
  make('code', path, line);
  make('span', ' \\u2014 ' + route.summary, line);
  const body = jsonSchema(api, route.requestBody);
  if (body) {
    make('h4', 'Body', box);
    make('pre', JSON.stringify(body, null, 2), box);
  }
  make('h4', 'Answers', box);
  for (const [status, answer] of Object.entries(route.responses)) {
    const item = make('details', '', box);
    make('summary', status + ' ' + answer.description, item);
    const schema = jsonSchema(api, answer);
    if (schema) make('pre', JSON.stringify(schema, null, 2), item);
  }
  addForm(path, verb, Boolean(body), box);
}

function addForm(path, verb, hasBody, box) {
  make('h4', 'Try it', box);
  const where = make('textarea', path, box);
  where.rows = 1;
  const field = hasBody ? make('textarea', JSON.stringify(examples[path] ?? {}), box) : null;
  const button = make('button', 'Send', box);
  const out = make('pre', '', box);
  button.onclick = async () => {
    out.textContent = '\\u2026';
    const init = { method: verb.toUpperCase() };
    if (field) Object.assign(init, { body: field.value, headers: { 'content-type': 'application/json' } });
    try {
      const answer = await fetch(where.value, init);
      out.textContent = answer.status + '\\n' + (await answer.text());
    } catch (error) {
      out.textContent = String(error);
    }
  };
}

const api = await (await fetch('/openapi.json')).json();
document.querySelector('small').textContent = api.info.version;
for (const tag of api.tags) {
  make('h2', tag.name, document.body);
  make('p', tag.description, document.body);
  for (const [path, verbs] of Object.entries(api.paths)) {
    for (const [verb, route] of Object.entries(verbs)) {
      if (route.tags?.includes(tag.name)) showRoute(api, path, verb, route, document.body);
    }
  }
}`;

export const docsPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>loom-serve</title>
<style>${style}</style>
<h1>loom-serve <small></small></h1>
<p>Every route of this server. The same as data: <a href="/openapi.json">/openapi.json</a>.</p>
<script type="module">${script}</script>
</html>
`;
