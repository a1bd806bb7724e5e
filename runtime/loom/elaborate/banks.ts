/**
 * `bank.def`: resident parameters. Nested banks and arrays of banks flatten to fields with paths
 * like `layer[3].qkv`, in declaration order: the binding order of a bank.
 */
import type { Field } from '../tree.js';
import type { BankInfo } from '../typed.js';
import type { Declaration } from './catalog.js';
import { constantCount } from './coercion.js';
import { constantFrame } from './declaration-frame.js';
import type { Frame } from './frame.js';
import { unique } from './layouts.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import type { BankField, BankType } from './types.js';

export function bankOf(session: Session, declaration: Declaration): BankType {
  const known = session.banks.get(declaration.id);
  if (known !== undefined) return known;
  const bank = session.resolving(declaration, () => {
    const { decl } = declaration;
    const frame = constantFrame(session, declaration.file);
    if (decl.kind === 'bank' && decl.fields.length === 0) {
      throw frame.problem(decl.at, 'a bank has at least one field');
    }
    const names = new Map<string, Field>();
    const fields = (decl.kind === 'bank' ? decl.fields : []).map((field) => {
      unique(frame, names, field);
      return bankField(frame, field);
    });
    return { name: declaration.name, fields };
  });
  session.banks.set(declaration.id, bank);
  return bank;
}

function bankField(frame: Frame, field: Field): BankField {
  const { name, at, type } = field;
  const isArray = type.kind === 'arrayType';
  const term = frame.term(isArray ? type.elem : type);
  let count: number | null = null;
  if (isArray) {
    const bounds = { what: 'the length of the field', min: 1, max: 2 ** 31 - 1 };
    count = constantCount(frame, frame.eval(type.count), type.count.at, bounds);
  }
  if (term.bank !== null) return { name, at, storage: null, bank: term.bank, count };
  if (term.element?.kind === 'storage') {
    return { name, at, storage: term.element.storage, bank: null, count };
  }
  throw frame.problem(at, `a bank field holds storage elements or banks, not ${term.name}`);
}

/** Every storage field by path, in binding order. */
export function flattenBank(frame: Frame, name: string, bank: BankType, at: number): BankInfo {
  const fields: BankInfo['fields'][number][] = [];
  const walk = (type: BankType, prefix: string): void => {
    for (const field of type.fields) {
      if (field.storage !== null) {
        const count = field.count ?? 1;
        const { storage } = field;
        fields.push({ name: prefix + field.name, storage, count, bytes: count * storage.size });
        if (fields.length <= elaborationLimits.bankFields) continue;
        throw frame.problem(
          at,
          `bank '${name}' has more than ${elaborationLimits.bankFields} fields`,
        );
      }
      if (field.bank === null) continue;
      if (field.count === null) walk(field.bank, `${prefix}${field.name}.`);
      else {
        for (let index = 0; index < field.count; index += 1) {
          walk(field.bank, `${prefix}${field.name}[${index}].`);
        }
      }
    }
  };
  walk(bank, '');
  return { name, fields };
}
