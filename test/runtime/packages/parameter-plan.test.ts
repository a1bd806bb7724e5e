import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileStage } from '../../../runtime/packages/compile-stage.task.js';
import type { PreparationPlan } from '../../../runtime/packages/prepare-package.js';
import { writeGguf } from '../../../runtime/parameters/checkpoints/gguf-writer.js';
import {
  carryOut,
  checkpoint,
  prepareWeighted,
  weightedKernel,
  wholePolicy,
  wholeTensors,
} from './weighted-package.js';
import { finitePlan } from './small-package.js';

const forward = `let first = stage(@forward, 0)
let weights = source(root, "net.safetensors")
parameter(first, 0, 0, weights, @whole)`;
const net = checkpoint(wholeTensors());
const files = { 'net.safetensors': net };

const floatsOf = (bytes: Uint8Array | undefined) => [...new Float32Array(bytes!.slice().buffer)];
const row = (first: number) => Array.from({ length: 4 }, (_, index) => first + 3 - index);
const turned = (first: number) => [0, 4, 8, 12].flatMap((offset) => row(first + offset));

/** What `wholePolicy` makes of `wholeTensors(first)`. */
function checkWhole(fields: ReadonlyMap<string, Uint8Array>, first = 0): void {
  assert.equal(
    floatsOf(fields.get('norm')),
    [1, 2, 3, 4].map((value) => first + value),
  );
  assert.equal(
    floatsOf(fields.get('qkv')),
    [100, 200, 300].flatMap((at) => turned(first + at)),
  );
  assert.equal([...new Uint32Array(fields.get('raw')!.slice().buffer)], [7, 8, 9, 10]);
  assert.equal(floatsOf(fields.get('table')), [1, 1, 1, 1, 2, 2, 2, 2]);
}

const banksOf = ({ parameters }: PreparationPlan) => parameters.banks;

test('a policy becomes a plan that fills every field as it says', () => {
  const plan = prepareWeighted({ declare: forward, files });
  const { banks, stageBanks, loaders, sources, indexes } = plan.parameters;
  assert.equal(stageBanks, [[0]]);
  assert.equal(sources, [
    { files: [{ name: 'net.safetensors', descriptor: -1, bytes: net.length }] },
  ]);
  assert.is(indexes[0]!.tensors.size, 6);
  const [bank] = banks;
  assert.is(bank!.label, 'net by @w.policies.whole');
  assert.match(bank!.key, /^[0-9a-f]{32}$/);
  assert.equal(
    bank!.fields.map(({ name, offset, bytes }) => [name, offset, bytes]),
    [
      ['norm', 0, 16],
      ['qkv', 256, 192],
      ['raw', 512, 16],
      ['table', 768, 32],
    ],
  );
  assert.is(bank!.bytes, 1024);
  assert.equal(loaders.map((each) => each.declaration.symbol.name).sort(), [
    'w.counting',
    'w.turned',
    'w.words',
  ]);
  assert.equal([...bank!.loaders].sort(), loaders.map((each) => each.id).sort());
  checkWhole(carryOut(plan, bank!, [[net]]));
});

test('steps read the file from its start to its end', () => {
  const [bank] = banksOf(prepareWeighted({ declare: forward, files }));
  const offsets = bank!.steps.flatMap((step) => ('from' in step ? [step.from.offset] : []));
  assert.equal(
    offsets,
    [...offsets].sort((left, right) => left - right),
  );
  assert.is(bank!.steps[0]!.op, 'fill');
});

test('loaders compile like stages; plans cross threads', () => {
  const plan = prepareWeighted({ declare: forward, files });
  const roots = plan.parameters.loaders.map((_, index) =>
    compileStage(structuredClone(plan.compileLoader(index))).reflection.roots.map(
      (each) => each.name,
    ),
  );
  assert.equal(
    roots.sort((left, right) => left.length - right.length),
    [['dst'], ['packet', 'src', 'dst'], ['packet', 'src', 'dst']],
  );
  assert.equal(structuredClone(plan.parameters), plan.parameters);
  const { reflection } = compileStage(plan.compileStage(0));
  assert.equal(
    reflection.banks[0]!.fields.map((field) => field.name),
    ['norm', 'qkv', 'raw', 'table'],
  );
});

