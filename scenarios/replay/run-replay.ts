/**
 * One replay: a server with the recorded packages, the recorded traffic, and what was found.
 * Packages whose files are others than those recorded are said, and played to all the same.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { RegisterBody } from '../../http/serving.js';
import type { PackageLine } from '../../http/traffic/traffic-lines.js';
import { linesOf } from './line-reader.js';
import { Player, type Played } from './player.js';
import type { RecordedRequest } from './recorded-request.js';
import type { Recording } from './recording.js';
import type { ReplayServer } from './replay-server.js';
import { pathOf } from './request-path.js';
import { Verdicts, type Told } from './verdicts.js';

/** Of what is recorded after an answer. */
const LATER_MS = 250;

export interface ReplayOptions {
  readonly speed: number;
  /** Folders to take instead of those recorded, by id. */
  readonly packages: ReadonlyMap<string, string>;
}

/** The first request that differed, with its way now and, where the recording has it, then. */
export interface FirstMismatch {
  readonly told: Told;
  readonly then: readonly string[];
  readonly now: readonly string[];
}

export interface ReplayReport {
  readonly verdicts: Verdicts;
  readonly first: FirstMismatch | null;
  readonly warnings: readonly string[];
  readonly seconds: number;
}

export async function runReplay(
  recording: Recording,
  server: ReplayServer,
  { speed, packages }: ReplayOptions,
): Promise<ReplayReport> {
  const { clock } = server.ground;
  const verdicts = new Verdicts(recording.requests);
  let first: FirstMismatch | null = null;
  const onEnded = async (played: Played): Promise<void> => {
    const { recorded } = played;
    const beganMs = clock.now() - (recorded.endedMs - recorded.arrivedMs) * 10 - 60_000;
    const answer = await server.ground.outside(recording.answerOf(recorded));
    const told = verdicts.add(played, answer);
    if (told === null || first !== null) return;
    first = { told, then: [], now: [] };
    const window = { fromMs: beganMs, toMs: clock.now() + LATER_MS };
    const now = await pathOf(await server.records(), told.id, window);
    const then = await server.ground.outside(recordedPath(recording, recorded));
    first = { told, now, then };
  };
  const warnings: string[] = [];
  const startedMs = clock.now();
  const play = async (): Promise<void> => {
    const start = recording.packages.filter(({ isOfStart }) => isOfStart);
    const told = await Promise.all(start.map((line) => register(server, line, packages)));
    warnings.push(...told.flatMap((warning) => warning ?? []));
    await new Player(recording, server.ground, { speed, onEnded }).run();
  };
  await server.run(play());
  return { verdicts, first, warnings, seconds: (clock.now() - startedMs) / 1000 };
}

/** A warning where its files are others than those that were recorded; else null. */
async function register(
  { serving, digest }: ReplayServer,
  line: PackageLine,
  packages: ReadonlyMap<string, string>,
): Promise<string | null> {
  const { id } = line;
  const instead = packages.get(id);
  const body =
    instead === undefined
      ? (line.body as RegisterBody)
      : ({ kind: 'package', package: instead, id } as const);
  try {
    // Begun in the order in which all are registered: the server lists them so.
    const registered = serving.register(body, { wait: true, isOfStart: true });
    const [now] = await Promise.all([digest(body), registered]);
    const isOther = line.digest !== null && now !== line.digest;
    return isOther ? `package ${id} is not the one that was recorded: other files` : null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const knob = `name its folder with --package ${id}=FOLDER`;
    throw new StatusError('failedPrecondition', `package ${id} cannot be served: ${why}; ${knob}`);
  }
}

/** From the records of actors in the file itself, if it has them. */
async function recordedPath(
  { file }: Recording,
  { id, arrivedMs, endedMs }: RecordedRequest,
): Promise<readonly string[]> {
  const window = { fromMs: arrivedMs - 1, toMs: endedMs + LATER_MS };
  async function* texts(): AsyncGenerator<string> {
    for await (const { text, isCut } of linesOf(file)) if (!isCut) yield text;
  }
  return pathOf(texts(), id, window);
}
