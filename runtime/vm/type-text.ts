/**
 * Types as text: for messages (`list<i64>`, `buffer`) and, with the fields of records written out,
 * as the structure from which the fingerprint of sealed state is taken.
 */
import { createHash } from 'node:crypto';
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

/** A record is told by the digest of its structure, so text stays short however records nest. */
function structureText(type: Type): string {
  switch (type.kind) {
    case 'record':
      return `${type.record.name}{${structureDigest(type.record)}}`;
    case 'list':
    case 'cell':
      return `${type.kind}<${structureText(type.elem)}>`;
    case 'array':
      return `${structureText(type.elem)}[${type.count}]`;
    default:
      return typeText(type);
  }
}

const digests = new WeakMap<RecordType, string>();

/** SHA-256 of name and structure: equal for equal types, whichever program declared them. */
export function structureDigest(record: RecordType): string {
  const known = digests.get(record);
  if (known !== undefined) return known;
  const { name, fields } = record;
  const parts = fields.map((field) => `${field.name}:${structureText(field.type)}`);
  const digest = createHash('sha256').update(`${name}{${parts.join()}}`).digest('hex');
  digests.set(record, digest);
  return digest;
}

/**
 * 32 bits of the digest, never 0, which marks refs to values of the server. Two types may share
 * one: an instance that meets both refuses the second (sealing.ts).
 */
export function fingerprintOf(record: RecordType): number {
  return parseInt(structureDigest(record).slice(0, 8), 16) || 1;
}
