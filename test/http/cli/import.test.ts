import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../http/cli/program.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-import-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; err: string }> {
  const err: string[] = [];
  const terminal = { out: () => undefined, err: (text: string) => void err.push(text) };
  const load = async (): Promise<never> => {
    throw new Error('an import starts no server');
  };
  const code = await runCommand(['import', 'tfjs', ...args], {
    terminal: { ...terminal, isInteractive: false },
    load,
  });
  return { code, err: err.join('\n') };
}

const model = join(folder, 'model.json');
const pieces = join(folder, 'vocab.json');
const weights = [{ name: 'w', shape: [2], dtype: 'float32' }];
writeFileSync(model, JSON.stringify({ weightsManifest: [{ paths: ['shard'], weights }] }));
writeFileSync(join(folder, 'shard'), new Uint8Array(Float32Array.of(1, -2).buffer));
writeFileSync(
  pieces,
  JSON.stringify([
    ['?', 0],
    ['<s>', 0],
    ['▁', -2],
    ['a', -1],
    ['▁a', -1],
  ]),
);

test('weights and vocabulary become the files of a package, again and again', async () => {
  const output = join(folder, 'made');
  for (const round of [1, 2]) {
    const { code, err } = await run(model, '--pieces', pieces, '--reserved', '2', '-o', output);
    assert.is(code, 0, `${round}: ${err}`);
    assert.match(err, /model\.json → .*weights\.safetensors, \d+ bytes/);
    assert.equal(readdirSync(output), ['tokenizer.json', 'weights.safetensors']);
  }
  const file = readFileSync(join(output, 'weights.safetensors'));
  assert.equal([file.readFloatLE(file.length - 8), file.readFloatLE(file.length - 4)], [1, -2]);
  const tokenizer = new Tokenizer(readFileSync(join(output, 'tokenizer.json')), 't');
  const { ids, count } = tokenizer.encode('a aa<s>', 8, 16);
  assert.equal([...ids.subarray(0, count)], [4, 4, 3, 0]);
});

test('what cannot be read leaves nothing behind', async () => {
  const output = join(folder, 'none');
  const { code, err } = await run(join(folder, 'absent.json'), '-o', output);
  assert.is(code, 1);
  assert.match(err, /absent\.json: expected a file, found none/);
  assert.equal(readdirSync(output), []);
  assert.is((await run(join(folder, 'no/where.json'), '-o', output)).code, 1);
  assert.is((await run(model)).code, 2);
  assert.not(existsSync(join(output, 'weights.safetensors')));
});

test.run();
