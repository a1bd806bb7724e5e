import { test } from 'uvu';
import { importsOf, resolveImport } from './imports.js';
import { allCode, paths, report, shipped } from './sources.js';

/**
 * Who may import whom. `base` is open to everyone and not repeated. A longer prefix wins. `http`
 * gives `actors` its types only: the seams lie in few files and no code crosses them.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  'runtime/base': [],
  'runtime/loom': [],
  'runtime/system': [],
  'runtime/codecs': [],
  'runtime/profiles': [],
  'runtime/tokenizer': [],
  'runtime/text': ['runtime/profiles', 'runtime/tokenizer'],
  'runtime/vm': ['runtime/loom'],
  'runtime/jit': ['runtime/loom', 'runtime/vm'],
  'runtime/hal': [],
  // The local device, and what wraps it, speak the calling convention of the code that they run.
  'runtime/hal/local': ['runtime/hal', 'runtime/jit'],
  'runtime/hal/simulated': ['runtime/hal', 'runtime/jit'],
  'runtime/hal/webgpu': ['runtime/hal', 'runtime/jit', 'runtime/loom'],
  'runtime/memory': ['runtime/hal'],
  'runtime/parameters': ['runtime/hal', 'runtime/memory'],
  // A package is where programs, modules, compilers and contracts come together.
  'runtime/packages': ['runtime'],
  'runtime/modules': ['runtime'],
  'runtime/threads': ['runtime'],
  actors: ['runtime'],
  http: ['runtime/loom', 'runtime/profiles', 'runtime/parameters/import'],
  scenarios: ['runtime', 'http'],
  test: ['actors', 'runtime', 'http', 'scenarios'],
};
/** A layer that everyone composes with must not depend on those above it. */
const never: Readonly<Record<string, readonly string[]>> = {
  'runtime/modules': ['runtime/threads', 'runtime/system', 'runtime/packages'],
  'runtime/packages': ['runtime/threads', 'runtime/system'],
};
const seams = [
  'http/serving.ts',
  'http/text-serving.ts',
  'http/observing.ts',
  'http/traffic/traffic-lines.ts',
];
/** The command starts actors and scenarios by name, so that http builds and tests without them. */
const compositions = ['actors/start.ts', 'scenarios/command.ts', 'scenarios/replay/command.ts'];

/** Packages that one place alone may see. */
const owners: Readonly<Record<string, readonly string[]>> = {
  hono: ['http'],
  '@hono/node-server': ['http'],
  '@hono/zod-openapi': ['http'],
  'prom-client': ['http'],
  pino: ['http'],
  commander: ['http'],
  'cli-progress': ['http'],
  elkjs: ['http/console'],
  xstate: ['actors', 'runtime/system'],
  comlink: ['runtime/threads'],
  piscina: ['runtime/threads'],
  '@huggingface/jinja': ['runtime/modules'],
  '@huggingface/tokenizers': ['runtime/tokenizer'],
};

function layerOf(path: string): string {
  const fits = Object.keys(layers).filter((layer) => path.startsWith(`${layer}/`));
  return fits.sort((left, right) => right.length - left.length)[0] ?? path;
}

const within = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));

const rows = allCode.flatMap((file) =>
  importsOf(file).map((row) => ({
    ...row,
    from: file.path,
    place: `${file.path}:${row.line}`,
    to: resolveImport(file.path, row.target),
  })),
);

test('layers import only what lies below them', () => {
  report(
    rows.flatMap(({ from, to, place, kind }) => {
      const layer = layerOf(from);
      if (to === null || layers[layer] === undefined) return [];
      const allowed = ['runtime/base', layer, ...layers[layer]];
      const isSeam = seams.includes(to) && kind === 'type' && layer === 'actors';
      const isStart = compositions.includes(to) && kind === 'dynamic' && layer === 'http';
      const isFine = within(to, allowed) && !within(to, never[layer] ?? []);
      return isFine || isSeam || isStart ? [] : [`${place}: ${layer} must not import ${to}`];
    }),
  );
});

test('every folder with code is a known layer', () => {
  report(
    allCode.flatMap(({ path }) =>
      layers[layerOf(path)] === undefined ? [`${path}: in no layer of imports.test.ts`] : [],
    ),
  );
});

test('packages are seen by their owners alone, and base sees Node only', () => {
  report(
    rows.flatMap(({ from, to, target, place }) => {
      if (to !== null || target.startsWith('node:') || from.startsWith('test/')) return [];
      const name = target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');
      const owner = owners[name];
      if (from.startsWith('runtime/base/'))
        return [`${place}: base imports Node only, not ${name}`];
      if (owner === undefined || within(from, owner)) return [];
      return [`${place}: only ${owner.join(' and ')} may import ${name}`];
    }),
  );
});

test('relative imports end in .js and lead to a file', () => {
  const known = new Set(paths);
  report(
    rows.flatMap(({ to, target, place, kind }) => {
      if (to === null) return [];
      if (!target.endsWith('.js') && !target.endsWith('.json')) {
        return kind === 'dynamic' ? [] : [`${place}: "${target}" lacks its .js`];
      }
      return known.has(to) || kind === 'dynamic' ? [] : [`${place}: "${target}" leads nowhere`];
    }),
  );
});

test('no import cycles', () => {
  // Types may refer to each other across files: nothing is loaded for them.
  const edges = new Map<string, string[]>();
  for (const { from, to, kind } of rows) {
    if (to !== null && kind === 'value') edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  const state = new Map<string, 'open' | 'done'>();
  const breaches: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      breaches.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    state.set(path, 'open');
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of edges.keys()) walk(path, []);
  report(breaches);
});

test('every file is reached from the command, a thread, a script or a test', () => {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of rows) {
    if (to !== null) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  const isEntry = (path: string): boolean =>
    path === 'http/main.ts' ||
    path === 'http/console/main.ts' ||
    path === 'actors/start.ts' ||
    /\.(test|bench|thread|task|program|script|d)\.ts$/.test(path) ||
    // Programs of their own: package.json or a test starts them by name.
    /^test\/(run|bench\/run|http\/cli\/serve-child)\.ts$/.test(path) ||
    path.startsWith('scenarios/') ||
    path.startsWith('test/simulation/');
  const reached = new Set<string>();
  const queue = allCode.map((file) => file.path).filter(isEntry);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...(targets.get(path) ?? []));
  }
  const scripts = allCode.filter(
    (file) => file.path.startsWith('test/') && !reached.has(file.path),
  );
  const dead = shipped.filter((file) => !reached.has(file.path));
  report(
    [...dead, ...scripts].map(({ path }) => `${path}: nothing imports it and nothing starts it`),
  );
});

test.run();
