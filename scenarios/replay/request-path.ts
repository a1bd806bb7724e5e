/**
 * The way of one request through the actors, from records of them: the question that http asked for
 * it, the actor that was made for it or was handed it, and what became of that.
 */
import type { SystemRecord } from '../../runtime/system/recorder.js';

const LINES_MAX = 80;
const RECORDS_MAX = 400_000;
/** Of all that records tell. */
const wanted = /^\{"type":"(asked|message|spawn|transition)"/;

type Asked = Extract<SystemRecord, { type: 'asked' }>;
type Handled = Extract<SystemRecord, { type: 'message' }>;
type Spawned = Extract<SystemRecord, { type: 'spawn' }>;
type Moved = Extract<SystemRecord, { type: 'transition' }>;

export interface PathWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A line a transition, in their order; empty where there are no records of it. */
export async function pathOf(
  lines: AsyncIterable<string> | Iterable<string>,
  requestId: string,
  { fromMs, toMs }: PathWindow,
): Promise<readonly string[]> {
  const asked: Asked[] = [];
  const handled: Handled[] = [];
  const spawned: Spawned[] = [];
  const moved: Moved[] = [];
  for await (const line of lines) {
    if (!wanted.test(line)) continue;
    const record = JSON.parse(line) as Asked | Handled | Spawned | Moved;
    const atMs = record.type === 'message' ? record.startMs : record.atMs;
    if (atMs < fromMs || atMs > toMs) continue;
    if (record.type === 'asked') asked.push(record);
    else if (record.type === 'spawn') spawned.push(record);
    else if (record.type === 'transition') moved.push(record);
    else if (/^(request\.submit|session\.ask)$/.test(record.kind)) handled.push(record);
    if (moved.length + handled.length + spawned.length > RECORDS_MAX) break;
  }
  const isOfRequest = ({ label }: Asked): boolean =>
    label === requestId || label.startsWith(`${requestId}#`);
  const questions = new Set(asked.filter(isOfRequest).map(({ message }) => message));
  const own = actorsOf(questions, handled, spawned);
  const way = moved
    .filter(({ actor, cause }) => own.has(actor) || questions.has(cause ?? ''))
    .sort((left, right) => left.atMs - right.atMs);
  const beganMs = way[0]?.atMs ?? 0;
  return way.slice(0, LINES_MAX).map(({ atMs, actor, from, to, event }) => {
    const after = `+${(atMs - beganMs).toFixed(2)} ms`.padStart(13);
    return `${after}  ${actor}: ${from} → ${to} (${event})`;
  });
}

/** Made while its question was handled, or handed it over. */
function actorsOf(
  questions: ReadonlySet<string>,
  handled: readonly Handled[],
  spawned: readonly Spawned[],
): ReadonlySet<string> {
  const own = new Set<string>();
  for (const { id, cause, kind, to, startMs, endMs } of handled) {
    if (kind === 'session.ask' && questions.has(cause ?? '')) own.add(to);
    if (kind !== 'request.submit' || !questions.has(id)) continue;
    for (const { actor, parent, atMs } of spawned) {
      if (parent === to && atMs >= startMs && atMs <= endMs) own.add(actor);
    }
  }
  return own;
}
