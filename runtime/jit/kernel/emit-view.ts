/**
 * Definitions of tiles and slices: one check, all or nothing. A void tile points at the zero page
 * for reads and at the sink for writes; a void slice has no elements.
 */
import type { Stmt } from '../../loom/typed.js';
import { emitScale, isProved, pushInside } from './emit-address.js';
import { elementSizeOf, pushLength, type KernelScope } from './kernel-scope.js';
import { placesOf } from './place.js';

export function emitTile(scope: KernelScope, stmt: Stmt & { readonly op: 'view.tile' }): void {
  const { code } = scope;
  const tile = scope.views[stmt.view]!;
  const source = scope.views[stmt.source]!;
  const place = placesOf(stmt)[0]!;
  const stream = scope.streams.get(place);
  // The pointer of a plan follows the source's read address only.
  if (stream && source.read === source.write) {
    code.get(stream.pointer);
    code.i32(stream.offset);
    code.op('i32.add');
    code.tee(tile.read);
    return tile.write === tile.read ? code.op('drop') : code.set(tile.write);
  }
  const index = code.temp('i32');
  scope.emit.value(stmt.base);
  code.set(index);
  const proved = isProved(scope, place);
  const define = (from: number, fallback: number, to: number) => {
    code.get(from);
    code.get(index);
    emitScale(scope, elementSizeOf(scope, place.base));
    code.op('i32.add');
    if (!proved) {
      code.get(fallback);
      pushInside(scope, place, index);
      code.op('select');
    }
    code.set(to);
  };
  const readable = tile.info.access === 'in' || tile.info.access === 'inout';
  if (readable) define(source.read, scope.fixed.zeroPage, tile.read);
  if (tile.info.access !== 'in') define(source.write, scope.fixed.sink, tile.write);
  code.release('i32', index);
}

export function emitSlice(scope: KernelScope, stmt: Stmt & { readonly op: 'view.slice' }): void {
  const { code } = scope;
  const slice = scope.views[stmt.view]!;
  const source = scope.views[stmt.source]!;
  const base = { view: stmt.source };
  const index = code.temp('i32');
  const count = code.temp('i32');
  scope.emit.value(stmt.base);
  code.set(index);
  scope.emit.value(stmt.count);
  code.set(count);
  for (const [from, to] of [
    [source.read, slice.read],
    [source.write, slice.write],
  ] as const) {
    code.get(from);
    code.get(index);
    emitScale(scope, elementSizeOf(scope, base));
    code.op('i32.add');
    code.set(to);
    if (slice.read === slice.write) break;
  }
  // base <= length and count <= length - base, unsigned: negative values fail both.
  code.get(count);
  code.i32(0);
  code.get(index);
  pushLength(scope, base);
  code.op('i32.le_u');
  code.get(count);
  pushLength(scope, base);
  code.get(index);
  code.ops('i32.sub', 'i32.le_u', 'i32.and', 'select');
  code.set(slice.length);
  code.release('i32', index);
  code.release('i32', count);
}
