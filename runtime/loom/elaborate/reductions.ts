/**
 * Reductions of shared arrays in the fixed orders of the language. They belong to kernel level, for
 * a workgroup has one result; only `sum_in_order`, which has no lanes in it, may stand in a region.
 */
import type { Expr, Type } from '../typed.js';
import type { Call } from './call.js';
import { once } from './host-layout.js';
import { I32, componentOf, isScalar, scalar, typeName } from './types.js';
import type { Value } from './value.js';

export type Shared = Extract<Value, { kind: 'shared' | 'sharedSlice' }>;

export const reductions: ReadonlyMap<string, 'add' | 'max' | 'min' | 'in_order'> = new Map([
  ['reduce_add', 'add'],
  ['reduce_max', 'max'],
  ['reduce_min', 'min'],
  ['sum_in_order', 'in_order'],
]);

export function reduce(base: Shared, call: Call, kind: 'add' | 'max' | 'min' | 'in_order'): Value {
  const { frame, at } = call;
  call.counts(0);
  if (frame.region !== null && kind !== 'in_order') {
    throw frame.problem(
      at,
      `.${call.name} is a kernel-level operation`,
      'call it between the regions',
    );
  }
  const component = componentOf(base.elem);
  if (component === null || isScalar(component, 'bool')) {
    throw frame.problem(at, `.${call.name} does not apply to ${typeName(base.elem)}`);
  }
  const first: Expr =
    base.kind === 'sharedSlice'
      ? base.first
      : { op: 'const', type: I32, site: call.site, value: 0 };
  if (frame.region !== null) return sumInLane(base, call, first);
  const expr: Expr = {
    op: 'reduce',
    type: base.elem,
    site: call.site,
    kind,
    shared: base.shared,
    first,
    count: base.count,
  };
  // Held at once: a later region may overwrite the array before the value is used.
  return frame.hold(call.name, expr, 'uniform');
}

/** Inside a region every lane that asks adds for itself, from left to right. */
function sumInLane(base: Shared, call: Call, first: Expr): Value {
  const { frame, at, site } = call;
  const { elem, shared, count } = base;
  const element = (index: Expr): Expr => ({ op: 'shared.get', type: elem, site, shared, index });
  const start = once(frame, first);
  const sum = frame.body.local(call.name, elem);
  frame.emit({ op: 'set', site, local: sum, value: element(start) });
  const counter = frame.body.local('at', I32);
  const number = (value: number): Expr => ({ op: 'const', type: I32, site, value });
  const local = (id: number, type: Type): Expr => ({ op: 'local', type, site, local: id });
  const add = (left: Expr, right: Expr): Expr => ({
    op: 'arithmetic',
    type: left.type,
    site,
    operator: '+',
    left,
    right,
  });
  const body = frame.nested(() => {
    const value = add(local(sum, elem), element(add(start, local(counter, I32))));
    frame.emit({ op: 'set', site, local: sum, value });
  });
  frame.emit({
    op: 'for',
    site,
    local: counter,
    from: number(1),
    to: number(count),
    step: 1,
    body,
  });
  return frame.localValue(sum, frame.site(at), 'uniform');
}

/** `reduce_argmax(values, ids)` -> {value, index}. */
export function argmax(call: Call): Value {
  const { frame, at } = call;
  call.counts(2);
  const values = call.value(0);
  const ids = call.value(1);
  if (frame.region !== null) {
    throw frame.problem(
      at,
      'reduce_argmax is a kernel-level operation',
      'call it between the regions',
    );
  }
  if (
    values.kind !== 'shared' ||
    ids.kind !== 'shared' ||
    !isScalar(ids.elem, 'i32') ||
    values.elem.kind !== 'scalar'
  ) {
    throw frame.problem(at, 'reduce_argmax takes a shared array of scalars and a shared i32 array');
  }
  if (values.count !== ids.count) {
    throw frame.problem(
      at,
      `reduce_argmax needs equal lengths, got ${values.count} and ${ids.count}`,
    );
  }
  const value = frame.body.local('value', values.elem);
  const index = frame.body.local('index', scalar('i32'));
  const { site } = call;
  frame.emit({
    op: 'argmax',
    site,
    values: values.shared,
    ids: ids.shared,
    count: values.count,
    value,
    index,
  });
  const parts = new Map<string, Value>([
    ['value', frame.localValue(value, site, 'uniform')],
    ['index', frame.localValue(index, site, 'uniform')],
  ]);
  return { kind: 'parts', parts };
}
