import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bufferFunctions } from '../../../runtime/modules/buffer.js';
import { chatFunctions } from '../../../runtime/modules/chat.js';
import { DeclarationRecorder } from '../../../runtime/modules/declaration-recorder.js';
import { inputFunctions } from '../../../runtime/modules/input.js';
import { capabilityTable, findSignature, moduleTables } from '../../../runtime/modules/modules.js';
import { optionsFunctions, OptionsValue } from '../../../runtime/modules/options.js';
import { parametersFunctions } from '../../../runtime/modules/parameters.js';
import { prepareFunctions } from '../../../runtime/modules/prepare.js';
import { RunnerRecorder } from '../../../runtime/modules/runner-recorder.js';
import { runnerFunctions } from '../../../runtime/modules/runner.js';
import { capabilityText } from '../../../runtime/modules/signature-table.js';
import { weightsFunctions } from '../../../runtime/modules/weights.js';
import { encodePacket, RequestPacket } from '../../../runtime/profiles/request-packet.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { repositoryRoot } from '../packages/repository-root.js';

const tokenizer = new Tokenizer(
  readFileSync(join(repositoryRoot, 'models/embedding/tokenizer.json')),
  'tokenizer.json',
);

test('every signature has a function, and every function a signature', () => {
  const functions = {
    buffer: bufferFunctions,
    chat: chatFunctions({ render: () => '' }),
    input: inputFunctions({ packet: () => null, tokenizer: null }),
    options: optionsFunctions(),
    parameters: parametersFunctions(() => new RunnerRecorder({ stages: [], slots: [] })),
    prepare: prepareFunctions(() => new DeclarationRecorder()),
    runner: runnerFunctions(() => new RunnerRecorder({ stages: [], slots: [] })),
    weights: weightsFunctions({
      source: () => {
        throw new Error('nothing is open');
      },
      placements: null,
    }),
  };
  assert.equal(Object.keys(functions).sort(), Object.keys(moduleTables).sort());
  for (const [module, table] of Object.entries(moduleTables)) {
    const names = table.map((entry) => entry.name);
    assert.equal(Object.keys(functions[module as keyof typeof functions]).sort(), names);
    assert.equal(names, [...names].sort());
  }
});

test('signatures are written as the language writes them', () => {
  const shown = (module: string, name: string) => capabilityText(findSignature(module, name)!);
  assert.is(shown('runner', 'execute_0'), 'runner.execute_0(i64) -> work');
  assert.is(shown('runner', 'execute_2'), 'runner.execute_2(i64, hal.buffer, hal.buffer) -> work');
  assert.is(shown('input', 'encode'), 'input.encode(string, i64, i64) -> (buffer, i64)');
  assert.is(shown('prepare', 'config'), 'prepare.config(i64, string, string)');
  assert.is(findSignature('runner', 'execute_9'), null);
  assert.is(findSignature('nothing', 'stage'), null);
});

test('a table has every capability; a module without functions raises when called', () => {
  const table = capabilityTable('prepare_request', { buffer: bufferFunctions });
  const rows = Object.values(moduleTables).flat();
  const names = rows.map(({ module, name }) => `${module}.${name}`);
  assert.equal([...table.keys()], names);
  assert.ok(names.every((name) => table.get(name) !== undefined));
  assert.is(table.get('buffer.nothing'), undefined);
  const call = (name: string, ...args: unknown[]) =>
    (table.get(name)!.run as (...all: unknown[]) => unknown)(null, ...args);
  assert.equal(call('buffer.from_string', 'a'), [Uint8Array.of(97)]);
  assert.throws(
    () => call('runner.fence', {}),
    /runner\.fence\(work\) -> hal\.fence: this cannot be called in prepare_request/,
  );
});

