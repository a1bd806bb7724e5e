/**
 * `take`: elements at addresses that all lanes share, into locals, each checked. Where a subgroup
 * comes by together its invocations load one element each, or one word each where elements have
 * four and are so few that every word finds an invocation; then all get them from there.
 */
import type { Stmt } from '../../loom/typed.js';
import { carriedShape } from './carrier.js';
import { readFunction, readWordFunction } from './view-functions.js';
import { baseOf, lengthOf, textOf, viewOf, type WgslScope } from './wgsl-scope.js';

type TakeStmt = Stmt & { readonly op: 'view.take' };

export function emitTake(
  scope: WgslScope,
  stmt: TakeStmt,
  assign: (local: number, text: string) => void,
): void {
  const { code, kernel, target } = scope;
  const first = code.let(textOf(scope, stmt.base));
  const stride = code.let(textOf(scope, stmt.stride));
  const width = Math.min(target.subgroupSize ?? 1, kernel.lanes);
  const items =
    width > 1 && scope.sharedTakes.has(stmt)
      ? sharedItems(scope, stmt, { first, stride, width })
      : plainItems(scope, stmt, { first, stride });
  stmt.locals.forEach((local, i) => assign(local, items[i]!));
}

interface Place {
  readonly first: string;
  readonly stride: string;
}

const rangeOf = (scope: WgslScope, { view }: TakeStmt): string =>
  `${baseOf(scope, view)}, ${lengthOf(scope, view)}`;

function plainItems(scope: WgslScope, stmt: TakeStmt, { first, stride }: Place): string[] {
  const part = { storage: stmt.storage, offset: 0, sub: null };
  const call = readFunction(scope.prelude, viewOf(scope, stmt.view), part);
  return stmt.locals.map((_, i) => {
    const index = i === 0 ? first : `${first} + ${i}i * ${stride}`;
    return `${call}(${rangeOf(scope, stmt)}, ${index})`;
  });
}

function sharedItems(
  scope: WgslScope,
  stmt: TakeStmt,
  place: Place & { readonly width: number },
): string[] {
  const { locals, view, storage } = stmt;
  const { width, first, stride } = place;
  const hasFourWords = !viewOf(scope, view).carrier.words && carriedShape(storage).lanes === 4;
  if (hasFourWords && locals.length * 4 <= width) return itemsOfWords(scope, stmt, place);
  if (locals.length === 1) return plainItems(scope, stmt, place);
  scope.needs.add('subgroups');
  const call = readFunction(scope.prelude, viewOf(scope, view), { storage, offset: 0, sub: null });
  const items: string[] = [];
  for (let from = 0; from < locals.length; from += width) {
    const index = `${first} + (${from}i + i32(sub_lane & ${width - 1}u)) * ${stride}`;
    const loaded = scope.code.let(`${call}(${rangeOf(scope, stmt)}, ${index})`);
    const some = locals.slice(from, from + width);
    items.push(...some.map((_, i) => `subgroupBroadcast(${loaded}, ${i}u)`));
  }
  return items;
}

function itemsOfWords(
  scope: WgslScope,
  stmt: TakeStmt,
  { first, stride, width }: Place & { readonly width: number },
): string[] {
  scope.needs.add('subgroups');
  const { call, vector } = readWordFunction(scope.prelude, viewOf(scope, stmt.view), stmt.storage);
  const element =
    stmt.locals.length === 1 ? '' : ` + i32((sub_lane & ${width - 1}u) >> 2u) * ${stride}`;
  const args = `${rangeOf(scope, stmt)}, ${first}${element}, sub_lane & 3u`;
  const loaded = scope.code.let(`${call}(${args})`);
  return stmt.locals.map((_, i) => {
    const words = [0, 1, 2, 3].map((word) => `subgroupBroadcast(${loaded}, ${i * 4 + word}u)`);
    return `${vector}(${words.join(', ')})`;
  });
}
