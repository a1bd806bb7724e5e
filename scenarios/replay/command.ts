/** What `loom-serve replay` runs; http loads this file by name, so that it builds without it. */
import type { Replays, ReplayAsk } from '../../http/cli/replay.js';
import type { PackageLine } from '../../http/traffic/traffic-lines.js';
import { startRealServer } from './real-server.js';
import { Recording } from './recording.js';
import type { ReplayServer } from './replay-server.js';
import { reportLines } from './report.js';
import { runReplay } from './run-replay.js';
import { copySessions } from './session-copies.js';
import { startSimulatedServer } from './simulated-ground.js';

type Mode = 'threads' | 'simulated';

const SEED = 1;

export const replays: Replays = {
  async run(ask: ReplayAsk) {
    const { onLines } = ask;
    const recording = await Recording.read(ask.file);
    try {
      onLines(introduction(recording));
      let different = 0;
      for (const mode of ask.modes) different += await replayOn(mode, recording, ask);
      return { different };
    } finally {
      await recording.close();
    }
  },
};

async function replayOn(mode: Mode, recording: Recording, ask: ReplayAsk): Promise<number> {
  const { onLines, speed, packages } = ask;
  const { device, otherDevices } = recording.settings;
  const devices = [device, ...otherDevices.map(({ name }) => name)];
  if (mode === 'simulated' && devices.join() !== 'local') {
    const recorded = devices.join(' and ');
    onLines([`simulated: left out, bytes of ${recorded} are not those of the simulated device`]);
    return 0;
  }
  const sessions = await copySessions(recording.settings.sessionDir);
  try {
    const server = await start(mode, recording, sessions.folder);
    try {
      const report = await runReplay(recording, server, { speed, packages });
      onLines(reportLines(mode, report));
      return report.verdicts.differing;
    } finally {
      await server.close();
    }
  } finally {
    await sessions.remove();
  }
}

const start = (
  mode: Mode,
  recording: Recording,
  sessionDir: string | null,
): Promise<ReplayServer> =>
  mode === 'threads'
    ? startRealServer(recording, sessionDir)
    : startSimulatedServer(recording, { seed: SEED, sessionDir });

function introduction({ requests, packages, warnings, file }: Recording): readonly string[] {
  const first = requests[0]?.arrivedMs ?? 0;
  const seconds = ((requests.at(-1)?.arrivedMs ?? 0) - first) / 1000;
  const ids = packages.map(({ id }: PackageLine) => id).join(', ');
  return [
    `${file}: ${requests.length} requests in ${seconds.toFixed(1)} s to ${ids || 'no package'}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
}