test('shards are one checkpoint, in order of declaration', () => {
  const { q, raw, ...others } = wholeTensors();
  const shards = [checkpoint(others), checkpoint({ q }), checkpoint({ raw })];
  const declare = `let first = stage(@forward, 0)
let weights = source(root, "1.safetensors")
source_append(weights, "", "more/2.safetensors")
source_append(weights, root + "/more", "./3.safetensors")
parameter(first, 0, 0, weights, @whole)`;
  const [first, second, third] = shards as [Uint8Array, Uint8Array, Uint8Array];
  const plan = prepareWeighted({
    declare,
    files: { '1.safetensors': first, 'more/2.safetensors': second, 'more/3.safetensors': third },
  });
  assert.equal(
    plan.parameters.sources[0]!.files.map((file) => file.name),
    ['1.safetensors', 'more/2.safetensors', 'more/3.safetensors'],
  );
  checkWhole(carryOut(plan, banksOf(plan)[0]!, [shards]));
});

test('equal files and policy are one bank, whichever stages bind it', () => {
  const declare = `let a = source(root, "net.safetensors")
let b = source(root, "./net.safetensors")
let first = stage(@forward, 0)
let second = stage(@other, 1)
let third = stage(@bare, 2)
let fourth = dispatch(@plain, 3)
parameter(first, 0, 0, a, @whole)
parameter(second, 1, 0, b, @whole)
parameter(second, 0, 0, a, @head)`;
  const plan = prepareWeighted({ declare, files });
  const { stageBanks, banks } = plan.parameters;
  assert.equal(stageBanks, [[0], [1, 0], [], []]);
  assert.equal(
    banks.map((bank) => bank.label),
    ['net by @w.policies.whole', 'head by @w.policies.head'],
  );
  const contents = [[net], [net]];
  checkWhole(carryOut(plan, banks[0]!, contents));
  assert.equal(floatsOf(carryOut(plan, banks[1]!, contents).get('bias')), [0.5, 0.25]);
});

test('other files, or other arguments, are another bank; its loaders are shared', () => {
  const policies = `${wholePolicy}
template.def <N: i64>
func.def export nth() { whole() }`;
  const declare = (policy: string, path: string) => `let a = source(root, "net.safetensors")
let b = source(root, "${path}")
let first = stage(@forward, 0)
let second = stage(@forward, 1)
parameter(first, 0, 0, a, @nth<1>)
parameter(second, 0, 0, b, ${policy})`;
  const banks = (policy: string, path: string) => {
    const plan = prepareWeighted({
      declare: declare(policy, path),
      policies,
      files: { ...files, 'other.safetensors': net },
    });
    assert.is(plan.parameters.loaders.length, 3);
    return new Set(banksOf(plan).map((bank) => bank.key)).size;
  };
  assert.is(banks('@nth<1>', 'net.safetensors'), 1);
  assert.is(banks('@nth<2>', 'net.safetensors'), 2);
  assert.is(banks('@nth<1>', 'other.safetensors'), 2);
});

test('one policy combines checkpoints that hold equal keys', () => {
  const policies = `func.def export both() {
  copy("bias", 0, find(0, "half"), 0, 1)
  copy("bias", 1, find(1, "half"), 0, 1)
}`;
  const half = (value: number) => checkpoint({ half: { shape: [1], values: [value] } });
  const declare = (first: number, second: number) => `let a = source(root, "a")
let b = source(root, "b")
let only = stage(@w.head_only, 0)
parameter(only, 0, 1, ${second}, @both)
parameter(only, 0, 0, ${first}, @both)`;
  const kernel = `library w
bank.def Head { bias: f32[2] }
kernel.def copy(w: in view<f32>, y: out view<f32>) workgroup(2) { parallel i in 0..2 { y[i] = w[i] } }
command.def export head_only(input: root, output: root, head: param Head) { dispatch copy(head.bias, output) grid(1) }`;
  const contents = [[half(3)], [half(4)]];
  const [a, b] = contents.flat() as [Uint8Array, Uint8Array];
  const bias = (first: number, second: number) => {
    const plan = prepareWeighted({
      declare: declare(first, second),
      policies,
      kernel,
      files: { a, b },
    });
    return floatsOf(carryOut(plan, banksOf(plan)[0]!, contents).get('bias'));
  };
  assert.equal(bias(0, 1), [3, 4]);
  assert.equal(bias(1, 0), [4, 3]);
});

