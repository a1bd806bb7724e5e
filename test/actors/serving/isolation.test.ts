/**
 * One member's fault is its own. Each row of the table sends a culprit among members that behave,
 * on real threads, while both cohorts in flight are busy, so that they share a cohort: the others
 * get their rows, the culprit an error that says why, the next request its row, and nothing stays.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { faultyTexts, good, writePackage } from './faulty-package.js';
import { isQuiet } from './quiet.js';

interface Fault {
  readonly text: string;
  readonly name: string;
  readonly code: string;
  readonly message: RegExp;
  /** The cohort that held it goes apart. */
  readonly dissolves: boolean;
}

const fault = (row: Omit<Fault, 'code' | 'dissolves'> & Partial<Fault>): Fault => ({
  code: 'internal',
  dissolves: true,
  ...row,
});
const request = { dissolves: false } as const;
const fuel = (entry: string, line: number): RegExp =>
  new RegExp(`${entry} \\(control\\.loom:${line}:\\d+\\): out of fuel: .*50000 steps .*capacity`);
const lineOf = (part: string): number =>
  faultyTexts['control.loom']!.slice(0, faultyTexts['control.loom']!.indexOf(part)).split('\n')
    .length;

const faults: readonly Fault[] = [
  fault({ text: '0', name: 'no units', message: /0 units; at least 1/, ...request }),
  fault({ text: '-', name: 'negative units', message: /-1 units; at least 1/, ...request }),
  fault({
    text: 'L',
    name: 'units above the limit',
    code: 'invalidArgument',
    message: /takes 17 units, .* at most 16 \(batch_units .* deployment\.capacity\.batch_units/,
    ...request,
  }),
  fault({
    text: 'T',
    name: 'a trap in prepare_request',
    message: /prepare_request.*:13:/,
    ...request,
  }),
  fault({
    text: 'P',
    name: 'an endless loop in prepare_request',
    code: 'resourceExhausted',
    message: fuel('prepare_request', lineOf('while fault == 80')),
    ...request,
  }),
  fault({ text: 's', name: 'an unknown stage', message: /stage 9; stages 0 to 3 are declared/ }),
  fault({ text: 'd', name: 'a negative stage', message: /stage -1; stages 0 to 3/ }),
  fault({ text: 'o', name: "another invocation's stage", message: /stage 4; stages 0 to 3/ }),
  fault({ text: 'r', name: 'output beyond capacity', message: /68 physical bytes; 1 to 64/ }),
  fault({ text: 'u', name: 'payload beyond capacity', message: /upload of 68 bytes; at most 64/ }),
  fault({ text: 'l', name: 'a row outside the live prefix', message: /live prefix has 0/ }),
  fault({ text: 'b', name: 'a row beyond the output', message: /bytes 64 to 68; the live prefix/ }),
  fault({
    text: 'm',
    name: 'a missing row',
    message: /ends after 2 words, before the number of rows/,
  }),
  fault({ text: 'w', name: 'a doubled row', message: /2 rows for request 0; 1 expected/ }),
  fault({ text: 'x', name: 'a row of nobody', message: /1 words after the last of 1 requests/ }),
  fault({ text: 'n', name: 'a value that is not finite', message: /NaN/, dissolves: false }),
  fault({ text: 't', name: 'a trap in prepare_batch', message: /prepare_batch \(control\.loom:/ }),
  fault({
    text: 'e',
    name: 'an endless loop in prepare_batch',
    code: 'resourceExhausted',
    message: fuel('prepare_batch', lineOf('while fault == 101')),
  }),
  fault({ text: 'R', name: 'a trap in run', message: /\.run \(control\.loom:/ }),
  fault({
    text: 'E',
    name: 'an endless loop in run',
    code: 'resourceExhausted',
    message: fuel('run', lineOf('while stage == 2')),
  }),
  fault({ text: 'N', name: 'a run that executes nothing', message: /'run' executed no stage/ }),
  fault({
    text: 'k',
    name: 'an endless loop in a kernel',
    code: 'resourceExhausted',
    message: /kernel .*decide.* ran too long/,
  }),
];

/** Fuel is low, so that loops end soon; also proof that the deployment's own limit holds. */
const document = { id: 'faulty', deployment: { capacity: { fuel: 50_000 } } };

const shared = sharedServer();

async function withFaulty(body: (server: TestServer) => Promise<void>): Promise<void> {
  const { folder, remove } = writePackage(faultyTexts, document);
  try {
    await shared.with([folder], body);
  } finally {
    remove();
  }
}

/** Cohorts that went apart since it was asked last. */
async function dissolved({ topology }: TestServer): Promise<number> {
  const records = (await topology.records('model-0')) as SystemRecord[];
  return records.filter((record) => record.type === 'transition' && record.to === 'dissolved')
    .length;
}

const values = [1, 2, 3, 4, 5, 6];
const rowOf = async (server: TestServer, value: number): Promise<void> => {
  const { rows } = await server.embed('faulty', [good(value)]);
  assert.equal(rows[0], Float32Array.of(value));
};

/** The culprit in the middle; two before it keep both places for cohorts busy. */
async function among(server: TestServer, text: string): Promise<{ code: string; message: string }> {
  const peers = values.slice(0, 4).map((value) => rowOf(server, value));
  const culprit = rejection(server.embed('faulty', [text]));
  peers.push(...values.slice(4).map((value) => rowOf(server, value)));
  const [outcome] = await Promise.all([culprit, ...peers]);
  return outcome;
}

test('a fault ends its own request only, whatever it shares a cohort with', () =>
  withFaulty(async (server) => {
    await server.topology.record('model-0');
    for (const { text, name, code, message, dissolves } of faults) {
      let apart = 0;
      // Whom it meets depends on the threads; somebody it must meet to prove anything.
      for (let attempt = 0; attempt < (dissolves ? 50 : 1) && apart === 0; attempt += 1) {
        const outcome = await among(server, `${text}!`);
        assert.is(outcome.code, code, name);
        assert.match(outcome.message, message, name);
        apart += await dissolved(server);
      }
      assert.is(apart > 0, dissolves, `${name}: a shared cohort goes apart`);
      await rowOf(server, 7);
      await isQuiet(server);
    }
  }));

test('members that fail only in company are all served alone', () =>
  withFaulty(async (server) => {
    await server.topology.record('model-0');
    let apart = 0;
    for (let attempt = 0; attempt < 50 && apart === 0; attempt += 1) {
      const peers = values.map((value) => rowOf(server, value));
      const { rows } = await server.embed('faulty', ['v!']);
      assert.equal(rows[0], Float32Array.of(33));
      await Promise.all(peers);
      apart += await dissolved(server);
    }
    assert.ok(apart > 0);
    await isQuiet(server);
  }));

test('a request of several inputs fails as one when one input does, and tells why', () =>
  withFaulty(async (server) => {
    const outcome = await rejection(server.embed('faulty', [good(1), 'R!', good(2)]));
    assert.match(outcome.message, /\.run \(control\.loom:/);
    const refused = await rejection(server.embed('faulty', [good(1), 'L!']));
    assert.match(refused.message, /input\[1\]: .*17 units/);
    await rowOf(server, 9);
    await isQuiet(server);
  }));

test('a stage that an earlier invocation declared is unknown to the next', () =>
  withFaulty(async (server) => {
    const { rows } = await server.embed('faulty', ['D!']);
    assert.equal(rows[0], Float32Array.of(33));
    const outcome = await rejection(server.embed('faulty', ['o!']));
    assert.match(outcome.message, /stage 4; stages 0 to 3 are declared/);
  }));

test('members cancelled while their cohort goes apart or before their turn alone end once', () =>
  withFaulty(async (server) => {
    await server.topology.record('model-0');
    for (let round = 0; round < 15; round += 1) {
      const culprit = rejection(server.embed('faulty', ['E!']));
      const leavers = Array.from({ length: 8 }, (_, at) => {
        const abort = new AbortController();
        setTimeout(() => abort.abort(), at / 2);
        const options = { signal: abort.signal };
        return server.embed('faulty', [good(at)], options).then(
          ({ rows }) => assert.equal(rows[0], Float32Array.of(at)),
          (error: { code: string }) => assert.is(error.code, 'cancelled'),
        );
      });
      const stayers = values.map((value) => rowOf(server, value));
      assert.match((await culprit).message, /\.run /);
      await Promise.all([...leavers, ...stayers]);
      await isQuiet(server);
    }
    const letters = ((await server.topology.records('model-0')) as SystemRecord[]).flatMap(
      (record) => (record.type === 'deadLetter' ? [record.letter] : []),
    );
    // That all have left may be told to a cohort that has just ended: nobody waits for an answer.
    const told = letters.filter(({ kind }) => kind.startsWith('member'));
    const lost = told.filter(({ kind }) => kind !== 'members.left');
    assert.equal(lost, [], 'whoever offered is there until the last member came back');
  }));

test.after(() => shared.close());

test.run();
