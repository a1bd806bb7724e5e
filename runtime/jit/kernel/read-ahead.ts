/**
 * Reads ahead of loops that pass over much memory. A processor fetches ahead within a page only,
 * and looks the next page up when it is first touched: a loop that streams weights waits at each
 * page. So one byte well ahead of such a pointer is read, and forgotten, once a trip through the
 * copies of the body.
 *
 * Holds: the byte lies inside the memory, whatever the pointer, so nothing traps; it may lie
 * outside the view, but no value depends on it.
 */
import type { Pointer } from './emit-streams.js';
import type { KernelScope } from './kernel-scope.js';

/** A page on every processor that matters. */
const AHEAD_BYTES = 4096;
/** What passes over less in a trip is served by the processor alone, or lies in its cache. */
const TRIP_BYTES_MIN = 512;

/** `rounds`: how many a trip has. */
export function emitReadAhead(scope: KernelScope, pointer: Pointer, rounds: number): void {
  const { distance, members } = pointer;
  if (!('constant' in distance) || distance.constant * rounds < TRIP_BYTES_MIN) return;
  if (!members.some(({ place }) => place.access === 'read' && 'view' in place.base)) return;
  const { code } = scope;
  const { lastByte } = scope.module.globals;
  const at = code.temp('i32');
  code.get(pointer.pointer);
  code.i32(AHEAD_BYTES);
  code.op('i32.add');
  code.tee(at);
  code.getGlobal(lastByte);
  code.get(at);
  code.getGlobal(lastByte);
  code.ops('i32.lt_u', 'select');
  code.access('i32.load8_u', 0);
  code.op('drop');
  code.release('i32', at);
}
