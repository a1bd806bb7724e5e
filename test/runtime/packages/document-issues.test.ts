/** What a schema finds is told by path and expectation, also where several forms are allowed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { caseSchema } from '../../../runtime/packages/check-case.js';
import { readChecked } from '../../../runtime/packages/check-request.js';
import { scenarioSchema } from '../../../runtime/packages/check-scenario.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { StatusError } from '../../../runtime/base/errors.js';

type Schema = Parameters<typeof readChecked>[2];

function told(schema: Schema, document: unknown): readonly string[] {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  try {
    readChecked(new MemoryFiles(new Map([['x.json', bytes]])), 'x.json', schema);
  } catch (error) {
    assert.instance(error, StatusError);
    return (error as StatusError).status.details as readonly string[];
  }
  throw new Error('it must be refused');
}

const step = (one: unknown): readonly string[] =>
  told(scenarioSchema, { steps: [{ send: 'a', request: { input: 'b' } }, one], expect: {} });

test('a step is told by the form that it is nearest to', () => {
  const rows: readonly (readonly [unknown, readonly RegExp[]])[] = [
    [
      { send: 'b', request: 5 },
      [/^x\.json: steps\[1\]\.request: expected an object, got a number$/],
    ],
    [{ pause_ms: 'long' }, [/steps\[1\]\.pause_ms: expected a number, got a string$/]],
    [{ pause_ms: -1 }, [/steps\[1\]\.pause_ms: expected at least 0$/]],
    [{ cancel: '' }, [/steps\[1\]\.cancel: expected a string that is not empty$/]],
    [{ send: 'b', request: { inputs: 'c' } }, [/steps\[1\]\.request\.inputs: unknown field$/]],
    ['wait', [/steps\[1\]: expected an object, got a string$/]],
    [{ wait: 'a' }, [/steps\[1\]: one of these: .*wait: unknown field.*\.cancel.*missing/]],
  ];
  for (const [one, expected] of rows) {
    const lines = step(one);
    assert.is(lines.length, expected.length, lines.join('\n'));
    expected.forEach((pattern, index) => assert.match(lines[index] as string, pattern));
  }
});

test('so is what a case expects and asks', () => {
  const case_ = (change: object): string =>
    told(caseSchema, { request: { input: 'a' }, expect: { rows: [[1]] }, ...change }).join('\n');
  assert.match(
    case_({ expect: { rows: [] } }),
    /expect\.rows: expected an array that is not empty/,
  );
  assert.match(case_({ expect: { rows: [['1']] } }), /expect\.rows\[0\]\[0\]: expected a number/);
  assert.match(case_({ expect: { program: 'a.loom' } }), /expect\.function: .* missing/);
  const refusal = case_({ expect: { error: { code: 'no', message: 'm' } } });
  assert.match(refusal, /expect\.error\.code: expected one of "[^]*got "no"/);
  assert.match(case_({ request: { input: 5 } }), /request\.input: .*a string.*an array/);
  assert.match(case_({ request: { input: [] } }), /request\.input: expected an array that is not/);
  for (const change of [
    { expect: 5 },
    { request: { questions: 5 } },
    { bound: { absolute: -1 } },
  ]) {
    assert.not.match(case_(change), /Invalid/);
  }
});

test.run();
