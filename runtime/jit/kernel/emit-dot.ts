/**
 * Dot products of signed bytes. Their operands are needed as words, sixteen of them in two vectors:
 * a load widens eight bytes for nothing, while a vector in a register costs three instructions. So
 * what is read from memory for dot products only is loaded as words, and where it has a local, that
 * lives as two vectors (`local-uses`).
 */
import type { Expr } from '../../loom/typed.js';
import { pushAddress } from './emit-address.js';
import type { KernelScope } from './kernel-scope.js';
import { placesOf } from './place.js';

/** Locals with the words of bytes 0 to 7, and of bytes 8 to 15. */
export interface Words {
  readonly low: number;
  readonly high: number;
}

const WORDS_BYTES = 8;

/** acc + dot16(low(a), low(b)) + dot16(high(a), high(b)). */
export function emitDot(scope: KernelScope, [a, b, acc]: readonly Expr[]): void {
  const { code } = scope;
  const operands = [a!, b!].map((operand) => operandOf(scope, operand));
  scope.emit.value(acc!);
  for (const half of ['low', 'high'] as const) {
    for (const { words } of operands) code.get(words[half]);
    code.ops('i32x4.dot_i16x8_s', 'i32x4.add');
  }
  for (const { release } of operands) release();
}

/** Evaluates bytes into the two locals. */
export function emitWords(scope: KernelScope, bytes: Expr, { low, high }: Words): void {
  const { code } = scope;
  if (bytes.op !== 'view.get') {
    scope.emit.value(bytes);
    code.set(high);
    code.get(high);
    code.op('i16x8.extend_low_i8x16_s');
    code.set(low);
    code.get(high);
    code.op('i16x8.extend_high_i8x16_s');
    return code.set(high);
  }
  const address = code.temp('i32');
  const offset = pushAddress(scope, placesOf(bytes)[0]!);
  code.tee(address);
  emitLoadWords(scope, offset);
  code.set(low);
  code.get(address);
  emitLoadWords(scope, offset + WORDS_BYTES);
  code.set(high);
  code.release('i32', address);
}

/** V8 folds no constant into the address of a load that widens, but keeps a register for each. */
function emitLoadWords({ code }: KernelScope, offset: number): void {
  if (offset > 0) {
    code.i32(offset);
    code.op('i32.add');
  }
  code.access('v128.load8x8_s');
}

function operandOf(scope: KernelScope, operand: Expr): { words: Words; release: () => void } {
  const known = operand.op === 'local' ? scope.wide.get(operand.local) : undefined;
  if (known !== undefined) return { words: known, release: () => undefined };
  const { code } = scope;
  const words = { low: code.temp('v128'), high: code.temp('v128') };
  emitWords(scope, operand, words);
  const release = () => {
    code.release('v128', words.low);
    code.release('v128', words.high);
  };
  return { words, release };
}
