/** What makes a package another one to those who keep what its rows hold. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageIdentity, type PackageParts } from '../../../runtime/packages/package-identity.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const entry = { name: 'w', type: 'F32', shape: [2, 3], shard: 0, offset: 8, bytes: 24 } as const;
const index = {
  format: 'safetensors',
  shards: [{ name: 'a', bytes: 32 }],
  tensors: new Map([['w', entry]]),
  metadata: new Map(),
} as const;
const definition = { prepare: 'p', control: 'c', sources: [], options: { depth: 2 } };
const parts: PackageParts = {
  document: { profile: 'text', definition },
  sources: [
    { file: 'p', bytes: bytesOf('one') },
    { file: 'c', bytes: bytesOf('two') },
  ],
  bindings: [['k', '1']],
  tokenizer: bytesOf('tokens'),
  indexes: [index],
};

test('the same parts have the same identity, in whatever order files were read', () => {
  const identity = packageIdentity(parts);
  assert.match(identity, /^[0-9a-f]{64}$/);
  assert.is(packageIdentity({ ...parts, sources: [...parts.sources].reverse() }), identity);
});

test('every part counts, and where one ends and the next begins', () => {
  const [one, two] = parts.sources as [PackageParts['sources'][0], PackageParts['sources'][0]];
  const withTensor = (change: object): PackageParts => {
    const tensors = new Map([['w', { ...entry, ...change }]]);
    return { ...parts, indexes: [{ ...index, tensors }] };
  };
  const others: readonly PackageParts[] = [
    { ...parts, document: { profile: 'sequence', definition } },
    { ...parts, document: { profile: 'text', definition: { ...definition, options: {} } } },
    { ...parts, sources: [one, { ...two, bytes: bytesOf('twO') }] },
    { ...parts, sources: [one, { ...two, file: 'd' }] },
    { ...parts, sources: [one] },
    {
      ...parts,
      sources: [
        { ...one, bytes: bytesOf('onet') },
        { ...two, bytes: bytesOf('wo') },
      ],
    },
    { ...parts, bindings: [['k', '2']] },
    { ...parts, tokenizer: null },
    { ...parts, tokenizer: bytesOf('token') },
    { ...parts, indexes: [] },
    { ...parts, indexes: [{ ...index, shards: [{ name: 'a', bytes: 33 }] }] },
    withTensor({ shape: [3, 2] }),
    withTensor({ offset: 4 }),
  ];
  const identities = [parts, ...others].map(packageIdentity);
  assert.is(new Set(identities).size, identities.length);
});

test.run();
