import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decisions, distributionProblem } from '../../../runtime/profiles/decisions.js';
import type { Question } from '../../../runtime/profiles/decisions.js';
import { checkPrepare, checkPreparedBatch } from '../../../runtime/profiles/finite.js';
import {
  frameOf,
  locateMember,
  memberCount,
  separate,
} from '../../../runtime/profiles/finite-request.js';
import { encodePacket, RequestPacket } from '../../../runtime/profiles/request-packet.js';
import { words } from './tables.js';

const choice: Question = { kind: 'choice', text: 'Which?', context: 'ü', labels: ['b', 'a'] };
const yesNo: Question = { kind: 'yes_no', text: 'Is it?', context: '' };
const score: Question = { kind: 'score', text: 'How?', context: '', min: -1, max: 2 };
const body = { profile: 'decisions', questions: [choice, yesNo, score] } as const;

test('a question is framed as the records of the README', () => {
  const read = (member: number): unknown[] => {
    const packet = new RequestPacket(encodePacket(frameOf(body, member).records));
    return Array.from({ length: packet.count }, (_, at) =>
      packet.kind(at) === 1 ? packet.text(at) : packet.number(at),
    );
  };
  assert.equal(read(0), ['Which?', 'ü', 1, 2, 0, 'b', 'a']);
  assert.equal(read(1), ['Is it?', '', 2, 2, 0, 'yes', 'no']);
  assert.equal(read(2), ['How?', '', 3, 4, -1, '-1', '0', '1', '2']);
  assert.equal(
    [0, 1, 2].map((member) => frameOf(body, member).values),
    [2, 2, 4],
  );
});

test('a request comes apart into its questions, and an error says whose it is', () => {
  assert.is(memberCount(body), 3);
  assert.equal(
    separate(body),
    [choice, yesNo, score].map((question) => ({ profile: 'decisions', questions: [question] })),
  );
  const status = { code: 'invalidArgument', message: 'no' } as const;
  const located = { ...status, message: 'questions[2]: no', param: 'questions[2]' };
  assert.equal(locateMember(status, body, 2), located);
  const alone = { profile: 'decisions', questions: [yesNo] } as const;
  assert.equal(locateMember(status, alone, 0), { ...status, param: 'questions' });
  const fault = { code: 'internal', message: 'no' } as const;
  assert.equal(locateMember(fault, alone, 0), fault);
});

const row = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

test('a row that is no distribution is told by what is wrong with it', () => {
  assert.is(decisions.rowProblem, distributionProblem);
  assert.is(distributionProblem(row(0.25, 0.75)), null);
  assert.is(distributionProblem(row(1)), null);
  assert.match(distributionProblem(row(1.5, -0.5))!, /probability -0\.5 for answer 1/);
  assert.match(distributionProblem(row(0.5, 0.51))!, /add up to 1\.00999/);
  assert.match(distributionProblem(row(0, 0))!, /add up to 0;/);
});

test('the sum may be off by 1e-6 and by no more, whatever the number of answers', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 1024 }),
      fc.constantFrom(-3e-6, -1.5e-6, 0, 1.5e-6, 3e-6),
      (weights, error) => {
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const values = weights.map((weight) => Math.fround(weight / total));
        const sum = values.reduce((all, value) => all + value, 0);
        // The largest takes the error, so that its own rounding is the smallest part of it.
        const largest = values.indexOf(Math.max(...values));
        values[largest] = Math.fround(values[largest]! + (1 - sum) + error);
        const reached = values.reduce((all, value) => all + value, 0);
        const isGood = Math.abs(reached - 1) <= 1e-6;
        assert.is(distributionProblem(row(...values)) === null, isGood);
        assert.is(isGood, error === 0);
      },
    ),
    { numRuns: 200 },
  );
});

test('a plan must give each question as many values as it has answers', () => {
  const good = { batchUnits: 8n, uploadBytes: 64n, outputBytes: 128n, resultBytes: 64n };
  const context = { values: [2, 3], stages: 1, capacities: checkPrepare(good) };
  const batch = (first: number, second: number) => ({
    stage: 0n,
    upload: new Uint8Array(0),
    plan: words(64, 64, 1, 0, first, 1, 16, second),
  });
  assert.is(checkPreparedBatch(batch(8, 12), context).stage, 0);
  assert.throws(
    () => checkPreparedBatch(batch(8, 8), context),
    /a row of 2 values for request 1, which asks for 3/,
  );
  assert.throws(
    () => checkPreparedBatch(batch(12, 12), context),
    /a row of 3 values for request 0/,
  );
});

test.run();