test('options are read by path, with defaults and typed errors', () => {
  const options = new OptionsValue({
    direct: true,
    size: 7,
    scale: 1.5,
    name: 'x',
    head: { layers: [{ width: 3 }, { width: 4 }] },
    none: null,
  });
  const { get_i64, get_f64, get_bool, get_string, has, count, join_path } = optionsFunctions();
  assert.equal(get_i64!(options, 'size', 1n), [7n]);
  assert.equal(get_i64!(options, 'missing', 1n), [1n]);
  assert.equal(get_i64!(options, 'none', 1n), [1n]);
  assert.equal(has!(options, 'none'), [false]);
  assert.equal(get_i64!(options, 'head.layers.1.width', 1n), [4n]);
  assert.equal(get_i64!(options, 'head.layers.2.width', 1n), [1n]);
  assert.equal(get_f64!(options, 'scale', 0), [1.5]);
  assert.equal(get_f64!(options, 'size', 0), [7]);
  assert.equal(get_bool!(options, 'direct', false), [true]);
  assert.equal(get_string!(options, 'name', ''), ['x']);
  assert.equal(has!(options, 'head.layers'), [true]);
  assert.equal(has!(options, 'head.toString'), [false]);
  assert.equal(count!(options, 'head.layers'), [2n]);
  assert.equal(count!(options, 'nothing'), [0n]);
  assert.equal(join_path!('', 'a'), ['a']);
  assert.equal(join_path!('a', 'b'), ['a.b']);
  assert.throws(
    () => get_i64!(options, 'scale', 1n),
    /definition\.options\.scale: expected an integer, got 1\.5/,
  );
  assert.throws(() => get_bool!(options, 'size', false), /options\.size: expected true or false/);
  assert.throws(
    () => get_string!(options, 'head', ''),
    /options\.head: expected a string, got {"layers"/,
  );
  assert.throws(() => count!(options, 'head'), /options\.head: expected an array/);
  assert.throws(() => get_i64!({}, 'size', 1n), /no options object/);
  const asset = new OptionsValue([{ width: 'x' }], 'config.json');
  assert.throws(
    () => get_i64!(asset, '0.width', 1n),
    /config\.json\.0\.width: expected an integer/,
  );
});

test('buffers: order, text and back', () => {
  const { compare, from_string, to_string } = bufferFunctions;
  const bytes = (...values: number[]) => Uint8Array.from(values);
  assert.equal(compare!(bytes(1, 2), bytes(1, 2)), [0n]);
  assert.equal(compare!(bytes(1, 2), bytes(1, 3)), [-1n]);
  assert.equal(compare!(bytes(1, 200), bytes(1, 3)), [1n]);
  assert.equal(compare!(bytes(1), bytes(1, 0)), [-1n]);
  assert.equal(to_string!(from_string!('žluť 🐎')[0]), ['žluť 🐎']);
  assert.throws(() => to_string!(bytes(0xff)), /not UTF-8/);
});

test('input records and tokens', () => {
  const packet = new RequestPacket(
    encodePacket([
      { kind: 'text', text: 'the end' },
      { kind: 'number', number: 3 },
    ]),
  );
  const input = inputFunctions({ packet: () => packet, tokenizer });
  assert.equal(input['count']!(), [2n]);
  assert.equal(input['kind']!(0n), [1n]);
  assert.equal(input['text']!(0n), ['the end']);
  assert.equal(input['number']!(1n), [3]);
  const [ids, live] = input['encode']!('the end', 4n, 16n) as [Uint8Array, bigint];
  assert.is(ids.length, 64);
  const cut = ids.slice(0, Number(live) * 4);
  const [bytes, length] = input['decode']!(cut, 1n, 16n) as [Uint8Array, bigint];
  assert.is(new TextDecoder().decode(bytes.subarray(0, Number(length))), 'the end');
  assert.throws(() => input['decode']!(ids.subarray(0, 6), 1n, 16n), /6 bytes; ids are i32/);
  assert.throws(() => input['bytes']!(2n), /record 2/);
});

test('without a tokenizer or a request, input says so', () => {
  const input = inputFunctions({ packet: () => null, tokenizer: null });
  assert.throws(() => input['encode']!('a', 0n, 4n), /no tokenizer/);
  assert.throws(() => input['count']!(), /prepare_request and prompt_ids only/);
});

test.run();
