/**
 * Types as text: for messages (`list<i64>`, `buffer`) and, with the fields of records written out,
 * as the structure from which the fingerprint of sealed state is taken.
 */
import { typeText } from '../loom/type-text.js';
import type { RecordType, Type } from '../loom/typed.js';

export { typeText };

/** `(i64, buffer) -> (i64, ref)`; one result stands without brackets, none is `()`. */
export function signatureText(params: readonly Type[], results: readonly Type[]): string {
  const list = (types: readonly Type[]): string => `(${types.map(typeText).join(', ')})`;
  return `${list(params)} -> ${results.length === 1 ? typeText(results[0]!) : list(results)}`;
}

export function sameTypes(left: readonly Type[], right: readonly Type[]): boolean {
  return (
    left.length === right.length &&
    left.every((type, i) => structureText(type) === structureText(right[i]!))
  );
}

function structureText(type: Type): string {
  switch (type.kind) {
    case 'record':
      return recordText(type.record);
    case 'list':
    case 'cell':
      return `${type.kind}<${structureText(type.elem)}>`;
    case 'array':
      return `${structureText(type.elem)}[${type.count}]`;
    default:
      return typeText(type);
  }
}

function recordText({ name, fields }: RecordType): string {
  return `${name}{${fields.map((field) => `${field.name}:${structureText(field.type)}`).join()}}`;
}

const fingerprints = new WeakMap<RecordType, number>();

/** FNV-1a of name and structure; never 0, which marks refs to values of the server. */
export function fingerprintOf(record: RecordType): number {
  const known = fingerprints.get(record);
  if (known !== undefined) return known;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(recordText(record))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  const fingerprint = hash === 0 ? 1 : hash;
  fingerprints.set(record, fingerprint);
  return fingerprint;
}
