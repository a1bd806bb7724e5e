/**
 * What a work does, one command after another. Commands name ranges, never pointers, and say which
 * bytes they read and write: the queue keeps hazards between works by that alone.
 */
import type { StatusRecord } from '../base/errors.js';
import type { DeviceRange } from './buffer.js';
import type { Executable } from './executable.js';

/** One run of one part of a command program. */
export interface Launch {
  readonly executable: Executable;
  readonly roots: readonly DeviceRange[];
  /** Fields of all banks, in the order of `info.bankFields`. */
  readonly banks: readonly DeviceRange[];
  /** Null when the program needs none. */
  readonly workspace: DeviceRange | null;
  readonly part: number;
  /** Scratch that held another deployment's bytes is cleared before this one runs. */
  readonly deployment: string;
  /** Counted back-edges that one worker may take; null: the driver's own bound. */
  readonly backEdges: number | null;
  /** Bytes of hosted roots as uploaded, by root: for drivers that read their words on the host. */
  readonly hosted?: () => readonly (Uint8Array | null)[];
}

export type DeviceCommand =
  | { readonly op: 'execute'; readonly launch: Launch }
  | { readonly op: 'upload'; readonly target: DeviceRange; readonly bytes: Uint8Array }
  /** Equal lengths; the ranges do not overlap. */
  | { readonly op: 'copy'; readonly source: DeviceRange; readonly target: DeviceRange }
  | { readonly op: 'fill'; readonly target: DeviceRange; readonly byte: number }
  /** Copies to host memory that the caller owns; valid once the work retired. */
  | { readonly op: 'readback'; readonly source: DeviceRange; readonly into: Uint8Array }
  /** Work of the host in the middle of the queue; `done` is called exactly once. */
  | {
      readonly op: 'call';
      readonly run: (done: (failure: StatusRecord | null) => void) => void;
      readonly reads: readonly DeviceRange[];
      readonly writes: readonly DeviceRange[];
    };

/**
 * Bytes that a work touches. `reads` also covers what it both reads and writes. All of them lie at
 * offsets `from`…`to` of whatever slabs they are in.
 */
export interface Access {
  readonly reads: readonly DeviceRange[];
  readonly writes: readonly DeviceRange[];
  readonly from: number;
  readonly to: number;
}

export function accessOf(commands: readonly DeviceCommand[]): Access {
  const reads: DeviceRange[] = [];
  const writes: DeviceRange[] = [];
  for (const command of commands) {
    if (command.op === 'execute') addLaunch(command.launch, reads, writes);
    else if (command.op === 'call') {
      reads.push(...command.reads);
      writes.push(...command.writes);
    } else {
      if ('source' in command) reads.push(command.source);
      if ('target' in command) writes.push(command.target);
    }
  }
  let from = Infinity;
  let to = 0;
  for (const ranges of [reads, writes]) {
    for (const { offset, length } of ranges) {
      from = Math.min(from, offset);
      to = Math.max(to, offset + length);
    }
  }
  return { reads, writes, from, to };
}

function addLaunch(launch: Launch, reads: DeviceRange[], writes: DeviceRange[]): void {
  launch.executable.info.roots.forEach(({ access, hosted }, index) => {
    const range = launch.roots[index]!;
    if (access === 'in' || access === 'inout' || hosted) reads.push(range);
    if (access === 'out' || access === 'inout') writes.push(range);
  });
  reads.push(...launch.banks);
  if (launch.workspace) {
    writes.push(launch.workspace);
    // A later part goes on with what an earlier part left in the workspace.
    if (launch.part > 0) reads.push(launch.workspace);
  }
}
