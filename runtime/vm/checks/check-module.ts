/**
 * The capability module `check`: launches on the reference device in check mode, and expectations
 * that raise what they found. One instance a check; it keeps every launch, so that other devices
 * can repeat them once the check function has ended.
 */
import { StatusError } from '../../base/errors.js';
import { checkLibrary } from '../../loom/check-library.js';
import type { CallContext, Capability } from '../capability.js';
import { interpretCommand, ROUNDS_MAX } from '../device/command-interpreter.js';
import type { HostValue, SymbolValue } from '../host-value.js';
import { ProgramFault } from '../program-error.js';
import { typeText } from '../type-text.js';
import {
  prepareLaunch,
  type CheckTarget,
  type LaunchArguments,
  type PreparedLaunch,
} from './check-launch.js';

const ROOT_BYTES_MAX = 2 ** 30;

/** A launch that happened, with what the reference device made of it. */
export interface RecordedLaunch extends PreparedLaunch {
  readonly results: readonly Uint8Array[];
}

export class CheckModule {
  readonly launches: RecordedLaunch[] = [];
  readonly #resolve: (symbol: SymbolValue) => CheckTarget;
  /** What all launches of the check together may still take: rounds of loops, bytes of roots. */
  #rounds: number;
  #rootBytes = ROOT_BYTES_MAX;

  constructor(resolve: (symbol: SymbolValue) => CheckTarget, rounds = ROUNDS_MAX) {
    this.#resolve = resolve;
    this.#rounds = rounds;
  }

  capabilities(): (readonly [string, Capability])[] {
    return checkLibrary.map(({ importName, params, results }) => {
      const run = this.#run(importName);
      return [
        `check.${importName}`,
        { params: params.map(typeText), results: results.map(typeText), run },
      ];
    });
  }

  #run(name: string): Capability['run'] {
    switch (name) {
      case 'launch':
        return (_, symbol: SymbolValue, ...args: [Uint8Array[], bigint[], bigint[]]) => {
          const [inputs, sizes, words] = args;
          return [this.#launch(symbol, { inputs, sizes, words })];
        };
      case 'expect':
        return (_, holds: boolean) => verdict(holds ? null : 'the expectation does not hold');
      case 'expect_equal_buffer':
        return (_, a: Uint8Array, b: Uint8Array) => verdict(differenceOf(a, b));
      case 'expect_near_f32':
      case 'expect_near_f64':
        return (_, a: number, b: number, ...[abs, rel]: [number, number]) =>
          verdict(
            isNear(a, b, { abs, rel }) ? null : `${a} is not near ${b} (abs ${abs}, rel ${rel})`,
          );
      case 'expect_near_buffer':
        return (_, a: Uint8Array, b: Uint8Array, ...[abs, rel]: [number, number]) =>
          verdict(farElement(a, b, { abs, rel }));
      case 'expect_rejects':
        return (context, symbol: SymbolValue, text: string) =>
          verdict(notRejected(context, symbol, text));
      case 'expect_invariant':
        return (context, command: SymbolValue, pack: SymbolValue, rows: Uint8Array[]) =>
          verdict(this.#variance(context, { command, pack, rows }));
      default:
        return (_, a: HostValue, b: HostValue) =>
          verdict(a === b ? null : `${text(a)} is not ${text(b)}`);
    }
  }

  #launch(symbol: SymbolValue, args: LaunchArguments): Uint8Array[] {
    const launch = prepareLaunch(this.#resolve(symbol), args);
    this.#rootBytes -= launch.rootBytes;
    if (this.#rootBytes < 0) {
      const asked = `${launch.command.name} asks for ${launch.rootBytes} bytes of roots`;
      throw new ProgramFault(
        'resourceExhausted',
        `${asked}; all launches of a check may have ${ROOT_BYTES_MAX}`,
      );
    }
    const roots = launch.roots();
    const outcome = interpretCommand(launch.command, { roots, checks: true, rounds: this.#rounds });
    const { faults } = outcome;
    this.#rounds = outcome.rounds;
    const [first] = faults;
    if (first) {
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
      throw new ProgramFault(
        'internal',
        `${first.kernel} (${first.position}): ${first.message}${more}`,
      );
    }
    const results = launch.outputs.map((root) => roots[root]!);
    this.launches.push({ ...launch, results });
    return results;
  }

  /** Where a row differs alone, packed, or packed in reverse; null when nowhere. */
  #variance(
    context: CallContext,
    what: { command: SymbolValue; pack: SymbolValue; rows: readonly Uint8Array[] },
  ): string | null {
    const run = (rows: readonly Uint8Array[]): Uint8Array[] => {
      const [packet, rowBytes] = context.invoke(what.pack.name, [rows]) as [Uint8Array, bigint];
      const size = Number(rowBytes);
      const launch = { inputs: [packet], sizes: [BigInt(size * rows.length)], words: [] };
      const output = this.#launch(what.command, launch)[0]!;
      return rows.map((_, row) => output.subarray(row * size, (row + 1) * size));
    };
    const packed = run(what.rows);
    const reversed = run([...what.rows].reverse()).reverse();
    for (const [i, row] of what.rows.entries()) {
      const alone = run([row])[0]!;
      for (const [name, other] of [
        ['packed', packed[i]!],
        ['packed in reverse', reversed[i]!],
      ] as const) {
        const difference = differenceOf(other, alone);
        if (difference) return `row ${i} ${name} differs from the row alone: ${difference}`;
      }
    }
    return null;
  }
}

function verdict(complaint: string | null): readonly HostValue[] {
  if (complaint !== null) throw new ProgramFault('internal', complaint);
  return [];
}

const text = (value: HostValue): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

/** The first byte that differs, or null. */
export function differenceOf(found: Uint8Array, expected: Uint8Array): string | null {
  if (found.length !== expected.length) return `${found.length} bytes, expected ${expected.length}`;
  const at = found.findIndex((byte, i) => byte !== expected[i]);
  return at < 0 ? null : `byte ${at} is ${found[at]}, expected ${expected[at]}`;
}

interface Bound {
  readonly abs: number;
  readonly rel: number;
}

function isNear(found: number, expected: number, { abs, rel }: Bound): boolean {
  return found === expected || Math.abs(found - expected) <= abs + rel * Math.abs(expected);
}

function farElement(found: Uint8Array, expected: Uint8Array, bound: Bound): string | null {
  if (found.length !== expected.length || found.length % 4 !== 0) {
    return `${found.length} bytes against ${expected.length}: not equally many f32`;
  }
  const [a, b] = [floatsOf(found), floatsOf(expected)];
  const at = a.findIndex((value, i) => !isNear(value, b[i]!, bound));
  return at < 0
    ? null
    : `element ${at} is ${a[at]}, expected ${b[at]} (abs ${bound.abs}, rel ${bound.rel})`;
}

function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

function notRejected(context: CallContext, symbol: SymbolValue, expected: string): string | null {
  try {
    context.invoke(symbol.name, []);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 'invalidArgument') throw error;
    if (error.message.includes(expected)) return null;
    return `${symbol.name} rejects with "${error.message}", which lacks "${expected}"`;
  }
  return `${symbol.name} does not reject`;
}
