/** Where what was recorded and what came back begin to differ. */
import { BLOCK, type Track } from '../../http/traffic/payload-digest.js';
import type { Payload } from '../../http/traffic/traffic-lines.js';

const SHOWN = 60;

/** A sentence or two; null when they say the same. */
export function firstDifference(recorded: Payload, replayed: Payload): string | null {
  if (recorded.status !== replayed.status) {
    const says = headOf(replayed) === '' ? '' : `; now it says ${shown(headOf(replayed), 0)}`;
    return `status ${recorded.status} was recorded, ${replayed.status} came${says}`;
  }
  const names = new Set([...Object.keys(recorded.tracks), ...Object.keys(replayed.tracks)]);
  for (const name of names) {
    const told = trackDifference(name, recorded.tracks[name], replayed.tracks[name]);
    if (told !== null) return told;
  }
  return null;
}

/** The same was said, but in other events. */
export const isDividedOtherwise = (recorded: Payload, replayed: Payload): boolean =>
  recorded.eventsDigest !== replayed.eventsDigest;

const headOf = ({ tracks }: Payload): string => Object.values(tracks)[0]?.head ?? '';

/** `body`, or a choice and a part of it: `0.text`. */
function placeOf(name: string): string {
  const [index, part] = name.split('.');
  return part === undefined ? `the ${name}` : `${part} of choice ${index}`;
}

function trackDifference(name: string, old: Track | undefined, now: Track | undefined) {
  const place = placeOf(name);
  if (old === undefined) return `${place} is new: ${shown(now!.head, 0)}`;
  if (now === undefined) return `${place} is missing, recorded was ${shown(old.head, 0)}`;
  if (old.sha256 === now.sha256 && old.length === now.length) return null;
  const at = splitOf(old.head, now.head);
  if (at !== null) {
    const both = `recorded ${shown(old.head, at)}, now ${shown(now.head, at)}`;
    return `${place} differs from character ${at} on: ${both}`;
  }
  const blocks = old.blocks ?? [];
  const block = blocks.findIndex((digest, index) => digest !== now.blocks?.[index]);
  const lengths = old.length === now.length ? '' : `; it had ${old.length}, now ${now.length}`;
  if (block < 0) return `${place} differs, in its digest alone${lengths}`;
  const [from, to] = [block * BLOCK, (block + 1) * BLOCK];
  return `${place} differs in characters ${from} to ${to}, the first such block${lengths}`;
}

/** Null where one begins as the other. */
function splitOf(old: string, now: string): number | null {
  const least = Math.min(old.length, now.length);
  for (let at = 0; at < least; at += 1) if (old[at] !== now[at]) return at;
  return old.length === now.length ? null : least;
}

function shown(text: string, at: number): string {
  const from = Math.max(0, at - SHOWN / 3);
  const before = from > 0 ? '…' : '';
  const after = from + SHOWN < text.length ? '…' : '';
  return `${before}${JSON.stringify(text.slice(from, from + SHOWN))}${after}`;
}
