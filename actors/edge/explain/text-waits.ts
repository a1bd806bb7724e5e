/** What a turn of text waits for: a row, pages, its reader, room in an epoch, the epoch itself. */
import type { Waiting } from '../../../http/observing.js';
import type { EpochDetails } from '../../serving/epoch-step.js';
import type { SessionDetails } from '../../serving/session.js';
import type { TurnDetails } from '../../serving/turn.js';
import type { TextGenerationDetails } from '../../serving/turn-outlook.js';
import { deviceWaits } from './device-waits.js';
import { preparation } from './finite-waits.js';
import { waiting, type SeenActor, type World } from './world.js';

export function textWaits(world: World, session: SeenActor): Waiting[] {
  const { preparer, turn } = session.details as SessionDetails;
  if (session.state === 'preparing' || session.state === 'abandoning') {
    return preparation(world, preparer, 'the framing and tokenizing of its prompt');
  }
  const generation = world.details<TextGenerationDetails>(session.parent);
  if (generation === null || turn === null) return [];
  if (turn.isStalled) return [credit(turn)];
  if (turn.isInFlight) return epochWaits(world, generation.epoch);
  if (generation.lease.state === 'asked') {
    return deviceWaits(world, generation.device, generation.lease.id);
  }
  if (isLate(generation, session))
    return [roomWait(generation), ...epochWaits(world, generation.epoch)];
  if (turn.row === null) return rowWaits(world, generation, session);
  const { pages } = generation;
  const lacksPages = turn.tokens > turn.pages * pages.tokens;
  if (lacksPages && pages.free === 0) return [pageWait(turn, generation)];
  return nextEpoch(world, generation);
}

const isLate = ({ turns }: TextGenerationDetails, { address }: SeenActor): boolean =>
  turns.some(({ session, isLate: late }) => session === address && late);

/** Others come first: it has come after they had asked. */
function roomWait({ lease, turns }: TextGenerationDetails): Waiting {
  const before = turns.filter((turn) => !turn.isLate && !turn.isStalled).length;
  return waiting('budget', {
    text: `others wait for the device memory of its model's rows, and have asked before it came; ${before} turns that came before them go on`,
    unblockedBy: 'the end of those turns, then of what the others do; more memory is --memory',
    details: { ...lease, before },
  });
}

function credit({ sent, taken, sentMax }: TurnDetails): Waiting {
  const late = sent - taken;
  return waiting('credit', {
    text: `its reader has not taken ${late} pieces of what it said; at most ${sentMax} may be on the way`,
    unblockedBy: 'its client reading on',
    details: { sent, taken, sentMax },
  });
}

function rowWaits(
  world: World,
  generation: TextGenerationDetails,
  { address }: SeenActor,
): Waiting[] {
  const { rows, turns } = generation;
  const before = turns.slice(
    0,
    turns.findIndex(({ session }) => session === address),
  );
  const waits = before.filter(({ hasRow }) => !hasRow).length;
  if (rows.open < rows.all && waits === 0) return nextEpoch(world, generation);
  const row = waiting('row', {
    text: `${rows.open} of ${rows.all} rows are taken, ${rows.sessions} of them by sessions; ${waits} turns are before it`,
    unblockedBy: 'the end of a turn that has a row, or a session that is closed',
    details: { ...rows, before: waits },
  });
  return [row, ...epochWaits(world, generation.epoch)];
}

function pageWait(turn: TurnDetails, { pages, turns }: TextGenerationDetails): Waiting {
  return waiting('pages', {
    text: `its row has pages for ${turn.pages * pages.tokens} of ${turn.tokens} tokens, and all ${pages.all} pages are in use`,
    unblockedBy:
      'the end of an older turn; idle sessions and younger turns give up pages for older ones',
    details: { ...pages, has: turn.pages, tokens: turn.tokens, turns: turns.length },
  });
}

function nextEpoch(world: World, { epoch, limits, turns }: TextGenerationDetails): Waiting[] {
  const ready = turns.filter(({ hasRow, isStalled }) => hasRow && !isStalled).length;
  const text =
    epoch === null
      ? 'the next epoch is about to form'
      : `it may be in the next epoch; ${epoch} is in flight, with at most ${limits.spans} rows and ${limits.tokens} tokens of ${ready} that are ready`;
  const details = { epoch, ...limits, ready };
  const next = waiting('epoch', { text, unblockedBy: 'the end of the epoch in flight', details });
  return [next, ...epochWaits(world, epoch)];
}

function epochWaits(world: World, address: string | null): Waiting[] {
  const epoch = address === null ? undefined : world.find(address);
  if (epoch === undefined) return [];
  const { device } = epoch.details as EpochDetails;
  if (epoch.state === 'uploading' || epoch.state === 'executing') {
    return deviceWaits(world, device, epoch.address);
  }
  return [
    waiting('control', {
      text: `the control program runs for ${epoch.address} (${epoch.state})`,
      unblockedBy: `the end of its call on thread ${epoch.thread}`,
      details: { epoch: epoch.address, state: epoch.state },
    }),
  ];
}
