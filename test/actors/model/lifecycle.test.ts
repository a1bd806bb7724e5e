/** Registration, replacement and removal on real threads, with traffic meanwhile. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { copyPackage } from '../package-copy.js';
import { packageFolder, rejection, sharedServer } from '../running-server.js';

const shared = sharedServer();

test('a relocated copy serves, is removed, and serves again', () =>
  shared.with([], async (server) => {
    const { folder, remove } = copyPackage();
    for (let round = 0; round < 2; round++) {
      await server.serve(folder);
      const { rows } = await server.embed('first-output', ['abc']);
      assert.equal(rows[0], firstOutputOracle('abc'));
      assert.is((await server.serving.unregister('first-output')).state, 'removed');
      assert.is((await rejection(server.embed('first-output', ['abc']))).code, 'notFound');
    }
    remove();
  }));

test('a replacement loses no request, and only a prepared one takes over', () =>
  shared.with(['first-output'], async (server) => {
    const doubled = copyPackage({ file: 'kernel.loom', from: /sum \/ 256\.0/g, to: 'sum / 128.0' });
    const broken = copyPackage({ file: 'kernel.loom', from: 'sum / 256.0', to: 'sum / nothing' });
    const { generation: old } = await server.serving.modelState('first-output');
    const seen = new Set<number>();
    let replaced = false;
    const traffic = async (): Promise<void> => {
      while (!replaced) {
        const { rows, generation } = await server.embed('first-output', ['abc']);
        const factor = rows[0]![0]! / firstOutputOracle('abc')[0]!;
        assert.is(factor, generation === old ? 1 : 2);
        seen.add(generation);
      }
    };
    const clients = [traffic(), traffic(), traffic()];
    const failure = await rejection(server.serve(broken.folder));
    assert.is(failure.code, 'invalidArgument');
    const kept = await server.serving.modelState('first-output');
    assert.is(kept.state, 'serving');
    assert.is(kept.generation, old);
    await server.serve(doubled.folder);
    assert.is((await server.embed('first-output', ['abc'])).generation, old + 2);
    replaced = true;
    await Promise.all(clients);
    assert.ok(seen.has(old));
    doubled.remove();
    broken.remove();
  }));

test('a package that does not compile tells file, line and column of everything', () =>
  shared.with([], async (server) => {
    const broken = copyPackage({
      file: 'control.loom',
      from: 'let members = ranges.len / 16',
      to: 'let members = rangse.len / 16\n  let other : i64 = "text"',
    });
    const failure = (await rejection(server.serve(broken.folder))) as unknown as {
      code: string;
      status: { details: string[] };
    };
    assert.is(failure.code, 'invalidArgument');
    const details = failure.status.details.join('\n');
    assert.match(details, /control\.loom:\d+:\d+/);
    assert.match(details, /rangse/);
    const state = await server.serving.modelState('first-output');
    assert.is(state.state, 'failed');
    assert.ok(state.error);
    // The id is not lost: a better package takes it.
    await server.serve(packageFolder('first-output'));
    assert.equal((await server.embed('first-output', ['a'])).rows[0], firstOutputOracle('a'));
    broken.remove();
  }));

test('unregistering lets accepted requests finish', () =>
  shared.with(['first-output'], async (server) => {
    const accepted = Array.from({ length: 50 }, (_, i) => server.embed('first-output', [`t${i}`]));
    const settled = Promise.allSettled(accepted);
    await server.serving.unregister('first-output');
    const outcomes = await settled;
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') {
        assert.equal(outcome.value.rows[0], firstOutputOracle(`t${i}`));
      } else {
        assert.ok(['unavailable', 'notFound'].includes((outcome.reason as { code: string }).code));
      }
    }
  }));

test('a program that traps names its function and line, and the next request succeeds', () =>
  shared.with([], async (server) => {
    const trapping = copyPackage({
      file: 'control.loom',
      from: 'let texts = Head.size + members * Member.size',
      to: 'let texts = Head.size + members * Member.size\n  if prepared.u8[0] == 33 { let bad = prepared.u8[prepared.len] }',
    });
    await server.serve(trapping.folder);
    const [bad, good] = await Promise.all([
      rejection(server.embed('first-output', ['! traps'])),
      server.embed('first-output', ['fine']),
    ]);
    assert.match(bad.message, /prepare_batch.*control\.loom:\d+/);
    assert.equal(good.rows[0], firstOutputOracle('fine'));
    assert.equal((await server.embed('first-output', ['next'])).rows[0], firstOutputOracle('next'));
    trapping.remove();
  }));

test('a cancelled request leaves nothing behind, whenever it is cancelled', () =>
  shared.with(['first-output'], async (server) => {
    const leavers = Array.from({ length: 40 }, (_, i) => {
      const abort = new AbortController();
      const outcome = rejection(
        server.embed('first-output', ['leaves '.repeat(i + 1)], { signal: abort.signal }),
      ).catch(() => ({ code: 'answered', message: '' }));
      setTimeout(() => abort.abort(), i % 8);
      return outcome;
    });
    const stayers = Array.from({ length: 40 }, (_, i) => server.embed('first-output', [`s${i}`]));
    for (const { code } of await Promise.all(leavers)) {
      assert.ok(['cancelled', 'answered'].includes(code));
    }
    for (const [i, { rows }] of (await Promise.all(stayers)).entries()) {
      assert.equal(rows[0], firstOutputOracle(`s${i}`));
    }
    const late = await rejection(server.embed('first-output', ['x'], { withinMs: 0.01 }));
    assert.is(late.code, 'deadlineExceeded');
    await server.serving.unregister('first-output');
  }));

test.after(() => shared.close());

test.run();
