/**
 * text → tree → bytecode → tree → text is stable: for every program here and for generated ones.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decode } from '../../../../runtime/loom/syntax/bytecode-reader.js';
import { encode } from '../../../../runtime/loom/syntax/bytecode-writer.js';
import { sha256 } from '../../../../runtime/loom/syntax/identity.js';
import { parse } from '../../../../runtime/loom/syntax/parse.js';
import { print } from '../../../../runtime/loom/syntax/print.js';
import type { Module } from '../../../../runtime/loom/tree.js';
import { modules } from '../../../generators/syntax.js';
import { withoutPositions } from '../../../generators/without-positions.js';

/** Every program in the repository; tests run from its root. */
function programs(): string[] {
  return ['models', 'test'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.loom') && !path.includes('node_modules'))
      .map((path) => join(root, path)),
  );
}

function reparse(module: Module): Module {
  const text = print(module);
  const { module: again, diagnostics } = parse({ file: 'printed', text });
  assert.equal(diagnostics, [], text);
  return again;
}

for (const file of programs()) {
  test(`${file} survives every spelling`, () => {
    const text = readFileSync(file, 'utf8');
    const { module, diagnostics } = parse({ file, text });
    assert.equal(diagnostics, []);
    const printed = print(module);
    const again = reparse(module);
    assert.equal(withoutPositions(again), withoutPositions(module));
    assert.is(print(again), printed);
    const stored = decode(file, encode(module));
    assert.equal(stored.diagnostics, []);
    assert.equal(stored.module, module, 'bytecode keeps the tree and its positions');
    assert.is(print(stored.module), printed);
    assert.is(sha256(again), sha256(module));
  });
}

test('there are programs to test with', () => {
  assert.ok(programs().length >= 7);
});

test('a generated tree prints to text that parses to it', () => {
  fc.assert(
    fc.property(modules, (module) => {
      const again = reparse(module);
      assert.equal(withoutPositions(again), withoutPositions(module));
      assert.is(print(again), print(module));
    }),
    { numRuns: 400 },
  );
});

test('a generated tree survives bytecode with its positions', () => {
  fc.assert(
    fc.property(modules, (module) => {
      const bytes = encode(module);
      const { module: again, diagnostics } = decode('generated', bytes);
      assert.equal(diagnostics, []);
      assert.equal(again, module);
      assert.equal(encode(again), bytes);
    }),
    { numRuns: 200 },
  );
});

test('identity is the same exactly where the text is the same', () => {
  fc.assert(
    fc.property(modules, modules, (left, right) => {
      assert.is(sha256(reparse(left)), sha256(left));
      assert.is(sha256(left) === sha256(right), print(left) === print(right));
    }),
    { numRuns: 100 },
  );
});

test.run();
