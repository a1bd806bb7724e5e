/**
 * What a package's own run gets wrong at the device is the package's fault: `internal`, 500 over
 * HTTP, with the name of its program, and the next package of that name serves.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { errorAnswer } from '../../../http/errors.js';
import { rejection, withServer } from '../running-server.js';
import { faultyTexts, good, writePackage } from './faulty-package.js';
import { isQuiet } from './quiet.js';

const execute = 'execute_2(stage, input, output)';
const launch = 'grid(1)';

interface Wrong {
  readonly name: string;
  readonly run?: string;
  readonly grid?: string;
  readonly message: RegExp;
}

const wrongs: readonly Wrong[] = [
  {
    name: 'a grid beyond the limit',
    grid: 'grid(word(input, 0) * 65536)',
    message: /kernel .*decide.* of faulty\.forward\) was given a grid extent of \d+; .* 65535/,
  },
  {
    name: 'roots that share bytes',
    run: 'execute_2(stage, output, output)',
    message: /roots 'input' and 'output' of faulty\.forward are bound to overlapping bytes/,
  },
  {
    name: 'a root that is too short',
    grid: 'grid(word(input, 4))',
    run: 'execute_2(stage, input.slice(0, 4), output)',
    message: /root 'input' of faulty\.forward needs at least 8 bytes and was given 4/,
  },
  {
    name: 'words of bytes that a device wrote',
    grid: 'grid(word(input, 0))',
    run: 'execute_2(stage, output, input)',
    message: /root 'input' of faulty\.forward is read on the host at submission/,
  },
];

test("a package's mistakes at the device are its own, not those of who asks", () =>
  withServer([], async (server) => {
    for (const { name, run = execute, grid = launch, message } of wrongs) {
      const texts = {
        ...faultyTexts,
        'control.loom': faultyTexts['control.loom']!.replace(execute, run),
        'kernel.loom': faultyTexts['kernel.loom']!.replace(launch, grid),
      };
      const { folder, remove } = writePackage(texts, { id: 'wrong' });
      try {
        await server.serve(folder);
        const outcome = await rejection(server.embed('wrong', [good(1), good(2)]));
        assert.match(outcome.message, message, name);
        assert.is(outcome.code, 'internal', name);
        const answer = errorAnswer(new StatusError(outcome.code as 'internal', outcome.message));
        assert.is(answer.status, 500, name);
      } finally {
        remove();
      }
    }
    const { folder, remove } = writePackage(faultyTexts, { id: 'wrong' });
    await server.serve(folder);
    remove();
    const { rows } = await server.embed('wrong', [good(7)]);
    assert.equal(rows[0], Float32Array.of(7));
    await isQuiet(server);
  }));

test.run();
