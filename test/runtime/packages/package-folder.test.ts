import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { openPackageFolder } from '../../../runtime/packages/package-folder.js';

let top = '';
test.before.each(() => {
  top = mkdtempSync(join(tmpdir(), 'package-folder-'));
});
test.after.each(() => rmSync(top, { recursive: true }));

/** A folder of empty files. */
function folderOf(...names: string[]): string {
  const folder = join(top, `f${names.length}`);
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

function refusal(path: string, roots: readonly string[] = []) {
  try {
    openPackageFolder(path, roots);
  } catch (error) {
    return toStatus(error);
  }
  throw new Error(`${path} was opened`);
}

const takes = [/with model\.json/, /with config\.json and \*\.safetensors/, /a \.gguf file/];

test('a folder with a document opens, whatever lies beside it', () => {
  const folder = folderOf('model.json', 'config.json', 'x.gguf');
  assert.ok(openPackageFolder(folder, []).has('model.json'));
});

test('neither document is there: both are named, and what can be served', () => {
  for (const folder of [folderOf(), folderOf('model.safetensors')]) {
    const { code, message } = refusal(folder);
    assert.is(code, 'notFound');
    assert.ok(message.includes(`neither model.json nor config.json in ${folder}`), message);
    for (const kind of takes) assert.match(message, kind);
  }
});

test('checkpoint files inside are named by the path that serves them', () => {
  const one = folderOf('x.gguf', 'README.md');
  const { message } = refusal(one);
  assert.ok(message.startsWith(`there is neither model.json nor config.json in ${one}`), message);
  assert.ok(message.endsWith(`name the file: ${join(one, 'x.gguf')}`), message);

  const pieces = folderOf(
    'b-00001-of-00003.gguf',
    'b-00002-of-00003.gguf',
    'b-00003-of-00003.gguf',
  );
  assert.ok(refusal(pieces).message.endsWith(`: ${join(pieces, 'b-00001-of-00003.gguf')}`));

  const many = folderOf(...'abcdef'.split('').map((letter) => `${letter}.GGUF`));
  const named = 'abcd'.split('').map((letter) => join(many, `${letter}.GGUF`));
  assert.ok(refusal(many).message.endsWith(`: ${named.join(', ')} (and 2 more)`));
});

test('a file of another kind hears what is taken, as does a path with nothing there', () => {
  const file = join(folderOf('package.json'), 'package.json');
  for (const path of [file, join(top, 'lost')]) {
    const { code, message } = refusal(path);
    assert.is(code, 'notFound');
    assert.ok(message.startsWith(`no folder "${path}"; `), message);
    for (const kind of takes) assert.match(message, kind);
  }
  const lost = join(top, 'lost.gguf');
  assert.ok(refusal(lost).message.startsWith(`no file "${lost}"; `));
});

test('outside of the roots nothing is told of what is inside', () => {
  const folder = folderOf('x.gguf');
  mkdirSync(join(top, 'root'));
  const { code, message } = refusal(folder, [join(top, 'root')]);
  assert.is(code, 'permissionDenied');
  assert.not.match(message, /gguf/);
});

test.run();
