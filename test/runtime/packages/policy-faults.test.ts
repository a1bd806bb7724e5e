/** What is wrong with parameters, and how a package author reads it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError, toStatus } from '../../../runtime/base/errors.js';
import type { WeightedFiles } from './weighted-package.js';
import { checkpoint, prepareWeighted, wholePolicy, wholeTensors } from './weighted-package.js';

const net = checkpoint(wholeTensors());

function refusal(given: WeightedFiles) {
  try {
    prepareWeighted({ files: { 'net.safetensors': net }, ...given });
  } catch (error) {
    assert.instance(error, StatusError);
    return toStatus(error);
  }
  throw new Error('the package was accepted');
}

const message = (given: WeightedFiles): string => refusal(given).message;

/** Declares `forward` with these further lines. */
const declaring = (lines: string): string => `let first = stage(@forward, 0)
let weights = source(root, "net.safetensors")
${lines}`;
const bound = declaring('parameter(first, 0, 0, weights, @whole)');

/** `whole` with one line in place of another. */
const changed = (from: string, to: string): string => {
  assert.ok(wholePolicy.includes(from));
  return wholePolicy.replace(from, to);
};

test('control: it is accepted unchanged', () => {
  const plan = prepareWeighted({ declare: bound, files: { 'net.safetensors': net } });
  assert.is(plan.parameters.banks.length, 1);
});

test('bindings are those of the stage, all of them, with inputs from zero', () => {
  const rows: [declare: string, expected: RegExp][] = [
    [
      declaring('parameter(first, 1, 0, weights, @whole)'),
      /stage w\.forward: binding 1, input 0: there is no such bank; its banks are 0 \(net\)/,
    ],
    [
      declaring('let b = stage(@bare, 1)\nparameter(b, 0, 0, weights, @whole)'),
      /stage w\.forward: binding 0 \(net\) has no parameters; declare input 0 with prepare\.parameter/,
    ],
    [
      `let b = stage(@bare, 1)
let weights = source(root, "net.safetensors")
parameter(b, 0, 0, weights, @whole)`,
      /stage w\.bare: binding 0, input 0: there is no such bank; it has no banks/,
    ],
    [
      declaring('parameter(first, 0, 1, weights, @whole)'),
      /stage w\.forward: binding 0, input 0 is not declared, but input 1 is: inputs count from 0/,
    ],
    [
      declaring('parameter(first, 0, 0, weights, @whole)\nparameter(first, 0, 2, weights, @whole)'),
      /binding 0, input 1 is not declared, but input 2 is/,
    ],
  ];
  for (const [declare, expected] of rows) assert.match(message({ declare }), expected);
});

test('what one call can tell has its position', () => {
  const rows: [lines: string, expected: RegExp][] = [
    ['parameter(first, 0, 0, 3, @whole)', /binding 0, input 0\) of stage 0 .*no source 3/],
    ['source_append(4, root, "x")', /prepare\.source_append: there is no source 4/],
    ['let b = source(root, "lost.gguf")', /no parameter file "\.\/lost\.gguf" in the package/],
    ['let b = source(root, "../../x")', /"\.\/\.\.\/\.\.\/x" escapes/],
    ['let b = source(root, "kernel.loom")', /kernel\.loom: format: expected a GGUF or safetensors/],
    ['source_append(weights, root, "kernel.loom")', /kernel\.loom: format/],
    ['source_append(weights, "", "net.safetensors")', /net\.safetensors is a shard of source 0/],
    ['let t = find(weights, "norms")', /net\.safetensors has no tensor "norms" \(nearest: "norm"/],
    ['let t = find(1, "norm")', /weights: there is no source 1; sources 0 to 0/],
    [
      'copy("norm", 0, find(weights, "norm"), 0, 1)',
      /weights\.copy: parameters are placed by policies only/,
    ],
    ['fill("table", @counting)', /weights\.fill: parameters are placed by policies only/],
    ['let j = asset("config.json")', /no file "config\.json"/],
    ['let j = asset("kernel.loom")', /kernel\.loom: not JSON/],
  ];
  for (const [lines, expected] of rows) {
    const status = refusal({
      declare: declaring(`${lines}\nparameter(first, 0, 0, weights, @whole)`),
    });
    assert.match(status.message, expected);
    assert.match(status.where!, /^prepare\.loom:\d+:\d+$/, lines);
  }
});

test('a policy is a function of the right form', () => {
  const policies = `${wholePolicy}func.def hidden() { }\nfunc.def export given(a: i64) { }\n`;
  const policy = (symbol: string) => {
    const declare = declaring(`parameter(first, 0, 0, weights, ${symbol})`);
    return refusal({ declare, policies });
  };
  const rows: [symbol: string, expected: RegExp][] = [
    ['@w.policies.given', /'w\.policies\.given' has parameters or results; a policy is/],
    ['@counting', /'w\.counting' is a kernel; a policy is/],
    ['@forward', /'w\.forward' is a command/],
  ];
  for (const [symbol, expected] of rows) {
    const status = policy(symbol);
    assert.match([status.message, ...(status.details ?? [])].join('\n'), expected);
    assert.match(
      [status.message, ...(status.details ?? [])].join('\n'),
      /(kernel|policies)\.loom:\d+:\d+/,
    );
  }
});

