/**
 * Places: every access of a kernel to a view or a shared array, in one form, so that bound checks
 * and address arithmetic exist once. A place touches `width` consecutive elements from `index` on.
 * The places of a node are made once and keep their identity; a loop's plan refers to them.
 */
import type { Expr, SharedId, Site, Stmt, Type, ViewId, ViewPlace } from '../../loom/typed.js';

export type PlaceBase = { readonly view: ViewId } | { readonly shared: SharedId };

export interface Place {
  readonly base: PlaceBase;
  readonly index: Expr;
  readonly width: number;
  /** Bytes inside the element. */
  readonly offset: number;
  readonly sub: ViewPlace['sub'];
  readonly access: 'read' | 'write';
}

const remembered = new WeakMap<Expr | Stmt, readonly Place[]>();

/** The places of a node itself (not of its operands). */
export function placesOf(node: Expr | Stmt): readonly Place[] {
  const known = remembered.get(node);
  if (known) return known;
  const made = makePlaces(node);
  remembered.set(node, made);
  return made;
}

function makePlaces(node: Expr | Stmt): readonly Place[] {
  const plain = { width: 1, offset: 0, sub: null } as const;
  switch (node.op) {
    case 'view.get':
    case 'view.set': {
      const { index, offset, sub } = node;
      const access = node.op === 'view.get' ? 'read' : 'write';
      return [{ base: { view: node.view }, index, width: 1, offset, sub, access }];
    }
    case 'view.vec4':
      return [{ ...plain, base: { view: node.view }, index: node.index, width: 4, access: 'read' }];
    case 'view.put4':
      return [
        { ...plain, base: { view: node.view }, index: node.index, width: 4, access: 'write' },
      ];
    case 'shared.get':
      return [{ ...plain, base: { shared: node.shared }, index: node.index, access: 'read' }];
    case 'shared.set':
      return [{ ...plain, base: { shared: node.shared }, index: node.index, access: 'write' }];
    case 'shared.vec4':
      return [
        { ...plain, base: { shared: node.shared }, index: node.index, width: 4, access: 'read' },
      ];
    case 'shared.put4':
      return [
        { ...plain, base: { shared: node.shared }, index: node.index, width: 4, access: 'write' },
      ];
    case 'accumulate':
      return [{ ...plain, base: node.target, index: node.index, access: 'write' }];
    case 'view.tile':
      return [
        {
          ...plain,
          base: { view: node.source },
          index: node.base,
          width: node.count,
          access: 'read',
        },
      ];
    case 'view.take':
      return node.locals.map((_, i) => ({
        ...plain,
        base: { view: node.view },
        index: strided(node.base, node.stride, i, node.site),
        access: 'read',
      }));
    default:
      return [];
  }
}

/** Element `i` of a take as a take of its own. */
export function takenAlone(
  take: Stmt & { readonly op: 'view.take' },
  i: number,
): Stmt & { readonly op: 'view.take' } {
  const base = strided(take.base, take.stride, i, take.site);
  return { ...take, base, locals: [take.locals[i]!] };
}

const i32Type: Type = { kind: 'scalar', name: 'i32' };

/** base + i * stride as an expression. */
function strided(base: Expr, stride: Expr, i: number, site: Site): Expr {
  if (i === 0) return base;
  const factor: Expr = { op: 'const', type: i32Type, site, value: i };
  const product: Expr = {
    op: 'arithmetic',
    operator: '*',
    left: stride,
    right: factor,
    type: i32Type,
    site,
  };
  return { op: 'arithmetic', operator: '+', left: base, right: product, type: i32Type, site };
}

export function baseKey(base: PlaceBase): string {
  return 'view' in base ? `v${base.view}` : `s${base.shared}`;
}
