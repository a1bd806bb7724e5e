/**
 * Ranges of roots, workspaces and bank fields as values of a command program. Offsets and counts
 * are constants; a range of a root starts at a multiple of 16 bytes.
 */
import type { At, TemplateArg } from '../tree.js';
import type { Range } from '../typed.js';
import type { Call } from './call.js';
import { constantCount } from './coercion.js';
import type { Frame } from './frame.js';
import { resolveElement } from './type-resolution.js';
import { elementAlign, elementName, elementSize } from './types.js';
import type { Element } from './types.js';
import type { Value } from './value.js';

type RangeValue = Extract<Value, { kind: 'range' }>;
const bytesMax = Number.MAX_SAFE_INTEGER;

function elementOf(call: Call): Element {
  call.typeCounts(1);
  return resolveElement(call.frame, call.typeArgs[0] as TemplateArg);
}

/** `root.view<E>(offset, count)` and `root.from<E>(offset)`. */
export function rootRange(root: number, call: Call): Value | null {
  if (call.name !== 'view' && call.name !== 'from') return null;
  const isView = call.name === 'view';
  call.counts(isView ? 2 : 1);
  const element = elementOf(call);
  const offset = call.constant(0, { what: 'the byte offset', min: 0, max: bytesMax });
  if (offset % 16 !== 0) {
    throw call.frame.problem(
      call.argAt(0),
      `the offset ${offset} is not a multiple of 16`,
      'pad the layout before it',
    );
  }
  const size = elementSize(element);
  const count = isView
    ? call.constant(1, { what: 'the count', min: 0, max: Math.floor(bytesMax / size) })
    : null;
  const length = count === null ? null : count * size;
  return { kind: 'range', element, range: { base: { kind: 'root', index: root }, offset, length } };
}

export function rangeMethod(value: RangeValue, call: Call): Value | null {
  switch (call.name) {
    case 'slice':
      return slice(value, call);
    case 'as':
      return reinterpret(value, call);
    default:
      return null;
  }
}

function slice(value: RangeValue, call: Call): Value {
  call.counts(2);
  const { frame } = call;
  const { element, range } = value;
  if (element === null)
    throw frame.problem(call.at, 'slice needs elements', 'name them first: .as<E>()');
  const size = elementSize(element);
  const first = call.constant(0, {
    what: 'the first element',
    min: 0,
    max: Math.floor(bytesMax / size),
  });
  const count = call.constant(1, { what: 'the count', min: 0, max: Math.floor(bytesMax / size) });
  if (range.length !== null && (first + count) * size > range.length) {
    const whole = range.length / size;
    throw frame.problem(call.at, `elements ${first} to ${first + count} of a range of ${whole}`);
  }
  const part: Range = { ...range, offset: range.offset + first * size, length: count * size };
  return { kind: 'range', element, range: part };
}

/** The same bytes as other elements. */
function reinterpret(value: RangeValue, call: Call): Value {
  call.counts(0);
  const element = elementOf(call);
  const { range } = value;
  const size = elementSize(element);
  if (range.length !== null && range.length % size !== 0) {
    throw call.frame.problem(
      call.at,
      `${range.length} bytes are not whole elements of ${elementName(element)} (${size} bytes)`,
    );
  }
  if (range.offset % elementAlign(element) !== 0) {
    throw call.frame.problem(
      call.at,
      `the offset ${range.offset} is not aligned for ${elementName(element)}`,
    );
  }
  return { kind: 'range', element, range };
}

/** `w.norm`, `w.layer`. */
export function bankMember(
  frame: Frame,
  base: Extract<Value, { kind: 'bank' }>,
  name: string,
  at: At,
): Value {
  const field = base.type.fields.find((entry) => entry.name === name);
  if (field === undefined) throw frame.problem(at, `bank ${base.type.name} has no field '${name}'`);
  const path = base.path + name;
  if (field.bank !== null) {
    if (field.count === null)
      return { kind: 'bank', bank: base.bank, type: field.bank, path: `${path}.` };
    return { kind: 'banks', bank: base.bank, type: field.bank, path, count: field.count };
  }
  const found = frame.command?.banks[base.bank];
  const index = found?.fields.get(path);
  if (found === undefined || index === undefined || field.storage === null) {
    throw frame.problem(at, 'bank fields exist in command programs only');
  }
  const element: Element = { kind: 'storage', storage: field.storage };
  const length = found.info.fields[index]?.bytes ?? 0;
  const range: Range = {
    base: { kind: 'bank', index: base.bank, field: index },
    offset: 0,
    length,
  };
  return { kind: 'range', element, range };
}

export function bankElement(
  frame: Frame,
  base: Extract<Value, { kind: 'banks' }>,
  index: Value,
  at: At,
): Value {
  const bounds = { what: 'the index', min: 0, max: base.count - 1 };
  const slot = constantCount(frame, index, at, bounds);
  return { kind: 'bank', bank: base.bank, type: base.type, path: `${base.path}[${slot}].` };
}
