import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../http/cli/program.js';
import type {
  CheckReport,
  Composition,
  DeviceListing,
  PackageReport,
  ToolOptions,
} from '../../../http/serving.js';
import { StatusError } from '../../../runtime/base/errors.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const folder = mkdtempSync(join(tmpdir(), 'loom-cli-'));

async function run(args: readonly string[], composition: Partial<Composition> = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isInteractive: false,
  };
  const load = async () => composition as Composition;
  const code = await runCommand(args, { terminal, load });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const commands = [
  'serve',
  'check',
  'compile',
  'print',
  'report',
  'import',
  'trace',
  'explain',
  'scenario',
];

test('help lists every command; each has a description, arguments and an example', async () => {
  const main = await run(['--help']);
  assert.is(main.code, 0);
  for (const command of commands) {
    assert.match(main.out, new RegExp(`^  ${command} `, 'm'));
    const { code, out } = await run([command, '--help']);
    assert.is(code, 0);
    assert.match(out, new RegExp(`^Usage: loom-serve ${command} `));
    assert.match(out, /Arguments:/);
    assert.match(out, new RegExp(`Examples?:\\n  loom-serve ${command} `));
  }
});

test('serve names its options with their defaults', async () => {
  const out = (await run(['serve', '--help'])).out.replace(/\s+/g, ' ');
  for (const option of [
    /--host <address>.*default: "127\.0\.0\.1"/,
    /--port <n>.*default: 8040/,
    /--device <name>.*default: local/,
    /--threads <n>.*default: cores/,
    /--model-threads <n>.*default: 1/,
    /--memory <bytes>/,
    /--parameter-root <dir>/,
    /--package-root <dir>/,
    /--cache-dir <dir>/,
    /--admin-token <token>/,
    /--request-timeout <seconds>.*default: 60/,
    /--max-body <bytes>.*default: 8M/,
    /--log-level <level>.*default: "info"/,
  ]) {
    assert.match(out, option);
  }
});

test('a mistake on the command line is 2 and suggests what was meant', async () => {
  const command = await run(['serv']);
  assert.is(command.code, 2);
  assert.match(command.err, "unknown command 'serv'");
  assert.match(command.err, 'Did you mean serve?');
  const option = await run(['serve', '--prot', '1']);
  assert.is(option.code, 2);
  assert.match(option.err, 'Did you mean --port?');
  assert.is((await run([])).code, 2);
  assert.is((await run(['compile', 'a.loom'])).code, 2);
  assert.is((await run(['check'])).code, 2);
});

test('option values are checked before anything starts', async () => {
  const started: unknown[] = [];
  const startServer: Composition['startServer'] = async (options) => {
    started.push(options);
    throw new StatusError('unavailable', 'not here');
  };
  for (const args of [
    ['--port', '70000'],
    ['--port', 'x'],
    ['--threads', '0'],
    ['--threads', '1.5'],
    ['--memory', '-1'],
    ['--memory', '5 parsecs'],
    ['--request-timeout', '0'],
    ['--log-level', 'loud'],
  ]) {
    assert.is((await run(['serve', ...args], { startServer })).code, 2, args.join(' '));
  }
  assert.is(started.length, 0);
  const good = [
    '--memory',
    '1.5GiB',
    '--threads',
    '3',
    '--parameter-root',
    'w',
    '--log-level',
    'silent',
  ];
  const ran = await run(['serve', ...good, '--request-timeout', '0.5'], { startServer });
  assert.is(ran.code, 1);
  assert.match(ran.err, 'not here');
  const [options] = started as [Parameters<Composition['startServer']>[0]];
  assert.is(options.memoryBytes, 1.5 * 2 ** 30);
  assert.is(options.threads, 3);
  assert.is(options.requestTimeoutMs, 500);
  assert.equal(options.parameterRoots, [join(process.cwd(), 'w')]);
});

const report: CheckReport = {
  package: '/p',
  items: [
    { kind: 'function', name: 'math.exp', outcome: 'passed', details: [] },
    { kind: 'case', name: 'cases/0.json', outcome: 'failed', details: ['row 0 is off\nby 3'] },
    { kind: 'scenario', name: 'burst', outcome: 'skipped', details: ['needs a GPU'] },
  ],
};

test('check reports every item and fails when one did', async () => {
  const seen: ToolOptions[] = [];
  const checkPackage: Composition['checkPackage'] = async (options) => {
    seen.push(options);
    options.onProgress(1, 3, 'math.exp');
    return report;
  };
  const ran = await run(['check', 'models/x'], { checkPackage });
  assert.is(ran.code, 1);
  assert.is(seen[0]?.package, join(process.cwd(), 'models/x'));
  assert.is(ran.err, '[1/3] math.exp');
  assert.is(
    ran.out,
    [
      'passed function math.exp',
      'failed case cases/0.json',
      '  row 0 is off',
      '  by 3',
      'skipped scenario burst',
      '  needs a GPU',
      '1 passed, 1 failed, 1 skipped',
    ].join('\n'),
  );
  const json = await run(['check', 'x', '--json'], { checkPackage });
  assert.equal(JSON.parse(json.out), report);
  const clean = { ...report, items: report.items.slice(0, 1) };
  assert.is((await run(['check', 'x'], { checkPackage: async () => clean })).code, 0);
});

