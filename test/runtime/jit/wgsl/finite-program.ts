/**
 * Rewrites a generated program so that every float in it is zero or normal: what a device may do
 * with infinities, NaN, denormals and the sign of zero is not specified, and must not decide over
 * anything that is compared. Each float that is made goes through a test of its exponent.
 */
import type { CommandProgram, Expr, Kernel, Local, Type } from '../../../../runtime/loom/typed.js';
import * as b from '../../../generators/typed-builder.js';

const { t } = b;
const EXPONENT = 0x7f800000;

export function finiteProgram(program: CommandProgram): CommandProgram {
  return { ...program, kernels: program.kernels.map(finiteKernel) };
}

function finiteKernel(kernel: Kernel): Kernel {
  const locals = [...kernel.locals];
  const known = new Map<object, unknown>();
  // The tree shares nodes; each is rewritten once.
  const walk = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(walk);
    const made = known.get(node);
    if (made !== undefined) return made;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, value]));
    for (const key of Object.keys(copy)) if (key !== 'type') copy[key] = walk(copy[key]);
    const result = makesFloats(copy) ? guarded(copy as unknown as Expr, locals) : copy;
    known.set(node, result);
    return result;
  };
  const body = walk(kernel.body) as Kernel['body'];
  return { ...kernel, body, locals };
}

function isFloat(type: Type): boolean {
  if (type.kind === 'scalar') return type.name === 'f32';
  return type.kind === 'vector' && type.elem === 'f32';
}

const sources = new Set(['const', 'arithmetic', 'intrinsic', 'convert', 'view.get', 'view.vec4']);

function makesFloats(node: Record<string, unknown>): boolean {
  if (node['op'] === 'negate' || node['op'] === 'reduce' || sources.has(String(node['op'])))
    return 'type' in node && isFloat(node['type'] as Type);
  return false;
}

/** { let x = value; exponent of x is neither 0 nor all ones ? x : 0 } */
function guarded(value: Expr, locals: Local[]): Expr {
  const local = locals.push({ name: 'guarded', type: value.type }) - 1;
  const get: Expr = { op: 'local', local, type: value.type, site: value.site };
  const set = { op: 'set', local, value, site: value.site } as const;
  const { type } = value;
  const items =
    type.kind === 'vector'
      ? Array.from({ length: type.lanes }, (_, lane) => normal(b.extract(get, lane)))
      : [normal(get)];
  const result = type.kind === 'vector' ? b.vector(type, items) : items[0]!;
  return b.blockValue(b.block(set), result);
}

function normal(x: Expr): Expr {
  const exponent = b.arithmetic('&', b.intrinsic('bits', t.u32, [x]), b.u32(EXPONENT));
  const isNormal = b.logical(
    'and',
    b.compare('!=', exponent, b.u32(0)),
    b.compare('!=', exponent, b.u32(EXPONENT)),
  );
  return b.intrinsic('select', t.f32, [isNormal, x, b.constant(t.f32, 0)]);
}
