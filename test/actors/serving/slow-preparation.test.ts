/** `prepare_request` runs on preparation threads: one that takes long stands in nobody's way. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { packageFolder, withServer, type TestServer } from '../running-server.js';
import { faultyTexts, writePackage } from './faulty-package.js';
import { isQuiet } from './quiet.js';

const QUICK = 20;

/** Reads its text often enough that everything else would be done long before. */
const slowControl = faultyTexts['control.loom']!.replace(
  'let fault = text.u8[0]',
  `let fault = text.u8[0]
  var sum = 0
  for round in 0..150 {
    for i in 0..text.len { sum += i64(text.u8[i]) }
  }
  if sum < 0 { reject("a sum of bytes is {}", sum) }`,
);

/** How many of another model's requests were answered before a text of so many MB. */
async function quickBefore(server: TestServer, megabytes: number): Promise<number> {
  let before = 0;
  let isOver = false;
  const text = `a${'\u0001'.repeat(megabytes * 1024 * 1024)}`;
  const slow = server.embed('slow', [text]).then(({ rows }) => {
    isOver = true;
    assert.equal(rows[0], Float32Array.of(1));
  });
  for (let i = 0; i < QUICK; i += 1) {
    const { rows } = await server.embed('first-output', [`text ${i}`]);
    assert.equal(rows[0], firstOutputOracle(`text ${i}`));
    if (!isOver) before += 1;
  }
  await slow;
  return before;
}

test("a text of some MB in one model delays no other model's cohorts", async () => {
  const { folder, remove } = writePackage(
    { ...faultyTexts, 'control.loom': slowControl },
    { id: 'slow', deployment: { capacity: { fuel: 8_000_000_000 } } },
  );
  await withServer([], async (server) => {
    await server.serve(folder);
    await server.serve(packageFolder('first-output'));
    let before = 0;
    // Threads that have to share a core may take turns that are long: then a longer text tells.
    for (let megabytes = 1; megabytes <= 4 && before < QUICK; megabytes *= 2) {
      before = await quickBefore(server, megabytes);
    }
    assert.is(before, QUICK);
    await isQuiet(server);
  });
  remove();
});

test.run();
