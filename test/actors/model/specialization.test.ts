/**
 * Stages that invocations declare, on real threads: compiled once, kept within the bound, gone from
 * the device when they are evicted or their generation retires. Counted by the gauges that
 * operators see: tasks that the pool started, stages in the cache, executables on the device.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { writePackage, type Texts } from '../serving/faulty-package.js';
import { gauges, isQuiet } from '../serving/quiet.js';

/** Text "SCTV": scale S - '0', what else to bind C, tag T, value V. The row is V times S. */
const scaled: Texts = {
  'prepare.loom': `library scaled.prepare
use scaled { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let cold = stage(@forward, 0)
  return (4, 16, 16, 16, "", "scaled", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library scaled.control
use scaled { forward }
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") config(stage: i64, key: string, value: string)
func.decl import("prepare") config_i64(stage: i64, key: string, value: i64)
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work
func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  let text = bytes(0)
  return (text, 1, i64(text.u8[2]))
}
func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(16)
  var plan = list<i64>(16, 4 * members)
  var scale = 1
  var bind = 97
  for m in 0..members {
    let at = ranges.i64[2 * m]
    scale = i64(prepared.u8[at]) - 48
    if prepared.u8[at + 1] != 97 { bind = i64(prepared.u8[at + 1]) }
    upload.i32[m] = i32(prepared.u8[at + 3])
    plan.push(1)
    plan.push(4 * m)
    plan.push(4)
  }
  var chosen = 0
  if scale != 1 || bind != 97 {
    chosen = stage(@forward, scale)
    config_i64(chosen, "scaled.scale", scale)
    if bind == 117 { config(chosen, "scaled.unknown", "1") }
    if bind == 112 { config(chosen, "scaled.hidden", "1") }
    if bind == 119 { config(chosen, "scaled.enabled", "7") }
    if bind == 120 { config(chosen, "scaled.enabled", "1 +") }
    if bind == 98 { config(chosen, "scaled.scale", "3") }
  }
  return (chosen, upload, plan.bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let done = execute_2(stage, input, output)
}
`,
  'kernel.loom': `library scaled
config.decl scale : i64 = 1
config.decl enabled : bool = true
const.def hidden : i64 = 5
kernel.def times(x: in view<i32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = f32(x[i] * scale) }
}
command.def export forward(input: root, output: root) {
  dispatch times(input, output) grid(1)
}
`,
};

const COLD = 1;
const shared = sharedServer();

async function withScaled(
  cache: number,
  body: (server: TestServer, folder: string) => Promise<void>,
): Promise<void> {
  const document = { id: 'scaled', deployment: { specialization_cache: cache } };
  const { folder, remove } = writePackage(scaled, document);
  try {
    await shared.with([folder], (server) => body(server, folder));
  } finally {
    remove();
  }
}

async function ask(server: TestServer, scale: number, tag = 'a', value = 7): Promise<void> {
  const text = `${String.fromCharCode(48 + scale)}a${tag}${String.fromCharCode(value)}`;
  const { rows } = await server.embed('scaled', [text]);
  assert.equal(rows[0], Float32Array.of(scale * value));
}

/** Unloading follows the answer; it needs no more than some turns of other threads. */
async function becomes(server: TestServer, expected: Record<string, number>): Promise<void> {
  const pick = async (): Promise<Record<string, number>> => {
    const all = await gauges(server);
    return Object.fromEntries(Object.keys(expected).map((name) => [name, all[name] ?? 0]));
  };
  let seen = await pick();
  for (let i = 0; i < 4_000 && JSON.stringify(seen) !== JSON.stringify(expected); i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen = await pick();
  }
  assert.equal(seen, expected);
}

const started = async (server: TestServer): Promise<number> =>
  (await gauges(server))['loom_pool_tasks']!;

test('cohorts that miss the same set at once wait for one compile', () =>
  withScaled(64, async (server) => {
    await server.topology.record('model-0');
    let together = false;
    for (let scale = 2; scale < 60 && !together; scale += 1) {
      const before = await started(server);
      // Different tags: they cannot share a cohort, and both cohorts are in flight.
      await Promise.all([ask(server, scale, 'a'), ask(server, scale, 'b')]);
      assert.is(await started(server), before + 1, `one task for scale ${scale}`);
      const records = (await server.topology.records('model-0')) as SystemRecord[];
      const states = records.flatMap((record) =>
        record.type === 'transition' && record.actor.includes('/cohorts/') ? [record.to] : [],
      );
      together = states.indexOf('admitting') > states.lastIndexOf('specializing');
    }
    assert.ok(together, 'two cohorts waited at the same time');
    await isQuiet(server);
  }));

