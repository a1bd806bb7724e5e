/**
 * Opaque handles that a program holds for one call: small integers that mean something only in the
 * table that gave them. Handles carry the epoch of their table, so one that a program kept from an
 * earlier call, or made up, is refused instead of naming something else. 0 is never a handle.
 */
import { StatusError } from '../base/errors.js';

const indexBits = 18;
const indexMax = 2 ** indexBits - 1;
const epochs = 2 ** (31 - indexBits);

export class HandleTable<Value> {
  readonly #kind: string;
  readonly #epoch: number;
  readonly #values: Value[] = [];

  /** `epoch` differs from call to call; `kind` names the handles in errors. */
  constructor(kind: string, epoch: number) {
    this.#kind = kind;
    this.#epoch = (epoch % (epochs - 1)) + 1;
  }

  get count(): number {
    return this.#values.length;
  }

  add(value: Value): number {
    if (this.#values.length > indexMax) {
      throw new StatusError(
        'resourceExhausted',
        `more than ${indexMax + 1} values of type ${this.#kind} in one call`,
      );
    }
    this.#values.push(value);
    return this.#epoch * (indexMax + 1) + this.#values.length - 1;
  }

  /** The value of a handle; `use` says who asks. */
  value(handle: number, use: string): Value {
    const found = this.has(handle) ? this.#values[handle % (indexMax + 1)] : undefined;
    if (found !== undefined) return found;
    throw new StatusError(
      'failedPrecondition',
      `${use} was given a ${this.#kind} that is not of this invocation; one that an earlier call made is gone with it`,
    );
  }

  has(handle: number): boolean {
    return (
      Math.floor(handle / (indexMax + 1)) === this.#epoch &&
      handle % (indexMax + 1) < this.#values.length
    );
  }
}
