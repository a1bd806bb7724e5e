/**
 * The table is a table: numbers unique, kinds told apart by place, everything generated and read.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leveledRoles, shapesByRole } from '../../../runtime/loom/opcodes.js';
import { modules } from '../../generators/syntax.js';

const shapes = [...new Set(Object.values(shapesByRole).flat())];

test('an opcode names one kind for ever', () => {
  // Part of the format: a change here is a change of every stored file.
  const table = [...new Map(shapes.map(({ op, kind }) => [op, kind]))]
    .sort(([left], [right]) => left - right)
    .map(([op, kind]) => `${op} ${kind}`)
    .join(', ');
  assert.is(
    table,
    '1 module, 2 use, 16 config, 17 const, 18 record, 19 layout, 20 bank, 21 import, 22 func, ' +
      '23 kernel, 24 command, 25 check, 32 templateParam, 33 field, 34 param, 35 block, ' +
      '36 fieldValue, 48 namedType, 49 arrayType, 50 funcType, 64 let, 65 var, 66 assign, 67 if, ' +
      '68 for, 69 while, 70 break, 71 continue, 72 return, 73 do, 74 parallel, 75 once, 76 shared, ' +
      '77 private, 78 workspace, 79 dispatch, 80 part, 96 int, 97 float, 98 string, 99 bool, ' +
      '100 name, 101 symbol, 102 unary, 103 binary, 104 call, 105 array, 106 index, 107 member, ' +
      '108 record',
  );
});

test('in every role kinds and opcodes are distinct, and none is the absent node', () => {
  for (const [role, allowed] of Object.entries(shapesByRole)) {
    assert.ok(allowed.length > 0, role);
    assert.is(new Set(allowed.map(({ op }) => op)).size, allowed.length, role);
    assert.is(new Set(allowed.map(({ kind }) => kind)).size, allowed.length, role);
    assert.ok(
      allowed.every(({ op }) => op > 0 && op < 128),
      role,
    );
  }
});

test('only expressions and types are levels', () => {
  for (const role of leveledRoles) {
    assert.ok(shapesByRole[role].every(({ op }) => op >= 48 && op !== 35 && (op < 64 || op >= 96)));
  }
});

test('the generator makes every kind and every field of the table', () => {
  const seen = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || !('kind' in node)) return;
    for (const [name, value] of Object.entries(node)) {
      seen.add(`${String(node.kind)}.${name}`);
      visit(value);
    }
  };
  fc.sample(modules, { numRuns: 600, seed: 1 }).forEach(visit);
  const expected = shapes.flatMap(({ kind, fields }) => [
    `${kind}.at`,
    ...fields.map(([name]) => `${kind}.${name}`),
  ]);
  assert.equal(
    expected.filter((entry) => !seen.has(entry)),
    [],
  );
});

test.run();
