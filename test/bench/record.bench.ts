/**
 * What recording costs. Off: the actor system as it is against a copy of its compiled code from
 * which every mention of a recorder was cut, in rounds that alternate. On: the same with a ring,
 * for who turns it on. Messages do nothing there, so branches weigh as much as they ever can.
 * Also requests of a whole server, off and on, alternating; of one, the branches of its messages
 * are a share.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMachine } from 'xstate';
import { systemPorts } from '../../runtime/base/ports.js';
import type * as MachineActors from '../../runtime/system/machine-actor.js';
import { RingRecorder } from '../../runtime/system/ring-recorder.js';
import type * as Systems from '../../runtime/system/system.js';
import type { Transport } from '../../runtime/system/transport.js';
import { runServer } from '../actors/running-server.js';
import { median, printReport } from './report.js';

/** Of each kind of code: how well one is compiled is partly chance. */
const COPIES = 6;
const ROUNDS = 30;
const MESSAGES = 20_000;
const REQUEST_ROUNDS = 20;
const REQUESTS = 400;

const build = join(import.meta.dirname, '../..');

/** Compiled code without a recorder: each cut must find what it cuts. */
const cuts: readonly (readonly [file: string, found: RegExp, put: string])[] = [
  ['cell.js', /recorder === null \? 0 : host\.ports\.clock\.now\(\)/, '0'],
  ['cell.js', /if \(recorder !== null\)\s+this\.#recordTurn\(recorder, message, startMs\);/, ''],
  ['cell.js', /const \{ recorder \} = host;/, ''],
  ['cell.js', /recorder\?\.record\(\{[^}]*\}\);/, ''],
  ['cell.js', /if \(recorder !== null\) \{[^{}]*\{[^{}]*\}[^{}]*\{[^{}]*\}[^{}]*\}/, ''],
  ['machine-actor.js', /self\.probe\.isRecording && /, 'false && '],
];

interface Library {
  readonly ActorSystem: typeof Systems.ActorSystem;
  readonly machineActor: typeof MachineActors.machineActor;
}

async function library(folder: string): Promise<Library> {
  const { ActorSystem } = (await import(join(folder, 'system.js'))) as typeof Systems;
  const { machineActor } = (await import(join(folder, 'machine-actor.js'))) as typeof MachineActors;
  return { ActorSystem, machineActor };
}

/** Code of its own for each way to run it: what V8 learns from one must not serve another. */
function copied(name: string, changes: typeof cuts): string {
  const folder = join(root, name, 'system');
  cpSync(join(build, 'runtime/base'), join(root, name, 'base'), { recursive: true });
  cpSync(join(build, 'runtime/system'), folder, { recursive: true });
  for (const [file, found, put] of changes) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const cut = text.replace(found, put);
    if (cut === text) throw new Error(`${file} has no ${found}`);
    writeFileSync(path, cut);
  }
  return folder;
}

const alone: Transport = { attach() {}, wake() {}, send: () => false, close() {} };

const door = createMachine({
  id: 'door',
  initial: 'open',
  states: { open: { on: { push: 'closed' } }, closed: { on: { push: 'open' } } },
});

/** A system in which two machines push each other. */
function doors({ ActorSystem, machineActor }: Library, isRecording: boolean): () => number {
  const ports = systemPorts('bench');
  const recorder = isRecording ? new RingRecorder(65_536) : null;
  const system = new ActorSystem({ thread: 'main', ports, transport: { ...alone }, recorder });
  const kind = machineActor(door, () => ({ effects: {} }));
  for (const name of ['left', 'right']) system.spawn(name, kind, null);
  return () => {
    const fromMs = ports.clock.now();
    for (let sent = 0; sent < MESSAGES; sent += 200) {
      for (let index = 0; index < 100; index += 1) {
        system.tell('main:/left', 'push');
        system.tell('main:/right', 'push');
      }
      while (system.turn(1_000)) continue;
    }
    return (ports.clock.now() - fromMs) / MESSAGES;
  };
}

/** Medians of what each takes, one after the other in every round. */
function alternate(runs: readonly (() => number)[], rounds: number): number[] {
  const taken = runs.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    // Nobody always comes first.
    const order = runs.map((_, index) => (index + round) % runs.length);
    for (const index of order) taken[index]!.push(runs[index]!());
  }
  return taken.map(median);
}

async function requests(): Promise<{ off: number; on: number; messages: number }> {
  const server = await runServer(['first-output']);
  const round = async (isRecording: boolean): Promise<number> => {
    await server.observing.setRecording(isRecording);
    const fromMs = server.now();
    for (let sent = 0; sent < REQUESTS; sent += 8) {
      await Promise.all(
        Array.from({ length: 8 }, (_, at) => server.embed('first-output', [`r ${at}`])),
      );
    }
    return (server.now() - fromMs) / REQUESTS;
  };
  const messages = async (): Promise<number> => {
    const { names } = server.topology;
    const used = await Promise.all(names.map((name) => server.topology.usage(name)));
    const others = used.reduce((sum, usage) => sum + (usage?.messages ?? 0), 0);
    return server.system.counters.messages + others;
  };
  const [off, on]: [number[], number[]] = [[], []];
  const before = await messages();
  for (let index = 0; index < REQUEST_ROUNDS; index += 1) {
    off.push(await round(false));
    on.push(await round(true));
  }
  const handled = (await messages()) - before;
  await server.serving.drain(1_000);
  await server.close();
  const perRequest = handled / (2 * REQUEST_ROUNDS * REQUESTS);
  return { off: median(off), on: median(on), messages: perRequest };
}

// Inside the build, so that packages are found.
const root = mkdtempSync(join(build, 'runtime/.without-recorder-'));
try {
  const runs: (() => number)[] = [];
  for (let copy = 0; copy < COPIES; copy += 1) {
    runs.push(doors(await library(copied(`without-${copy}`, cuts)), false));
    runs.push(doors(await library(copied(`off-${copy}`, [])), false));
  }
  const recording = doors(await library(copied('on', [])), true);
  alternate(runs, 3);
  const taken = alternate(runs, ROUNDS);
  const none = median(taken.filter((_, index) => index % 2 === 0));
  const off = median(taken.filter((_, index) => index % 2 === 1));
  // After them: what it leaves for the collector would be theirs to pay.
  const [on] = alternate([recording], 12) as [number];
  const server = await requests();
  const cost = { unit: 'us', better: 'lower' } as const;
  const ratio = { unit: 'x', better: 'lower' } as const;
  printReport({
    name: 'record',
    rows: [
      { name: 'a message without any recorder in the code', value: none * 1e3, ...cost },
      { name: 'a message, recording off', value: off * 1e3, ...cost },
      { name: 'a message, recording on', value: on * 1e3, ...cost },
      { name: 'an empty message, off against without', value: off / none, ...ratio },
      { name: 'on against off', value: on / off, ...ratio },
      { name: 'messages of a request', value: server.messages, unit: '/req', better: 'lower' },
      { name: 'a request, recording off', value: server.off * 1e3, ...cost },
      {
        name: 'a request, off against without',
        value: server.off / (server.off - server.messages * (off - none)),
        ...ratio,
        goal: 1.03,
      },
      { name: 'a request, recording on', value: server.on * 1e3, ...cost },
    ],
  });
} finally {
  rmSync(root, { recursive: true });
}
