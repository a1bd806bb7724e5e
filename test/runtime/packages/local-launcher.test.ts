/** Checks of a package repeated by compiled code. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { checkFunctions } from '../../../runtime/packages/check-functions.js';
import { loadPackage } from '../../../runtime/packages/load-package.js';
import { LocalLauncher } from '../../../runtime/packages/local-launcher.js';
import type { CommandProgram } from '../../../runtime/loom/typed.js';
import type { Launcher } from '../../../runtime/vm/checks/run-checks.js';
import { smallKernel, smallPackage } from './small-package.js';

const checks = `
check.def copies {
  let words = buffer.new(16)
  for i in 0..4 { words.i32[i] = i32(i) - 2 }
  let result = launch(@forward, list<buffer>(words), list<i64>(16), list<i64>())[0]
  let wanted = buffer.new(16)
  for i in 0..4 { wanted.f32[i] = f32(i - 2) }
  expect_equal(result, wanted)
}
`;

/** Counts what the launcher that it wraps is given, and may spoil the result. */
class Watched implements Launcher {
  readonly name = 'a watched device';
  readonly names: string[] = [];
  readonly #inner: Launcher;
  readonly #spoils: boolean;

  constructor(inner: Launcher, spoils: boolean) {
    this.#inner = inner;
    this.#spoils = spoils;
  }

  async launch(program: CommandProgram, roots: readonly Uint8Array[]): Promise<void> {
    this.names.push(program.name);
    await this.#inner.launch(program, roots);
    if (this.#spoils) roots[1]![3]! ^= 128;
  }
}

const run = (launcher: Launcher, kernel = smallKernel + checks) => {
  const { document, files } = smallPackage({ kernel });
  const loaded = loadPackage(document, files);
  return checkFunctions('kernel.loom', { loaded, facts: localFacts(), launchers: [launcher] });
};

test('a check passes on the interpreter and, launch by launch, on compiled code', async () => {
  const watched = new Watched(new LocalLauncher(), false);
  const items = await run(watched);
  assert.equal(
    items.map(({ name, outcome }) => [name, outcome]),
    [['kernel.loom: copies', 'passed']],
  );
  assert.equal(watched.names, ['small.forward']);
});

test('compiled code that differs fails the check and says where', async () => {
  const [item] = await run(new Watched(new LocalLauncher(), true));
  assert.is(item!.outcome, 'failed');
  assert.match(item!.details[0]!, /forward on a watched device differs .* 'output': byte 3/);
});

test('one launcher runs programs of different sizes, larger and smaller', async () => {
  const launcher = new LocalLauncher();
  const sized = (count: number): string => `library small
kernel.def double(x: in view<i32>, y: out view<i32>) workgroup(4) {
  parallel i in 0..4 { y[workgroup.x * 4 + i] = 2 * x[workgroup.x * 4 + i] }
}
command.def export forward(input: root, output: root) { dispatch double(input, output) grid(${count}) }
check.def doubles {
  let words = buffer.new(${16 * count})
  let wanted = buffer.new(${16 * count})
  for i in 0..${4 * count} {
    words.i32[i] = i32(i)
    wanted.i32[i] = i32(2 * i)
  }
  expect_equal(launch(@forward, list<buffer>(words), list<i64>(${16 * count}), list<i64>())[0], wanted)
}
`;
  for (const count of [1, 500, 2]) {
    const [item] = await run(launcher, sized(count));
    assert.is(item!.outcome, 'passed', item!.details.join('\n'));
  }
});

test.run();
