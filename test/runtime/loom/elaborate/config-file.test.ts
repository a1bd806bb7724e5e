/** `config.loom`: what binds, and that nothing in it is passed over in silence. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { evaluateConfigFile } from '../../../../runtime/loom/elaborate/config-file.js';
import { defaultTarget } from '../../../../runtime/loom/elaborate/configuration.js';
import { LoomError } from '../../../../runtime/loom/diagnostics.js';
import { catalogOf } from './programs.js';

const keys = `library k
config.decl rows : i32 = 1
config.decl width : i64 = 8
config.decl eps : f32 = 1.0
config.decl fast : bool = false`;

const evaluate = (config: string, target = defaultTarget) =>
  evaluateConfigFile(catalogOf({ k: keys, 'config.loom': config }), 'config.loom', target);

/** All that is wrong, as it is shown. */
function faults(config: string): string {
  try {
    evaluate(config);
  } catch (error) {
    assert.instance(error, LoomError, String(error));
    return ((error as LoomError).status.details as readonly string[]).join('\n');
  }
  return '';
}

test('it binds by name and may use facts and constants of its own', () => {
  const { bindings, factsRead } = evaluate(
    `library k.config
const.def half = target.tile_m / 2
const.def export rows = half * 3
const.def export eps = 0.25
const.def export width : i64 = 0x10
const.def export fast : bool = 2 > 1`,
    { ...defaultTarget, tile_m: 8 },
  );
  const bound = Object.fromEntries(bindings);
  assert.equal(bound, { 'k.rows': 12n, 'k.eps': 0.25, 'k.width': 16n, 'k.fast': true });
  assert.equal(factsRead, ['tile_m']);
});

test('a real key takes whole numbers that it can hold', () => {
  assert.equal([...evaluate('const.def export eps = 2').bindings], [['k.eps', 2]]);
});

test('whatever binds nothing, or not what the key takes, is an error at its place', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['const.def rows = 3', /config\.loom:1:\d+: 'rows' is not exported[^]*hint: .*export rows/],
    ['const.def spare = 3', /config\.loom:1:\d+: 'spare' is not exported[^]*export spare/],
    ['\nconst.def export wdth = 3', /config\.loom:2:\d+: .*'wdth' \(did you mean 'k\.width'\?\)/],
    ['const.def export nobody = 3', /:1:\d+: .*'nobody' \(keys: k\.rows, k\.width, k\.eps, k\.f/],
    ['const.def export width : f32 = 3.0', /:1:\d+: .*'k\.width' is i64[^]*write i64/],
    ['const.def export width : i32 = 3', /:1:\d+: .*'k\.width' is i64/],
    ['const.def export width = 3.0', /:1:\d+: .*'width': 3\.0 is no i64/],
    ['const.def export width = true', /:1:\d+: .*'width': true is no i64/],
    ['const.def export fast = 1', /:1:\d+: .*'fast': 1 is no bool/],
    ['const.def export rows = 2147483648', /:1:\d+: .*'rows': 2147483648 is outside .* i32/],
    ['const.def export eps = 1e39', /:1:\d+: .*'eps': 1e\+39 is no f32 value/],
    ['const.def export eps = 16777217', /:1:\d+: .*'eps': 16777217 is no f32 value/],
    ['const.def export width = "8"', /:1:\d+: 'width' is no bool, integer or real/],
    ['const.def export width = nothing', /:1:\d+: .*'nothing'/],
    ['const.def export width = k.rows * 2', /:1:\d+: 'width' reads configuration \(k\.rows\)/],
  ];
  for (const [config, expected] of rows) assert.match(faults(config), expected, config);
});

test('every fault is told at once, and a good constant beside it is none', () => {
  const told = faults('const.def export rows = 3\nconst.def width = 3\nconst.def export epz = 1.0');
  assert.match(told, /config\.loom:2:/);
  assert.match(told, /config\.loom:3:/);
  assert.not.match(told, /config\.loom:1:/);
});

test('a key of two libraries cannot be named by its last segment', () => {
  const texts = {
    a: 'library a\nconfig.decl n : i64 = 1',
    b: 'library b\nconfig.decl n : i64 = 1',
  };
  const catalog = catalogOf({ ...texts, c: 'const.def export n = 3' });
  assert.throws(() => evaluateConfigFile(catalog, 'c', defaultTarget), /c:1:\d+: .*a\.n, b\.n/);
});

test.run();