test('warm requests and a repeated set start no task', () =>
  withScaled(8, async (server) => {
    for (const scale of [1, 2, 3]) await ask(server, scale);
    const before = await started(server);
    for (let i = 0; i < 10; i += 1) {
      await Promise.all([1, 2, 3, 2].map((scale, at) => ask(server, scale, 'abcd'[at]!, 9 + i)));
    }
    assert.is(await started(server), before);
    await becomes(server, { loom_specializations: 2, loom_device_executables: COLD + 2 });
  }));

test('the cache keeps its bound, and what is evicted leaves the device', () =>
  withScaled(2, async (server) => {
    for (const scale of [2, 3, 4, 5, 6]) {
      await ask(server, scale);
      const cached = Math.min(scale - 1, 2);
      await becomes(server, {
        loom_specializations: cached,
        loom_device_executables: COLD + cached,
      });
    }
    const before = await started(server);
    await ask(server, 6);
    await ask(server, 5);
    assert.is(await started(server), before, 'the last two are kept');
    await ask(server, 2);
    assert.is(await started(server), before + 1, 'an evicted one is compiled again');
    await isQuiet(server);
  }));

test('sets that push each other out at any moment are all served', () =>
  withScaled(1, async (server) => {
    for (let round = 0; round < 12; round += 1) {
      const asks = Array.from({ length: 12 }, (_, i) => {
        const choice = (round * 5 + i * 7) % 4;
        return ask(server, 2 + (choice % 3), 'abcd'[choice]!, 1 + i);
      });
      await Promise.all(asks);
    }
    await becomes(server, { loom_specializations: 1, loom_device_executables: COLD + 1 });
    await isQuiet(server);
  }));

test('what cannot be specialized fails with stage and key, and its company is served', () =>
  withScaled(4, async (server) => {
    for (const [bind, message] of [
      ['u', /stage scaled\.forward: .*scaled\.unknown/],
      ['p', /stage scaled\.forward: .*scaled\.hidden/],
      ['w', /stage scaled\.forward: .*scaled\.enabled/],
      ['x', /stage scaled\.forward: .*scaled\.enabled/],
      ['b', /config 'scaled\.scale' of stage 1 \(scaled\.forward\) is bound twice: to 2 and to 3/],
    ] as const) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const company = [1, 2, 3].map((value) => ask(server, 2, 'a', value));
        const outcome = await rejection(server.embed('scaled', [`2${bind}a!`]));
        assert.match(outcome.message, message);
        await Promise.all(company);
      }
    }
    await becomes(server, { loom_specializations: 1, loom_device_executables: COLD + 1 });
    await isQuiet(server);
  }));

test('a new generation compiles its own, and the old one leaves nothing behind', () =>
  withScaled(4, async (server) => {
    await ask(server, 2);
    const { generation: old } = await server.serving.modelState('scaled');
    const changed = writePackage(
      { ...scaled, 'kernel.loom': scaled['kernel.loom']!.replace('x[i] * scale', 'x[i] + scale') },
      { id: 'scaled' },
    );
    await server.serve(changed.folder);
    changed.remove();
    const before = await started(server);
    const { rows, generation } = await server.embed('scaled', [`2aa${String.fromCharCode(7)}`]);
    assert.is(generation, old + 1);
    assert.equal(rows[0], Float32Array.of(9));
    assert.is(await started(server), before + 1);
    await becomes(server, { loom_specializations: 1, loom_device_executables: COLD + 1 });
    await server.serving.unregister('scaled');
    await becomes(server, { loom_device_executables: 0 });
  }));

test('leaving joins a compile that was accepted, before the generation gives up its programs', () =>
  withScaled(4, async (server, folder) => {
    await server.topology.record('model-0');
    let cut = false;
    for (let scale = 2; scale < 60 && !cut; scale += 1) {
      const abort = new AbortController();
      const left = server
        .embed('scaled', [`${String.fromCharCode(48 + scale)}aa!`], { signal: abort.signal })
        .catch((error: { code: string }) => assert.is(error.code, 'cancelled'));
      // At every moment, on machines of every speed.
      const delayMs = (scale % 7) * (1 + scale / 7);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      abort.abort();
      await server.serving.unregister('scaled');
      await left;
      await becomes(server, { loom_device_executables: 0 });
      const records = (await server.topology.records('model-0')) as SystemRecord[];
      const at = (actor: RegExp, state: string): number =>
        records.findIndex(
          (record) =>
            record.type === 'transition' && actor.test(record.actor) && record.to === state,
        );
      const compiling = at(/\/specializations\//, 'compiling');
      const draining = at(/@\d+$/, 'draining');
      const ready = at(/\/specializations\//, 'ready');
      cut = compiling >= 0 && draining > compiling && ready > draining;
      if (cut) assert.ok(at(/@\d+$/, 'retired') > ready, 'it waited for the compile');
      await server.serve(folder);
    }
    assert.ok(cut, 'some compile was under way when the model was unregistered');
  }));

test.after(() => shared.close());

test.run();
