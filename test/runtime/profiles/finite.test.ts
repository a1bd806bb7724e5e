import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import {
  checkPrepare,
  checkPreparedBatch,
  checkPreparedRequest,
  concatenatePrepared,
  finiteEntries,
  stageTagTable,
} from '../../../runtime/profiles/finite.js';
import { signatureText } from '../../../runtime/profiles/profile.js';
import { words } from './tables.js';

const good = { batchUnits: 8n, uploadBytes: 64n, outputBytes: 128n, resultBytes: 64n };

test('the four entries have the signatures of the README', () => {
  assert.equal(
    finiteEntries.map((entry) => `${entry.program}: ${signatureText(entry)}`),
    [
      'prepare: prepare(string, ref) -> (i64, i64, i64, i64, string, string, ref)',
      'control: prepare_request(ref, buffer) -> (buffer, i64, i64)',
      'control: prepare_batch(ref, buffer, buffer, buffer) -> (i64, buffer, buffer)',
      'control: run(i64, hal.buffer, hal.buffer)',
    ],
  );
});

test('prepare must declare positive capacities', () => {
  assert.equal(checkPrepare(good), {
    batchUnits: 8,
    uploadBytes: 64,
    outputBytes: 128,
    resultBytes: 64,
  });
  const names = [
    ['batchUnits', 'batch_units'],
    ['uploadBytes', 'upload_bytes'],
    ['outputBytes', 'output_bytes'],
    ['resultBytes', 'result_bytes'],
  ] as const;
  for (const [field, name] of names) {
    for (const bad of [0n, -1n, 2n ** 50n, 2n ** 60n]) {
      const results = { ...good, [field]: bad };
      assert.throws(() => checkPrepare(results), new RegExp(`'prepare' .* ${name} = `));
    }
  }
});

test('units below one are the fault of the package, too many that of the caller', () => {
  const context = { batchUnits: 8, values: 3 };
  const request = (units: bigint) => ({ bytes: new Uint8Array(3), units, tag: 5n });
  assert.is(checkPreparedRequest(request(8n), context).units, 8);
  assert.is(checkPreparedRequest(request(8n), context).tag, 5n);
  for (const units of [0n, -3n]) {
    const status = statusOf(() => checkPreparedRequest(request(units), context));
    assert.is(status.code, 'internal');
    assert.match(status.message, /'prepare_request' of the package returned/);
  }
  const status = statusOf(() => checkPreparedRequest(request(9n), context));
  assert.is(status.code, 'invalidArgument');
  assert.match(status.message, /takes 9 units.*at most 8.*batch_units/);
});

test('a batch must name a stage that exists and fit its upload', () => {
  const context = { values: [null], stages: 2, capacities: checkPrepare(good) };
  const plan = words(16, 16, 1, 0, 16);
  const batch = (stage: bigint, upload: number) => ({
    stage,
    upload: new Uint8Array(upload),
    plan,
  });
  assert.is(checkPreparedBatch(batch(1n, 64), context).stage, 1);
  assert.throws(() => checkPreparedBatch(batch(2n, 64), context), /stage 2; stages 0 to 1/);
  assert.throws(() => checkPreparedBatch(batch(-1n, 64), context), /stage -1/);
  assert.throws(
    () => checkPreparedBatch(batch(0n, 65), context),
    /an upload of 65 bytes; at most 64 are possible \(upload_bytes/,
  );
  const tooMany = { ...batch(0n, 1), plan: words(256, 16, 1, 0, 16) };
  assert.throws(() => checkPreparedBatch(tooMany, context), /256 physical bytes; 1 to 128/);
});

test('members are concatenated in order and their ranges tell where', () => {
  const { ranges, prepared } = concatenatePrepared([
    Uint8Array.of(1, 2),
    new Uint8Array(0),
    Uint8Array.of(3),
  ]);
  assert.equal(prepared, Uint8Array.of(1, 2, 3));
  assert.equal(ranges, words(0, 2, 2, 0, 2, 1));
  assert.equal(stageTagTable([7n, -1n]), words(7, -1));
});

function statusOf(action: () => unknown) {
  try {
    action();
  } catch (error) {
    return toStatus(error);
  }
  throw new Error('nothing was thrown');
}

test.run();
