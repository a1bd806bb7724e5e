/** `parameters.gather` as one invocation records it: what it gives back, and what it refuses. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { parametersFunctions } from '../../../runtime/modules/parameters.js';
import { RunnerRecorder } from '../../../runtime/modules/runner-recorder.js';

const STAGES = [{ executable: 'net@1/0', name: 'forward', roots: 1 }];
const table = { key: 'table', source: 1, shard: 2, offset: 100, bytes: 50 };

function recording() {
  const recorder = new RunnerRecorder({
    stages: STAGES,
    slots: [],
    entry: (source, key) => {
      if (source === 1n && key === 'table') return table;
      throw new StatusError('notFound', `no entry ${key} of source ${source}`);
    },
  });
  const bytes = 48;
  const descriptors = recorder.addBuffer({ bytes, lifetime: 'invocation' });
  const target = recorder.addBuffer({ bytes, lifetime: 'invocation' });
  const { gather } = parametersFunctions(() => recorder) as {
    gather: (...values: unknown[]) => [unknown];
  };
  const call = (rest: Partial<Call> = {}) => {
    const { source, key, wait, offset, count, from, to } = { ...first, ...rest };
    const name = typeof key === 'string' ? new TextEncoder().encode(key) : key;
    return gather(source, name, wait, from ?? descriptors, offset, count, to ?? target)[0];
  };
  return { recorder, call, descriptors, target };
}

interface Call {
  readonly source: bigint;
  readonly key: string | Uint8Array;
  readonly wait: unknown;
  readonly offset: bigint;
  readonly count: bigint;
  readonly from?: unknown;
  readonly to?: unknown;
}
const first: Call = { source: 1n, key: 'table', wait: null, offset: 0n, count: 2n };

test('control: a gather is one command with a fence of its own', () => {
  const { recorder, call, target } = recording();
  const fence = call({ offset: 24n, count: 1n, to: target.slice(8, 40) });
  recorder.join(fence);
  assert.equal(recorder.commands, [
    {
      ...{ op: 'gather', fence: 0, wait: null, entry: table },
      descriptors: { buffer: 0, offset: 24, length: 24 },
      target: { buffer: 1, offset: 8, length: 40 },
    },
    { op: 'join', fence: 0 },
  ]);
});

test('it waits for the fence that it was given', () => {
  const { recorder, call, target } = recording();
  const ready = recorder.fence(recorder.execute(0n, [target]));
  call({ wait: ready });
  const [, , gather] = recorder.commands;
  assert.is(gather?.op === 'gather' && gather.wait, 0);
  assert.is(gather?.op === 'gather' && gather.fence, 1);
});

test('an empty gather gives back the fence that it was given, null too, and touches nothing', () => {
  const { recorder, call, target } = recording();
  assert.is(call({ count: 0n }), null);
  const ready = recorder.fence(recorder.execute(0n, [target]));
  const recorded = recorder.commands.length;
  assert.is(call({ count: 0n, wait: ready, offset: 48n }), ready);
  assert.is(recorder.commands.length, recorded);
});

test('what it cannot read is told at the call', () => {
  const other = recording();
  const foreign = other.recorder.fence(other.recorder.execute(0n, [other.target]));
  const cases: [rest: Partial<Call>, expected: RegExp][] = [
    [{ key: 'tabel' }, /no entry tabel of source 1/],
    [{ key: 'lost', count: 0n }, /no entry lost/],
    [{ key: Uint8Array.of(0xff) }, /the key of the entry is not UTF-8/],
    [{ source: 0n }, /source 0/],
    [{ count: -1n }, /gather of -1 descriptors; one call takes 0 to 65536/],
    [{ count: 65_537n }, /gather of 65537 descriptors/],
    [{ count: 3n }, /gather of bytes 0 to 72 of a buffer of 48/],
    [{ offset: 1n }, /gather of bytes 1 to 49 of a buffer of 48/],
    [{ offset: -24n }, /gather of bytes -24/],
    [{ wait: foreign }, /gather was given a hal\.fence that is not of this invocation/],
    [{ from: other.descriptors }, /gather was given a hal\.buffer that is not of this invocation/],
    [{ to: {} }, /gather was given a hal\.buffer/],
  ];
  for (const [rest, expected] of cases) {
    const { call, recorder } = recording();
    assert.throws(
      () => call(rest),
      (error: Error) => expected.test(error.message),
    );
    assert.is(recorder.commands.length, 0);
  }
  const bare = new RunnerRecorder({ stages: STAGES, slots: [] });
  const buffer = bare.addBuffer({ bytes: 48, lifetime: 'invocation' });
  const asked = { ...first, descriptors: buffer, target: buffer, key: 'table' };
  assert.throws(() => bare.gather(asked), /the package declared no source/);
});

test.run();
