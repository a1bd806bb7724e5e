/** Text and bytecode are told apart by what they hold. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LoomError, renderDiagnostics } from '../../../../runtime/loom/diagnostics.js';
import { encode } from '../../../../runtime/loom/syntax/bytecode-writer.js';
import { readModule } from '../../../../runtime/loom/syntax/read-module.js';
import { parseModule } from './outline.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

test('text gives its tree and its source', () => {
  const text = '/// é\nconst.def a = 1\n';
  const read = readModule('a.loombc', utf8(text));
  assert.equal(read.diagnostics, []);
  assert.is(read.source, text);
  assert.equal(read.module, parseModule(text));
});

test('bytecode gives the same tree and no source, whatever the name of the file', () => {
  const module = parseModule('const.def a = 1');
  const read = readModule('a.loom', encode(module));
  assert.equal(read, { module, diagnostics: [], source: null });
});

test('an empty file is an empty program', () => {
  const read = readModule('a.loom', new Uint8Array(0));
  assert.equal(read.diagnostics, []);
  assert.equal(read.module.decls, []);
});

test('bytes that are neither are refused at the first that is not text', () => {
  const read = readModule('a.loom', Uint8Array.of(...utf8('ab\ncé'), 0xff, 0xfe));
  assert.equal(read.diagnostics, [
    { file: 'a.loom', at: 2 * 4096 + 3, message: 'the file is neither UTF-8 text nor bytecode' },
  ]);
  assert.is(read.source, null);
});

test('a text of more than 1 MiB is refused before it is decoded', () => {
  const read = readModule('a.loom', new Uint8Array(1024 * 1024 + 1).fill(32));
  assert.match(read.diagnostics[0]!.message, 'the limit is 1048576');
});

test('mistakes come with the text to show them in', () => {
  const read = readModule('a.loom', utf8('const.def a 1\n'));
  const shown = renderDiagnostics(read.diagnostics, () => read.source);
  assert.match(shown, 'a.loom:1:13: expected');
  assert.ok(new LoomError(read.diagnostics).code === 'invalidArgument');
});

test.run();
