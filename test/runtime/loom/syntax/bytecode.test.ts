/** The reader trusts nothing: whatever the bytes, it gives the one right tree or one diagnostic. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decode } from '../../../../runtime/loom/syntax/bytecode-reader.js';
import { encode } from '../../../../runtime/loom/syntax/bytecode-writer.js';
import { print } from '../../../../runtime/loom/syntax/print.js';
import { encoded, places, sealed, sectionsOf, stringTable } from './sealed.js';
import type { Sections } from './sealed.js';

const program = `library a.b
use m { exp }
/// A layout.
layout.def T { x: i32, y: f32[4] }
template.def <N: i64, T: f32 | f32x4>
kernel.def export k(x: in view<f32>, n: i32) workgroup(N) grid(4) {
  shared part : f32[64]
  for i in 0..n step 2 unroll {
    once { x[i] = select(i < 3, -1.5, f<N, @g>(R { a: 0x1fu })) }
  }
  if n == 1 { return } else { let s = "text" }
}
command.def c(r: root, w: param B) { dispatch k<1>(r) grid(2)\npart }
`;
const valid = encoded(program);

function complaint(bytes: Uint8Array): string {
  const { module, diagnostics } = decode('f.loombc', bytes);
  assert.is(module.kind, 'module');
  if (diagnostics.length === 0) return '';
  assert.is(diagnostics.length, 1);
  assert.is(diagnostics[0]!.file, 'f.loombc');
  return diagnostics[0]!.message;
}

const with_ = (change: Partial<Sections>): Uint8Array =>
  sealed({ ...sectionsOf(valid), ...change });

test('the helpers of this test seal like the writer', () => {
  assert.equal(sealed(sectionsOf(valid)), valid);
  assert.is(complaint(valid), '');
});

test('a file cut at any byte is refused', () => {
  for (let length = 0; length < valid.length; length += 1) {
    assert.not.equal(complaint(valid.slice(0, length)), '', `cut at ${length}`);
  }
});

test('bytes behind the end are refused', () => {
  assert.match(complaint(Uint8Array.of(...valid, 0)), 'its header says');
});

test('any flipped bit outside the positions is refused by the digest or before', () => {
  const { strings, nodes } = sectionsOf(valid);
  const end = 24 + strings.length + nodes.length;
  for (let index = 0; index < end; index += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const bytes = valid.slice();
      bytes[index]! ^= 1 << bit;
      assert.not.equal(complaint(bytes), '', `bit ${bit} of byte ${index}`);
    }
  }
});

/** With the digest made right again, what remains must be a tree that text can say. */
function checkResealed(sections: Sections): void {
  const bytes = sealed(sections);
  const { module, diagnostics } = decode('f', bytes);
  assert.ok(diagnostics.length <= 1);
  if (diagnostics.length === 0) assert.equal(encode(module), bytes, print(module));
}

test('any flipped bit under a right digest gives another program or an error', () => {
  const sections = sectionsOf(valid);
  for (const name of ['strings', 'nodes', 'positions'] as const) {
    for (let index = 0; index < sections[name].length; index += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = sections[name].slice();
        changed[index]! ^= 1 << bit;
        checkResealed({ ...sections, [name]: changed });
      }
    }
  }
});

test('any section cut or grown under a right digest is refused', () => {
  const sections = sectionsOf(valid);
  for (const name of ['strings', 'nodes', 'positions'] as const) {
    for (let length = 0; length < sections[name].length; length += 1) {
      const cut = sealed({ ...sections, [name]: sections[name].slice(0, length) });
      assert.not.equal(complaint(cut), '', `${name} cut at ${length}`);
    }
    const grown = sealed({ ...sections, [name]: Uint8Array.of(...sections[name], 1) });
    assert.not.equal(complaint(grown), '', `${name} grown`);
  }
});

test('random sections give a tree or an error', () => {
  const { strings, positions } = sectionsOf(valid);
  const opcode = fc.constantFrom(
    ...[0, 1, 2, 3, 16, 17, 22, 23, 25, 35, 48, 64, 73, 96, 100, 104, 127, 255],
  );
  const body = fc.array(fc.oneof(opcode, fc.nat(5)), { maxLength: 80 });
  fc.assert(
    fc.property(body, (bytes) => {
      // The head of a module with one function, then anything.
      const nodes = Uint8Array.of(1, 0, 0, 1, 22, ...bytes);
      checkResealed({ strings, nodes, positions });
    }),
    { numRuns: 3000 },
  );
});

const leb = (value: number): number[] =>
  value < 128 ? [value] : [128 + (value % 128), ...leb(Math.floor(value / 128))];
