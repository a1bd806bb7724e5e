/**
 * `record.def`: immutable host values. Fields hold host types, and a record does not contain
 * itself. Two records are the same type when name and fields agree.
 */
import type { Field } from '../tree.js';
import type { RecordType } from '../typed.js';
import type { Declaration } from './catalog.js';
import { constantFrame } from './declaration-frame.js';
import { unique } from './layouts.js';
import type { Session } from './session.js';
import { isHostType } from './types.js';

export function recordOf(session: Session, declaration: Declaration): RecordType {
  const known = session.records.get(declaration.id);
  if (known !== undefined) return known;
  const record = session.resolving(declaration, () => {
    const { decl } = declaration;
    const frame = constantFrame(session, declaration.file);
    const names = new Map<string, Field>();
    const fields = (decl.kind === 'record' ? decl.fields : []).map((field) => {
      unique(frame, names, field);
      const term = frame.term(field.type);
      const { type } = term;
      if (type === null || !isHostType(type)) {
        throw frame.problem(field.at, `a record cannot hold ${term.name}: no type of host values`);
      }
      return { name: field.name, type };
    });
    return { name: declaration.name, fields };
  });
  session.records.set(declaration.id, record);
  return record;
}
