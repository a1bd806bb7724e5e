/**
 * Where the fields of a bank lie: one behind the other, each at a multiple of 256 bytes, as every
 * device wants its bindings. The layout knows the storage type of each field besides its bytes,
 * because placements are counted in elements.
 */
import { StatusError } from '../base/errors.js';
import type { FieldPlace } from './load-plan.js';
import { nearestText } from './nearest-keys.js';

/** A field as the compiler reflects it. */
export interface BankField {
  /** Path inside the bank, `layer[3].qkv`. */
  readonly name: string;
  readonly storage: { readonly elem: ScalarElement; readonly lanes: number; readonly size: number };
  readonly count: number;
  readonly bytes: number;
}

export type ScalarElement = 'f32' | 'i32' | 'u32' | 'f16' | 'bf16' | 'i8' | 'u8';

const FIELD_ALIGNMENT = 256;

export interface PlacedField extends FieldPlace {
  readonly index: number;
  readonly elem: ScalarElement;
  /** Bytes of one scalar of an element. */
  readonly scalarBytes: number;
}

export class BankLayout {
  readonly fields: readonly PlacedField[];
  /** Bytes of the whole bank. */
  readonly bytes: number;
  readonly #byName: ReadonlyMap<string, PlacedField>;

  constructor(fields: readonly BankField[]) {
    let end = 0;
    this.fields = fields.map(({ name, bytes, storage }, index) => {
      const offset = end;
      end += aligned(bytes);
      const { elem, lanes, size } = storage;
      return { index, name, offset, bytes, elem, scalarBytes: size / lanes };
    });
    this.bytes = end;
    this.#byName = new Map(this.fields.map((field) => [field.name, field]));
  }

  /** Throws for a name that no field has, with those that are near. */
  field(name: string): PlacedField {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    const near = nearestText(name, this.#byName.keys());
    throw new StatusError(
      'invalidArgument',
      `the bank has no field ${JSON.stringify(name)}${near}`,
    );
  }
}

export const aligned = (bytes: number): number =>
  Math.ceil(bytes / FIELD_ALIGNMENT) * FIELD_ALIGNMENT;
