/**
 * Traffic of every kind against a server that records for a minute, then the recording played again
 * at its own pace on real threads, and in simulation: nothing may be answered otherwise.
 *
 * 60 s; `LOOM_REPLAY_SECONDS=N` for another length. Rows say how much was compared, and how long
 * each replay took.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRealServer } from '../../scenarios/replay/real-server.js';
import { Recording } from '../../scenarios/replay/recording.js';
import type { ReplayServer } from '../../scenarios/replay/replay-server.js';
import { reportLines } from '../../scenarios/replay/report.js';
import { runReplay, type ReplayReport } from '../../scenarios/replay/run-replay.js';
import { startSimulatedServer } from '../../scenarios/replay/simulated-ground.js';
import { packageFolder } from '../actors/running-server.js';
import { MixedTraffic } from '../scenarios/replay/mixed-traffic.js';
import { startRecorded } from '../scenarios/replay/recorded-server.js';
import { printReport } from './report.js';

const seconds = Number(process.env['LOOM_REPLAY_SECONDS'] ?? '60');
/** Conversations of each kind that go on side by side. */
const LANES = 2;

const folder = mkdtempSync(join(tmpdir(), 'loom-replay-bench-'));
const file = join(folder, 'traffic.loom-trace');
const models = {
  embeddings: 'sentence-encoder',
  decisions: 'language-id',
  text: 'kjv',
  sequence: 'sequence',
  passing: { id: 'first-output', folder: packageFolder('first-output') },
};

async function record(): Promise<void> {
  const served = ['sentence-encoder', 'language-id', 'kjv', 'sequence'];
  const server = await startRecorded(served.map(packageFolder), file, { memoryBytes: null });
  // One of them registers and removes a model.
  const all = Array.from({ length: LANES }, (_, lane) => {
    return new MixedTraffic(server.url, lane === 0 ? models : { ...models, passing: null });
  });
  const endMs = performance.now() + seconds * 1000;
  let round = 0;
  const lane = async (traffic: MixedTraffic): Promise<void> => {
    while (performance.now() < endMs) await traffic.round((round += 1));
  };
  await Promise.all(all.map(lane));
  await server.close();
  for (const { count, statuses, left } of all) {
    const by = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    console.log(`recorded ${count} requests: ${by}, ${left} left`);
  }
}

async function replay(
  name: string,
  start: (recording: Recording) => Promise<ReplayServer>,
): Promise<ReplayReport> {
  const recording = await Recording.read(file);
  const server = await start(recording);
  try {
    const report = await runReplay(recording, server, { speed: 1, packages: new Map() });
    for (const line of reportLines(name, report)) console.log(line);
    return report;
  } finally {
    await server.close();
    await recording.close();
  }
}

try {
  await record();
  const megabytes = statSync(file).size / 2 ** 20;
  const threads = await replay('threads', (recording) => startRealServer(recording, null));
  const beganMs = performance.now();
  const simulated = await replay('simulated', (recording) =>
    startSimulatedServer(recording, { seed: 1, sessionDir: null }),
  );
  const tookS = (performance.now() - beganMs) / 1000;
  const row = (what: string, value: number, unit: string, better: 'lower' | 'higher') => ({
    name: what,
    value,
    unit,
    better,
  });
  printReport({
    name: 'replay',
    rows: [
      row('requests recorded', threads.verdicts.count, 'requests', 'higher'),
      row('size of the recording', megabytes, 'MiB', 'lower'),
      row('equal on threads', threads.verdicts.equal, 'requests', 'higher'),
      { ...row('different on threads', threads.verdicts.differing, 'requests', 'lower'), goal: 0 },
      row('equal in simulation', simulated.verdicts.equal, 'requests', 'higher'),
      {
        ...row('different in simulation', simulated.verdicts.differing, 'requests', 'lower'),
        goal: 0,
      },
      row('simulation', tookS, 's', 'lower'),
    ],
  });
} finally {
  rmSync(folder, { recursive: true });
}