/** A module of one constant `a`, up to its type: `library ''`, no uses, one declaration. */
const head = [1, 0, 0, 1, 17, 0, 0, 1, 0];
const constant = (...value: number[]): Uint8Array => constantOf(value.length, value);
const constantOf = (nodeCount: number, value: number[]): Uint8Array =>
  sealed({
    strings: stringTable('', 'a', '1', 'b'),
    nodes: Uint8Array.of(...head, ...value),
    positions: places(2 + nodeCount),
  });

const faults: readonly [name: string, bytes: Uint8Array, message: RegExp][] = [
  ['no bytes', new Uint8Array(0), /does not begin like bytecode/],
  ['another magic', Uint8Array.of(1, ...valid.slice(1)), /does not begin like bytecode/],
  [
    'another version',
    Uint8Array.of(...valid.slice(0, 8), 2, ...valid.slice(9)),
    /version 2 is not known/,
  ],
  [
    'a huge length',
    Uint8Array.of(...valid.slice(0, 12), 255, 255, 255, 255, ...valid.slice(16)),
    /its header says/,
  ],
  [
    'a promised million of strings',
    with_({ strings: Uint8Array.of(...leb(1e6)) }),
    /promises 1000000 items/,
  ],
  [
    'a promised billion of nodes',
    with_({ nodes: Uint8Array.of(1, 0, ...leb(1e9)) }),
    /promises 1000000000 items/,
  ],
  [
    'a number without end',
    with_({ nodes: Uint8Array.of(1, 255, 255, 255, 255, 255, 255) }),
    /number that is too large/,
  ],
  ['a number written too long', with_({ nodes: Uint8Array.of(1, 128, 0) }), /written too long/],
  ['a text that is not UTF-8', with_({ strings: Uint8Array.of(1, 1, 0xff) }), /not UTF-8/],
  ['a string out of the table', with_({ nodes: Uint8Array.of(1, 100) }), /uses string 100 of/],
  [
    'a declaration where a module stands',
    with_({ nodes: Uint8Array.of(17) }),
    /opcode 17 where a module stands/,
  ],
  ['a statement where an expression stands', constant(0, 70), /opcode 70 where a expr stands/],
  ['a block where an expression stands', constant(0, 35, 0), /opcode 35 where a expr stands/],
  ['an unknown opcode', constant(0, 200), /opcode 200 where a expr stands/],
  ['an expression where a type stands', constant(96), /opcode 96 where a type stands/],
  ['a name that is no name', constant(0, 100, 2), /"1" where a name stands/],
  ['an integer that is none', constant(0, 96, 1, 0, 0), /"a" as an integer/],
  ['a float that is none', constant(0, 97, 2), /"1" as a float/],
  ['a flag of 2', constant(0, 96, 2, 2, 0), /has 2 for yes or no/],
  ['an operator out of range', constant(0, 102, 3, 100, 1), /choice 3 of 3/],
  ['a call of a number', constant(0, 104, 96, 2, 0, 0, 0, 0), /opcode 96 where a callee stands/],
  [
    'a member of a name, which is a name',
    constantOf(2, [0, 107, 100, 1, 3]),
    /not the one that its text gives/,
  ],
  [
    'a call within a sum within 100 sums',
    constant(
      0,
      ...Array<number>(100)
        .fill(102)
        .flatMap((op) => [op, 0]),
      100,
      1,
    ),
    /nests deeper than 64 levels/,
  ],
  [
    'strings that nobody uses',
    with_({
      strings: Uint8Array.of(
        sectionsOf(valid).strings[0]! + 1,
        ...sectionsOf(valid).strings.slice(1),
        1,
        120,
      ),
    }),
    /not the one that its text gives/,
  ],
  [
    'positions before the file',
    with_({ positions: Uint8Array.of(3, ...sectionsOf(valid).positions.slice(1)) }),
    /place outside any file/,
  ],
];

for (const [name, bytes, message] of faults) {
  test(`${name} is refused`, () => assert.match(complaint(bytes), message));
}

test('few bytes cannot print to gigabytes', () => {
  const count = 100000;
  const call = [0, 104, 100, 1, 0];
  const args = Array.from({ length: count }, () => [98, 2]).flat();
  const bytes = sealed({
    strings: Buffer.concat([
      stringTable('', 'a').fill(3, 0, 1),
      Buffer.of(...leb(100000)),
      Buffer.alloc(100000, 'x'),
    ]),
    nodes: Uint8Array.from([...head, ...call, ...leb(count), ...args]),
    positions: places(count + 4),
  });
  assert.match(complaint(bytes), /prints to more than 8388608 bytes/);
});

test('a file of more than 4 MiB is not looked at', () => {
  const bytes = new Uint8Array(4 * 1024 * 1024 + 1);
  bytes.set(valid);
  assert.is(complaint(bytes), 'the file has 4194305 bytes; the limit is 4194304');
});

test('bytecode at an odd place in memory reads the same', () => {
  const shifted = new Uint8Array(valid.length + 3).subarray(3);
  shifted.set(valid);
  assert.is(complaint(shifted), '');
});

test.run();
