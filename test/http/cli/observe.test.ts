/** `trace` and `explain`: what they print, and what they say when there is nothing to print. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../http/cli/program.js';
import type { Composition } from '../../../http/serving.js';
import type { Explanation } from '../../../http/observing.js';
import { withServer } from '../listening.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], composition: Partial<Composition> = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isInteractive: false,
  };
  const code = await runCommand(args, { terminal, load: async () => composition as Composition });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('a trace is summed up, and written for other tools where asked for', async () => {
  const asked: object[] = [];
  const summary = { seconds: 1.5, lost: 3, counts: { message: 12 }, threads: ['main', 'device'] };
  const composition: Partial<Composition> = {
    readTraceFile: async (options) => {
      asked.push(options);
      return summary;
    },
  };
  const shown = await run(['trace', '/a/trace'], composition);
  assert.is(shown.code, 0);
  assert.is(shown.out, '1.500 s of main, device, 3 records lost\n  message      12');
  const written = await run(['trace', '/a/trace', '--chrome', '/b/out', '--json'], composition);
  assert.equal(JSON.parse(written.out), summary);
  assert.is(written.err, 'wrote /b/out');
  assert.equal(asked, [
    { file: '/a/trace', chromeFile: null },
    { file: '/a/trace', chromeFile: '/b/out' },
  ]);
});

const waiting: Explanation = {
  request: 'a/b',
  model: 'm',
  address: 'model-0:/models/m@1/requests/1',
  thread: 'model-0',
  kind: 'finiteRequest',
  state: 'waiting',
  ageMs: 1_250,
  waiting: [
    { reason: 'units', text: 'its 3 units do not fit', unblockedBy: 'its turn', details: {} },
    { reason: 'work', text: 'a work runs', unblockedBy: 'its retirement', details: {} },
  ],
};

test('an explanation is a line a reason, from the request to what holds it up', () =>
  withServer(async ({ observing }, { url }) => {
    observing.explanations = [waiting, { ...waiting, address: null, waiting: [] }];
    const { code, out } = await run(['explain', 'a/b', '--url', `${url}/`]);
    assert.is(code, 0);
    assert.is(
      out,
      [
        'a/b (m, 1.25 s): finiteRequest model-0:/models/m@1/requests/1 is waiting',
        '  units: its 3 units do not fit',
        '    goes on with its turn',
        '    work: a work runs',
        '      goes on with its retirement',
        '',
        'a/b (m, 1.25 s): no actor has it yet',
        '  it waits for nothing',
      ].join('\n'),
    );
    const json = await run(['explain', 'a/b', '--url', url, '--json']);
    assert.equal((JSON.parse(json.out) as Explanation[])[0], waiting);
  }));

test('with a token where the server wants one', () =>
  withServer(
    async ({ observing }, { url }) => {
      observing.explanations = [waiting];
      const refused = await run(['explain', 'a/b', '--url', url]);
      assert.is(refused.code, 1);
      assert.match(refused.err, /admin routes need the header/);
      const { code } = await run(['explain', 'a/b', '--url', url, '--admin-token', 'secret']);
      assert.is(code, 0);
    },
    { admin: { loopback: true, token: 'secret' } },
  ));

test('no such request, and no server', () =>
  withServer(async (_made, { url }) => {
    const missing = await run(['explain', 'nobody', '--url', url]);
    assert.is(missing.code, 1);
    assert.match(missing.err, /says: no request with the id nobody/);
    const nowhere = await run(['explain', 'a', '--url', 'http://127.0.0.1:1']);
    assert.is(nowhere.code, 1);
    assert.match(nowhere.err, /no server answers at http:\/\/127.0.0.1:1 \(--url\)/);
  }));

test.run();
