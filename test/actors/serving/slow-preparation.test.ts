/** `prepare_request` runs on preparation threads: one that takes long stands in nobody's way. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { packageFolder, withServer } from '../running-server.js';
import { faultyTexts, writePackage } from './faulty-package.js';
import { isQuiet } from './quiet.js';

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

test("a text of 1 MB in one model delays no other model's cohorts", async () => {
  const { folder, remove } = writePackage(
    { ...faultyTexts, 'control.loom': slowControl },
    { id: 'slow', deployment: { capacity: { fuel: 2_000_000_000 } } },
  );
  await withServer([], async (server) => {
    await server.serve(folder);
    await server.serve(packageFolder('first-output'));
    const order: string[] = [];
    const slow = server.embed('slow', [`a${'\u0001'.repeat(1024 * 1024)}`]).then(({ rows }) => {
      order.push('slow');
      assert.equal(rows[0], Float32Array.of(1));
    });
    for (let i = 0; i < 20; i += 1) {
      const { rows } = await server.embed('first-output', [`text ${i}`]);
      assert.equal(rows[0], firstOutputOracle(`text ${i}`));
      order.push('quick');
    }
    await slow;
    assert.is(order.indexOf('slow'), 20, order.join());
    await isQuiet(server);
  });
  remove();
});

test.run();
