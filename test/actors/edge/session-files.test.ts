/** Files of saved sessions: whole or not there, below their folder, and clear when that fails. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionFiles } from '../../../actors/edge/session-files.js';
import { rejection } from '../running-server.js';

const base = mkdtempSync(join(tmpdir(), 'loom-files-'));
const folder = join(base, 'a', 'kept');
let ids = 0;
const filesIn = (place: string | null): SessionFiles =>
  new SessionFiles({ folder: place, nextId: () => `id-${(ids += 1)}` });

test.after(() => rmSync(base, { recursive: true }));

test('what was written last is read, and nothing else lies there', async () => {
  const files = filesIn(folder);
  assert.is((await rejection(files.read('one'))).code, 'notFound');
  await files.write('one', Uint8Array.of(1, 2, 3));
  const rounds = Array.from({ length: 8 }, (_, at) => new Uint8Array(5000 + at).fill(at));
  await Promise.all(rounds.map((bytes) => files.write('one', bytes)));
  const found = await files.read('one');
  assert.ok(rounds.some((bytes) => Buffer.compare(bytes, found) === 0));
  assert.is(found.byteOffset, 0);
  assert.is(found.buffer.byteLength, found.length);
  await files.write('One.2_b-c', Uint8Array.of(9));
  assert.equal(readdirSync(folder).sort(), ['One.2_b-c.session', 'one.session']);
});

test('a name is no path', async () => {
  const files = filesIn(folder);
  for (const name of ['', '.', '..', '../one', 'a/b', 'a\\b', '.one', ' one', 'one\n', 'ö']) {
    assert.throws(() => files.check(name, 'name'), /name: expected 1 to 100 letters/);
    assert.is((await rejection(files.write(name, Uint8Array.of(1)))).code, 'invalidArgument');
    assert.is((await rejection(files.read(name))).code, 'invalidArgument');
  }
  assert.not.throws(() => files.check('x'.repeat(100), 'name'));
});

test('without a folder there are none, and one that cannot be written to says why', async () => {
  assert.throws(() => filesIn(null).check('one', 'name'), /without --session-dir/);
  const file = join(base, 'file');
  writeFileSync(file, '');
  const blocked = await rejection(filesIn(file).write('one', Uint8Array.of(1)));
  assert.is(blocked.code, 'unavailable');
  assert.match(blocked.message, /session 'one' cannot be written: E/);
  // A folder where the file should be: the draft is taken away again.
  mkdirSync(join(folder, 'taken.session', 'x'), { recursive: true });
  await rejection(filesIn(folder).write('taken', Uint8Array.of(1)));
  assert.not(readdirSync(folder).some((name) => name.startsWith('.')));
  assert.match((await rejection(filesIn(folder).read('taken'))).message, /'taken' is no file/);
});

test('a file that is larger than any that was saved is not read', async () => {
  const place = join(base, 'large');
  mkdirSync(place);
  const path = join(place, 'one.session');
  const most = 320 * 2 ** 20;
  writeFileSync(path, '');
  truncateSync(path, most + 1);
  const refused = await rejection(filesIn(place).read('one'));
  assert.is(refused.code, 'outOfRange');
  assert.match(
    refused.message,
    `'one' has ${most + 1} bytes; files of saved sessions have at most`,
  );
  truncateSync(path, 5);
  assert.equal(await filesIn(place).read('one'), new Uint8Array(5));
});

test.run();