test('a package that does not parse shows all diagnostics, and is 1', async () => {
  const details = ['a.loom:1:2: one', 'b.loom:3:4: two'];
  const checkPackage = async (): Promise<CheckReport> => {
    throw new StatusError('invalidArgument', 'a.loom:1:2: one (and 1 more)', { details });
  };
  const ran = await run(['check', 'x'], { checkPackage });
  assert.is(ran.code, 1);
  for (const line of [...details, '2 problems']) assert.match(ran.err, line);
});

test('an error inside a program shows what went wrong, then the calls that led there', async () => {
  const message = 'p.inner (p.loom:4:3): no tensor "head"';
  const details = ['called from p.outer (p.loom:9:1)'];
  const checkPackage = async (): Promise<CheckReport> => {
    throw new StatusError('notFound', message, { details });
  };
  const { err } = await run(['check', 'x'], { checkPackage });
  assert.match(err, /no tensor "head"[\s\S]*called from p\.outer/);
});

test('report prints sections, or the same as JSON', async () => {
  const made: PackageReport = {
    package: '/p',
    id: 'mine',
    profile: 'embeddings',
    stages: [
      { ordinal: 0, name: 'run', kind: 'command', roots: 2, dispatches: 3, workspacePeakBytes: 64 },
    ],
    sections: [{ title: 'code', rows: [{ name: 'wasm bytes', value: 1234 }] }],
  };
  const reportPackage = async (): Promise<PackageReport> => made;
  const text = await run(['report', 'x'], { reportPackage });
  assert.is(text.code, 0);
  assert.match(text.out, 'mine (embeddings) in /p');
  assert.match(text.out, '0 run  command, 2 roots, 3 dispatches, 64 bytes of workspace');
  assert.match(text.out, 'wasm bytes  1234');
  assert.equal(JSON.parse((await run(['report', 'x', '--json'], { reportPackage })).out), made);
});

test('devices prints what there is, as text or as JSON', async () => {
  const made: DeviceListing[] = [
    { device: 'local', description: 'on the processor', rows: [{ name: 'cores', value: '2' }] },
    { device: 'webgpu:tiny', description: 'a small one', rows: [] },
  ];
  const listDevices = async () => made;
  const { code, out } = await run(['devices'], { listDevices });
  assert.is(code, 0);
  assert.is(out, 'local\n  on the processor\n  cores  2\n\nwebgpu:tiny\n  a small one');
  assert.equal(JSON.parse((await run(['devices', '--json'], { listDevices })).out), made);
});

test('serve takes devices by the names that devices prints', async () => {
  const asked = await run(['serve', '--device', 'gpu']);
  assert.is(asked.code, 2);
  assert.match(asked.err, /--device.*auto, local, webgpu or webgpu:NAME/);
});

const program = '/// Adds.\nfunc.def export add(a: i64, b: i64) -> i64 {\n  return a + b\n}\n';

test('text to bytecode and back is the same program', async () => {
  const text = join(folder, 'add.loom');
  const code = join(folder, 'add.loombc');
  writeFileSync(text, program);
  const compiled = await run(['compile', text, '-o', code]);
  assert.is(compiled.code, 0, compiled.err);
  const printed = await run(['print', code]);
  assert.is(printed.code, 0, printed.err);
  assert.is(printed.out, (await run(['print', text])).out);
  assert.match(printed.out, 'func.def export add');
  const again = join(folder, 'again.loombc');
  writeFileSync(text, printed.out);
  assert.is((await run(['compile', text, '-o', again])).code, 0);
  assert.is((await run(['print', again])).out, printed.out);
});

test('a program that is not valid shows every place and writes nothing', async () => {
  const text = join(folder, 'bad.loom');
  const output = join(folder, 'bad.loombc');
  writeFileSync(text, 'func.def a( { }\nconst.def = 3\n');
  const ran = await run(['compile', text, '-o', output]);
  assert.is(ran.code, 1);
  assert.match(ran.err, `${text}:1:`);
  assert.match(ran.err, `${text}:2:`);
  assert.throws(() => readFileSync(output));
});

test('a file that cannot be read or written says which', async () => {
  const none = await run(['print', join(folder, 'none.loom')]);
  assert.is(none.code, 1);
  assert.match(none.err, /cannot read .*none\.loom/);
  const text = join(folder, 'fine.loom');
  writeFileSync(text, program);
  const unwritable = await run(['compile', text, '-o', join(folder, 'no', 'such', 'x.loombc')]);
  assert.is(unwritable.code, 1);
  assert.match(unwritable.err, 'cannot write');
});

test.run();
