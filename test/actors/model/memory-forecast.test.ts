/** A package's own estimate on real threads: what can never fit is told before it is prepared. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { faultyTexts, good, writePackage, type Texts } from '../serving/faulty-package.js';
import { isQuiet } from '../serving/quiet.js';

const MEMORY_BYTES = 64 * 1024 * 1024;

/** A text of L bytes and more members: L MiB each. Texts of 9 bytes break the estimate. */
const estimate = `func.def export estimate(state: ref, ranges: buffer, descriptors: buffer) -> (i64, i64, i64) {
  var bytes = 0
  for m in 0..ranges.len / 16 {
    let length = descriptors.i64[ranges.i64[2 * m] / 8 + 1]
    if length == 9 { return (-1, 0, 0) }
    if length == 8 { reject("eight bytes") }
    bytes += length * 1048576
  }
  return (bytes / 2, bytes / 4, bytes / 4)
}
`;

const forecasting: Texts = {
  ...faultyTexts,
  'prepare.loom': faultyTexts['prepare.loom']!.replace(
    'use faulty',
    'use faulty.control { estimate }\nuse faulty',
  )
    .replace('record.def', 'func.decl import("prepare") memory_forecast(entry: symbol)\nrecord.def')
    .replace('  let right', '  memory_forecast(@estimate)\n  let right'),
  'control.loom': `${faultyTexts['control.loom']!}${estimate}`,
};

const shared = sharedServer({ memoryBytes: MEMORY_BYTES });

async function withForecast(
  body: (server: TestServer) => Promise<void>,
  texts = forecasting,
): Promise<void> {
  const { folder, remove } = writePackage(texts, { id: 'faulty' });
  try {
    await shared.with([folder], body);
  } finally {
    remove();
  }
}

test('what can never fit is refused before it is prepared; what fits is answered', () =>
  withForecast(async (server) => {
    const { rows } = await server.embed('faulty', [good(7)]);
    assert.equal(rows[0], Float32Array.of(7));
    // 'P' would never come back from prepare_request.
    const long = `P${'x'.repeat(64)}`;
    const { code, message } = await rejection(server.embed('faulty', [long]));
    assert.is(code, 'resourceExhausted');
    assert.match(message, /can never fit: .* 68157440 bytes/);
    assert.match(message, /the limit is 67108864 \(--memory\)/);
    // Each alone would fit.
    const several = Array.from({ length: 3 }, () => 'a'.repeat(30));
    assert.match((await rejection(server.embed('faulty', several))).message, /can never fit/);
    await Promise.all([1, 2, 3].map((value) => server.embed('faulty', [good(value)])));
    await isQuiet(server);
  }));

test('an estimate that fails is told to whoever asked, and to nobody else', () =>
  withForecast(async (server) => {
    const company = [1, 2].map((value) => server.embed('faulty', [good(value)]));
    const broken = await rejection(server.embed('faulty', ['a'.repeat(9)]));
    assert.match(broken.message, /'estimate' of the package returned private_peak = -1/);
    const rejected = await rejection(server.embed('faulty', ['a'.repeat(8)]));
    assert.is(rejected.code, 'invalidArgument');
    assert.match(rejected.message, /eight bytes/);
    await Promise.all(company);
    await isQuiet(server);
  }));

test('an estimate of another signature, or of another file, is refused at registration', async () => {
  const typed = forecasting['control.loom']!.replace(
    '-> (i64, i64, i64) {\n  var',
    '-> i64 {\n  var',
  )
    .replace('return (-1, 0, 0)', 'return -1')
    .replace('return (bytes / 2, bytes / 4, bytes / 4)', 'return bytes');
  const other = forecasting['prepare.loom']!.replace('@estimate', '@prepare');
  const cases: [texts: Texts, expected: RegExp][] = [
    [{ ...forecasting, 'control.loom': typed }, /estimate.*\(i64, i64, i64\)/],
    [{ ...forecasting, 'prepare.loom': other }, /memory_forecast takes an exported function of/],
  ];
  for (const [texts, expected] of cases) {
    const outcome = await rejection(withForecast(() => Promise.resolve(), texts));
    assert.match(outcome.message, expected);
  }
});

test.after(() => shared.close());

test.run();