test('a loader may be a template; each of its instances is a program', () => {
  const policies = wholePolicy
    .replace('@turned)', '@scaled<2>)')
    .replace('"f32", @turned)', '"f32", @scaled<3>)')
    .replace('"f32", @turned)', '"f32", @scaled<2>)');
  const kernel = `${weightedKernel}
template.def <N: i64>
kernel.def export scaled(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(1) {
  once { for i in 0..rows * cols { dst[at * cols + i] = src[i] * f32(N) } }
}`;
  const plan = prepareWeighted({ declare: forward, policies, kernel, files });
  const [bank] = banksOf(plan);
  const shown = plan.parameters.loaders.map(({ declaration: { symbol } }) => [
    symbol.name,
    symbol.args,
  ]);
  assert.equal(shown.filter(([name]) => name === 'w.scaled').sort(), [
    ['w.scaled', ['2']],
    ['w.scaled', ['3']],
  ]);
  const factors = [2, 3, 2];
  const expected = factors.flatMap((factor, part) =>
    Array.from({ length: 16 }, (_, index) => factor * (100 * (part + 1) + index)),
  );
  assert.equal(floatsOf(carryOut(plan, bank!, [[net]]).get('qkv')), expected);
});

test('a policy sees the configuration of the first stage of its domain, and so do its loaders', () => {
  const declare = `let first = stage(@forward, 0)
config_i64(first, "w.width", 2)
let weights = source(root, "small")
parameter(first, 0, 0, weights, @whole)`;
  const square = (first: number) => ({
    shape: [2, 2],
    values: [first, first + 1, first + 2, first + 3],
  });
  const { raw } = wholeTensors();
  const small = checkpoint({
    norm: { shape: [2], values: [1, 2] },
    q: square(10),
    k: square(20),
    v: square(30),
    raw,
  });
  const plan = prepareWeighted({ declare, files: { small } });
  const [bank] = banksOf(plan);
  assert.is(bank!.fields[1]!.bytes, 48);
  assert.equal(
    floatsOf(carryOut(plan, bank!, [[small]]).get('qkv')),
    [11, 10, 13, 12, 21, 20, 23, 22, 31, 30, 33, 32],
  );
  assert.equal(plan.parameters.loaders[0]!.declaration.config, [['w.width', '2']]);
});

test('checkpoints and JSON files tell prepare what to declare', () => {
  const gguf = writeGguf(
    [{ name: 'norm', type: 'F32', shape: [3, 4], bytes: new Uint8Array(48) }],
    { 'net.layers': { type: 'u32', value: 7 } },
  );
  const declare = `let first = stage(@bare, 0)
let a = source(root, "a.gguf")
let b = source(root, "net.safetensors")
let settings = asset("config/net.json")
require(kind(a) == "gguf" && kind(b) == "safetensors", "kinds")
require(count(b) == 6 && key(b, 0) == "bias" && key(b, 5) == "v", "keys")
require(has(b, "q") && !has(a, "q"), "presence")
let norm = find(a, "norm")
require(rank(norm) == 2 && dim(norm, 0) == 3 && dim(norm, 1) == 4 && type(norm) == "F32", "shape")
require(meta_i64(a, "net.layers", 1) == 7 && meta_string(b, "made by", "nobody") == "nobody", "metadata")
require(get_i64(settings, "layers.0.width", 0) == 12, "settings")`;
  const plan = prepareWeighted({
    declare,
    files: { ...files, 'a.gguf': gguf, 'config/net.json': '{"layers": [{"width": 12}]}' },
  });
  assert.equal(plan.parameters.banks, []);
  assert.equal(plan.parameters.stageBanks, [[]]);
  assert.is(plan.parameters.indexes[0]!.format, 'gguf');
  assert.is(finitePlan(plan).memoryForecast, null);
});

test.run();
