/**
 * One command program under construction: roots and what is done to them, banks, workspaces with
 * the bytes that were written so far, interned kernels and the ordered steps.
 */
import type { At } from '../tree.js';
import type { BankInfo, CommandProgram, Kernel, RootInfo } from '../typed.js';
import type { Element } from './types.js';

export interface RootState {
  readonly name: string;
  reads: boolean;
  writes: At | null;
  /** Where a word of it is used first. */
  hosted: At | null;
  bytesMin: number;
}

export interface WorkspaceState {
  readonly name: string;
  readonly at: At;
  readonly bytes: number;
  readonly zero: boolean;
  readonly lifetime: 'command' | 'invocation';
  readonly element: Element;
  /** Written byte ranges, sorted and merged. */
  written: readonly (readonly [number, number])[];
  /** A `part` came after its last write: its contents are gone. */
  stale: boolean;
}

export interface KernelInstance {
  readonly kernel: Kernel;
  /** For each parameter its element, or null for scalars. */
  readonly elements: readonly (Element | null)[];
  readonly names: readonly string[];
}

export class CommandBuilder {
  readonly roots: RootState[] = [];
  readonly banks: { readonly info: BankInfo; readonly fields: ReadonlyMap<string, number> }[] = [];
  readonly workspaces: WorkspaceState[] = [];
  readonly kernels: Kernel[] = [];
  /** A dispatch failed to elaborate, so what is written is not known any more. */
  incomplete = false;
  readonly steps: CommandProgram['steps'][number][] = [];
  readonly #kernelByKey = new Map<string, number>();

  root(name: string): number {
    return this.roots.push({ name, reads: false, writes: null, hosted: null, bytesMin: 0 }) - 1;
  }

  bank(info: BankInfo): number {
    const fields = new Map(info.fields.map((field, index) => [field.name, index]));
    return this.banks.push({ info, fields }) - 1;
  }

  workspace(state: Omit<WorkspaceState, 'written' | 'stale'>): number {
    return this.workspaces.push({ ...state, written: [], stale: false }) - 1;
  }

  kernel(kernel: Kernel): number {
    const known = this.#kernelByKey.get(kernel.key);
    if (known !== undefined) return known;
    const index = this.kernels.push(kernel) - 1;
    this.#kernelByKey.set(kernel.key, index);
    return index;
  }

  rootInfos(): RootInfo[] {
    return this.roots.map(({ name, reads, writes, hosted, bytesMin }) => {
      const written = writes !== null;
      const access = written ? (reads ? 'inout' : 'out') : reads ? 'in' : 'none';
      return { name, access, hosted: hosted !== null, bytesMin };
    });
  }
}
