/**
 * How the turns of a generation stand, in plain data: for who asks why one of them waits, and for
 * who watches whether they get on.
 */
import type { RowCounts } from '../../runtime/text/row-store.js';
import type { TextGeometry } from '../../runtime/profiles/text.js';
import type { GenerationPulse } from '../model/generation-base.js';
import type { RowLeaseDetails } from '../model/row-lease.js';
import type { Turn } from './turn.js';
import type { TurnTable } from './turn-table.js';

/** Told of to who asks why a turn waits. */
export interface TextGenerationDetails {
  readonly model: string;
  readonly device: string;
  readonly preparer: string;
  /** Of the epoch in flight; null when none is. */
  readonly epoch: string | null;
  readonly rows: {
    readonly all: number;
    readonly open: number;
    /** That clients keep between turns. */
    readonly sessions: number;
  };
  readonly pages: {
    readonly all: number;
    readonly used: number;
    readonly free: number;
    readonly tokens: number;
  };
  readonly limits: { readonly tokens: number; readonly spans: number };
  /** Of its rows on the device. */
  readonly lease: RowLeaseDetails;
  /** Oldest first: who goes first where room is short. */
  readonly turns: readonly {
    readonly session: string;
    readonly hasRow: boolean;
    readonly isInFlight: boolean;
    readonly isStalled: boolean;
    /** It came after others had asked for the rows' room. */
    readonly isLate: boolean;
  }[];
}

/** Rows and pages, in numbers and of what there are. */
export function storeOutlook(
  { rows, pages, pageTokens, tokens, spans }: TextGeometry,
  counts: RowCounts,
  sessions: number,
): Pick<TextGenerationDetails, 'rows' | 'pages' | 'limits'> {
  const { pagesUsed: used, pagesFree, pagesCached } = counts;
  return {
    rows: { all: rows, open: counts.rows, sessions },
    pages: { all: pages, used, free: pagesFree + pagesCached, tokens: pageTokens },
    limits: { tokens, spans },
  };
}

export function turnsOutlook(table: TurnTable | null): TextGenerationDetails['turns'] {
  return (table?.all ?? []).map((turn) => {
    const { input, row, isInFlight, isStalled } = turn;
    const isLate = !isStalled && !table!.door.lets(turn);
    return { session: input.session, hasRow: row !== null, isInFlight, isStalled, isLate };
  });
}

/** Turns that could be in the next epoch. */
export function readyTurns(turns: readonly Turn[]): number {
  return turns.filter(({ row, isInFlight, isStalled }) => {
    return row !== null && !isInFlight && !isStalled;
  }).length;
}

export function epochPulse(
  model: string,
  { ready, formed, epoch }: { ready: number; formed: number; epoch: string | null },
): GenerationPulse {
  const inFlight = epoch === null ? [] : [epoch];
  return {
    what: 'generation',
    model,
    ready,
    formed,
    hasRoom: epoch === null,
    inFlight,
    compiling: 0,
  };
}
