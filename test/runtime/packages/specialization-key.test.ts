import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { ArtefactCache } from '../../../runtime/packages/artefact-cache.js';
import type { StageDeclaration } from '../../../runtime/packages/artefacts.js';
import { artefactKey, codeKey, stageKey } from '../../../runtime/packages/specialization-key.js';

const declaration: StageDeclaration = {
  kind: 'command',
  symbol: { name: 'a.forward', args: ['4'] },
  tag: 1n,
  config: [
    ['a.x', '1'],
    ['a.y', '2'],
  ],
  workspaceLimitBytes: null,
  parameters: [],
};
const identity = {
  sources: [{ file: 'k.loom', bytes: Uint8Array.of(1, 2) }],
  bindings: [['a.z', '3']] as const,
  declaration,
  facts: localFacts(),
};

test('equal declarations have one key, whatever their tag and order of binding', () => {
  const key = stageKey(declaration);
  assert.match(key, /^[0-9a-f]{32}$/);
  assert.is(stageKey({ ...declaration, tag: 2n }), key);
  assert.is(stageKey({ ...declaration, config: [...declaration.config].reverse() }), key);
});

test('whatever else differs, the key does', () => {
  const changes: Partial<StageDeclaration>[] = [
    { kind: 'direct' },
    { symbol: { name: 'a.other', args: ['4'] } },
    { symbol: { name: 'a.forward', args: ['5'] } },
    { config: [['a.x', '1']] },
    { config: [['a.x', '2'], declaration.config[1]!] },
    { workspaceLimitBytes: 64 },
  ];
  const keys = changes.map((change) => stageKey({ ...declaration, ...change }));
  assert.is(new Set([...keys, stageKey(declaration)]).size, changes.length + 1);
});

const policy = { name: 'a.policy', args: [] };
const bound: StageDeclaration = {
  ...declaration,
  parameters: [
    { binding: 0, input: 0, source: 0, policy },
    { binding: 1, input: 0, source: 1, policy },
  ],
};
const own = (...paths: string[]) => ({
  firstSource: 1,
  sources: [{ files: paths.map((path) => ({ directory: '.', path })) }],
});

test('parameters are part of a stage and not of its code', () => {
  assert.is(codeKey(bound), codeKey(declaration));
  assert.is(stageKey(declaration, own('a')), codeKey(declaration));
  const [first, second] = bound.parameters;
  const changed: StageDeclaration['parameters'][] = [
    [first!],
    [first!, { ...second!, binding: 2 }],
    [first!, { ...second!, input: 1 }],
    [first!, { ...second!, source: 0 }],
    [first!, { ...second!, policy: { ...policy, args: ['1'] } }],
    [first!, { ...second!, policy: { name: 'a.other', args: [] } }],
  ];
  const keys = changed.map((parameters) => stageKey({ ...bound, parameters }, own('a')));
  keys.push(stageKey(bound, own('a')), stageKey(bound, own('b')), stageKey(bound, own('a', 'b')));
  keys.push(stageKey(bound, own('b', 'a')), codeKey(bound));
  assert.is(new Set(keys).size, keys.length);
});

test('own sources count by their files, whatever number they have', () => {
  const later = {
    firstSource: 1,
    sources: [{ files: [{ directory: '', path: 'x' }] }, ...own('a').sources],
  };
  const moved = bound.parameters.map((row) => (row.source === 1 ? { ...row, source: 2 } : row));
  const key = stageKey(bound, own('a'));
  assert.match(key, /^[0-9a-f]{32}$/);
  assert.is(stageKey({ ...bound, parameters: moved }, later), key);
  assert.is.not(stageKey(bound, later), key);
});

test('an artefact also depends on its files, bindings and device', () => {
  const keys = [
    identity,
    { ...identity, sources: [{ file: 'k.loom', bytes: Uint8Array.of(1, 3) }] },
    { ...identity, sources: [{ file: 'l.loom', bytes: Uint8Array.of(1, 2) }] },
    { ...identity, bindings: [['a.z', '4']] as const },
    { ...identity, facts: localFacts({ tile_m: 99 }) },
  ].map(artefactKey);
  assert.is(new Set(keys).size, keys.length);
  assert.is(artefactKey({ ...identity, facts: { ...localFacts() } }), keys[0]);
  assert.is(artefactKey({ ...identity, declaration: bound }), keys[0], 'code is shared');
});

test('the cache keeps what was used last, and nothing of a failure', () => {
  const cache = new ArtefactCache<string>(2);
  const made: string[] = [];
  const use = (key: string) =>
    cache.use(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  assert.is(use('a'), 'A');
  use('b');
  use('a');
  use('c');
  use('a');
  use('b');
  assert.equal(made, ['a', 'b', 'c', 'b']);
  assert.is(cache.size, 2);
  assert.throws(() =>
    cache.use('d', () => {
      throw new Error('no');
    }),
  );
  assert.is(cache.size, 2);
});

test.run();