test('what a policy does wrong has the position of its line, the stage and the field', () => {
  const rows: [from: string, to: string, expected: RegExp][] = [
    ['copy("norm"', 'copy("norms"', /no field "norms" \(nearest: "norm"\)/],
    ['find(0, "norm")', 'find(0, "nrm")', /has no tensor "nrm" \(nearest: "norm"/],
    [
      'find(0, "norm")',
      'find(1, "norm")',
      /input 1 of policy @w\.policies\.whole; it has inputs 0 to 0/,
    ],
    ['find(0, "norm"), 0, 1)', 'find(0, "norm"), 0, 2)', /has 1 rows of 4 elements; asked for 2/],
    ['copy("norm", 0', 'copy("norm", 1', /field "norm": elements 1 to 5 are outside its 4/],
    ['place("qkv", width', 'place("qkv", width - 1', /field "qkv": rows 3 to 7 overlap 0 to 4/],
    ['width, 2, "f32"', 'width, 0, "f32"', /field "qkv": blocks of 0 rows/],
    [
      '"raw", @words',
      '"f32", @words',
      /field "raw": @w\.words takes view<u8>; encoding "f32" needs view<f32>/,
    ],
    ['"raw", @words', '"q8", @words', /field "raw": encoding "q8"/],
    [
      '"raw", @words',
      '"raw", @counting',
      /field "raw": @w\.counting takes no source; weights\.fill runs it/,
    ],
    [
      'fill("table", @counting)',
      'fill("table", @turned)',
      /@w\.turned packs rows of a source; weights\.place/,
    ],
    ['fill("table", @counting)', 'fill("table", @plain)', /'plain' is no loader/],
    [
      'fill("table", @counting)',
      'fill("table", @forward)',
      /'w\.forward' is a command, not a kernel/,
    ],
    [
      'fill("table", @counting)',
      'fill("norm", @counting)',
      /"norm": it is filled by weights\.copy and by weights\.fill/,
    ],
    ['fill("table", @counting)', 'fail("no table of {}", width)', /no table of 4/],
    ['fill("table", @counting)', 'while true { }', /out of fuel/],
  ];
  for (const [from, to, expected] of rows) {
    const status = refusal({
      declare: bound,
      policies: changed(from, to),
      change: { deployment: { capacity: { fuel: 2000 } } },
    });
    assert.match([status.message, ...(status.details ?? [])].join('\n'), expected);
    assert.match(
      status.message,
      /^stage w\.forward: w\.policies\.whole \(policies\.loom:\d+:\d+\): /,
      to,
    );
    assert.match(status.where!, /^policies\.loom:\d+:\d+$/, to);
  }
});

test('what nothing covers is told with the policy, the field and the range', () => {
  const rows: [from: string, to: string, expected: RegExp][] = [
    ['fill("table", @counting)', '', /field "table": nothing covers it: bytes 0 to 32/],
    [
      'place("qkv", width, find(0, "k"), 0, width, 2, "f32", @turned)',
      '',
      /field "qkv": rows 4 to 8 are not covered/,
    ],
    [
      'copy("norm", 0, find(0, "norm"), 0, 1)',
      'copy("norm", 0, find(0, "bias"), 0, 1)',
      /field "norm": bytes 8 to 16 are not covered/,
    ],
  ];
  for (const [from, to, expected] of rows) {
    const status = refusal({ declare: bound, policies: changed(from, to) });
    assert.match(status.message, expected);
    assert.match(
      status.message,
      /^stage w\.forward: w\.policies\.whole \(policies\.loom:\d+:\d+\): /,
    );
  }
});

test('stages that share a bank agree, or both are named with the fields that differ', () => {
  const declare = `${bound}
let second = stage(@other, 1)
config_i64(second, "w.width", 8)
parameter(second, 1, 0, weights, @whole)
parameter(second, 0, 0, weights, @head)`;
  assert.match(
    message({ declare }),
    /stages w\.forward \(bank net\) and w\.other \(bank net\) share parameters of policy @w\.policies\.whole, and their fields differ: norm: f32\[4\] there, norm: f32\[8\] here/,
  );
  const wrong = declaring(`parameter(first, 0, 0, weights, @whole)
let second = stage(@other, 1)
parameter(second, 1, 0, weights, @whole)
parameter(second, 0, 0, weights, @whole)`);
  assert.match(message({ declare: wrong }), /norm: f32\[4\] there, bias: f32\[2\] here/);
});

test('shards of one checkpoint must fit together', () => {
  const declare = declaring(
    'source_append(weights, root, "more")\nparameter(first, 0, 0, weights, @whole)',
  );
  const files = { 'net.safetensors': net, more: checkpoint({ q: { shape: [1], values: [1] } }) };
  assert.match(
    message({ declare, files }),
    /more: tensor "q": expected each name once in all shards/,
  );
});

test.run();
