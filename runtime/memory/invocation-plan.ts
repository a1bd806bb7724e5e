/**
 * Checks one submission against what the device knows (executables, existing storage) and works out
 * what it needs: which storage to place, which workspace each execution gets. Pure: it changes
 * nothing, so a submission that it refuses has cost nothing. Run when a submission arrives, and
 * again when one that waited is admitted, because the device may have changed meanwhile.
 */
import { assert, StatusError } from '../base/errors.js';
import type { DeviceRange } from '../hal/buffer.js';
import { rangesOverlap } from '../hal/buffer.js';
import type { Device } from '../hal/device.js';
import type { Executable } from '../hal/executable.js';
import { DESCRIPTOR_BYTES, DESCRIPTORS_MAX } from '../hal/gather.js';
import { checkRoots } from '../hal/root-binding.js';
import type { BufferRange, Submission, SubmissionCommand } from '../hal/submission.js';
import { ALIGNMENT } from './slab-allocator.js';
import type { WorkspaceShare } from './workspace-limits.js';
import { StorageTable, type PlacedStorage, type StorageRequest } from './storage-table.js';

/** Bytes that one submission may bring to the host: snapshot and feedback together. */
export const HOST_BYTES_MAX = 256 * 1024 * 1024;

/** Invocation storage that gathers write starts at such multiples: direct reads ask for that. */
export const PAGE_BYTES = 4096;

/** Where the bytes of a buffer or workspace come from. */
export type StorageSource =
  | { readonly existing: PlacedStorage }
  /** Index into `fresh`. */
  | { readonly fresh: number };

export interface InvocationPlan {
  readonly fresh: readonly StorageRequest[];
  readonly buffers: readonly StorageSource[];
  /**
   * Fresh ones among `fresh` that start at a multiple of PAGE_BYTES; they were made that longer.
   */
  readonly pages: ReadonlySet<number>;
  /** By work id. */
  readonly executables: ReadonlyMap<number, Executable>;
  /** By executable; none for programs without workspace. */
  readonly workspaces: ReadonlyMap<Executable, StorageSource>;
  /** Banks that its programs bind, each once. */
  readonly banks: ReadonlySet<string>;
  /** What it takes of limits that packages set on the workspace of stages. */
  readonly shares: readonly WorkspaceShare[];
  /** What admission has to find room for, beside banks that are not there. */
  readonly bytes: number;
  readonly snapshotBytes: number;
}

type Execute = Extract<SubmissionCommand, { op: 'execute' }>;

export function planInvocation(
  submission: Submission,
  device: Device,
  table: StorageTable,
): InvocationPlan {
  return new Planner(submission, device, table).plan();
}

class Planner {
  readonly #submission: Submission;
  readonly #device: Device;
  readonly #table: StorageTable;
  readonly #fresh: StorageRequest[] = [];
  readonly #buffers: StorageSource[] = [];
  readonly #executables = new Map<number, Executable>();
  readonly #workspaces = new Map<Executable, StorageSource>();
  readonly #fences = new Set<number>();
  readonly #pages = new Set<number>();
  /** Bytes that the host put in place, and bytes that works wrote, as identified ranges. */
  readonly #uploaded: DeviceRange[] = [];
  readonly #written: DeviceRange[] = [];
  readonly #partsSeen = new Map<Executable, number>();
  #sharedWorkspace: { readonly fresh: number } | null = null;
  #hostBytes = 0;

  constructor(submission: Submission, device: Device, table: StorageTable) {
    this.#submission = submission;
    this.#device = device;
    this.#table = table;
  }

  plan(): InvocationPlan {
    const { uploads, commands, snapshot } = this.#submission;
    this.#planBuffers();
    for (const { target, bytes } of uploads) {
      this.#check(target, 'an upload');
      if (target.length !== bytes.length) {
        this.#refuse(`an upload of ${bytes.length} bytes goes to a range of ${target.length}`);
      }
      this.#uploaded.push(this.#identify(target));
    }
    for (const command of commands) this.#planCommand(command);
    for (const range of snapshot) this.#toHost(range, 'the snapshot');
    return {
      fresh: this.#fresh,
      buffers: this.#buffers,
      pages: this.#pages,
      executables: this.#executables,
      workspaces: this.#workspaces,
      shares: sharesOf(new Set(this.#executables.values())),
      banks: new Set([...this.#executables.values()].flatMap(({ banks }) => banks)),
      bytes: StorageTable.bytesFor(this.#fresh),
      snapshotBytes: snapshot.reduce((sum, { length }) => sum + length, 0),
    };
  }

  #planBuffers(): void {
    const { buffers, owner, invocation } = this.#submission;
    const keys = new Set<string>();
    buffers.forEach(({ bytes, lifetime, key }, index) => {
      if (!Number.isSafeInteger(bytes) || bytes <= 0) {
        this.#refuse(`buffer ${index} has ${bytes} bytes; a buffer has at least 1`);
      }
      if (lifetime === 'invocation' || lifetime === 'result') {
        const name = lifetime === 'result' ? (key ?? `${invocation}#${index}`) : null;
        if (name !== null && (this.#table.has(name) || keys.has(name))) {
          throw new StatusError('alreadyExists', `storage '${name}' is on the device already`);
        }
        if (name !== null) keys.add(name);
        this.#buffers.push(this.#add({ key: name, owner, bytes }));
        return;
      }
      if (key === undefined) this.#refuse(`buffer ${index} is ${lifetime} storage without a key`);
      const existing = this.#table.find(key as string);
      if (existing.bytes < bytes) {
        this.#refuse(`storage '${key}' has ${existing.bytes} bytes; buffer ${index} asks ${bytes}`);
      }
      this.#buffers.push({ existing });
    });
  }

  #planCommand(command: SubmissionCommand): void {
    switch (command.op) {
      case 'execute':
        return this.#planExecute(command);
      case 'feedback':
        this.#needWork(command.work);
        return this.#toHost(command.source, `feedback slot ${command.slot}`);
      case 'copy':
        return this.#planCopy(command);
      case 'fill':
        return this.#planFill(command);
      case 'fence':
        this.#needWork(command.work);
        if (this.#fences.has(command.fence)) this.#refuse(`fence ${command.fence} is made twice`);
        this.#fences.add(command.fence);
        return;
      case 'gather':
        return this.#planGather(command);
      case 'join':
        if (!this.#fences.has(command.fence)) this.#refuse(`fence ${command.fence} is not known`);
    }
  }

  #planCopy({ source, target }: Extract<SubmissionCommand, { op: 'copy' }>): void {
    this.#check(source, 'the source of a copy');
    this.#check(target, 'the target of a copy');
    if (source.length !== target.length) {
      this.#refuse(`a copy of ${source.length} bytes goes to a range of ${target.length}`);
    }
    const ranges = [this.#identify(source), this.#identify(target)] as const;
    if (rangesOverlap(...ranges)) this.#refuse('a copy writes over its own source');
    this.#written.push(ranges[1]);
  }

  #planFill({ target, byte }: Extract<SubmissionCommand, { op: 'fill' }>): void {
    this.#check(target, 'the target of a fill');
    if (!(Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
      this.#refuse(`a fill with ${byte}; a byte is 0 to 255`);
    }
    this.#written.push(this.#identify(target));
  }

  #planGather(command: Extract<SubmissionCommand, { op: 'gather' }>): void {
    const { fence, wait, descriptors, target, entry } = command;
    if (wait !== null && !this.#fences.has(wait)) this.#refuse(`fence ${wait} is not known`);
    if (this.#fences.has(fence)) this.#refuse(`fence ${fence} is made twice`);
    this.#fences.add(fence);
    this.#check(descriptors, `the descriptors of a gather from '${entry.key}'`);
    this.#check(target, `the target of a gather from '${entry.key}'`);
    const most = DESCRIPTORS_MAX * DESCRIPTOR_BYTES;
    if (descriptors.length > most || descriptors.length % DESCRIPTOR_BYTES !== 0) {
      this.#refuse(`a gather has ${descriptors.length} bytes of descriptors; at most ${most}`);
    }
    this.#hostBytes += descriptors.length;
    const ranges = [this.#identify(descriptors), this.#identify(target)] as const;
    if (rangesOverlap(...ranges)) this.#refuse('a gather writes over its own descriptors');
    this.#written.push(ranges[1]);
    this.#startAtPage(target.buffer);
  }

  /** Only what this invocation places and nobody else names by its size. */
  #startAtPage(buffer: number): void {
    const source = this.#buffers[buffer]!;
    if ('existing' in source || this.#pages.has(source.fresh)) return;
    const request = this.#fresh[source.fresh]!;
    if (request.key !== null) return;
    this.#pages.add(source.fresh);
    this.#fresh[source.fresh] = { ...request, bytes: request.bytes + PAGE_BYTES - ALIGNMENT };
  }

  #planExecute(command: Execute): void {
    const { work, roots, part } = command;
    const executable = this.#device.executable(command.executable);
    const { info } = executable;
    if (this.#executables.has(work)) this.#refuse(`work ${work} is submitted twice`);
    if (!(Number.isInteger(part) && part >= 0 && part < info.parts)) {
      this.#refuse(`${info.name} has ${info.parts} parts; part ${part} was submitted`);
    }
    const ranges = roots.map((range, index) => {
      this.#check(range, `root ${index} of ${info.name}`);
      return this.#identify(range);
    });
    checkRoots(
      info,
      ranges.map((range) => ({ range, hosted: this.#isHosted(range) })),
    );
    this.#planWorkspace(executable, part);
    info.roots.forEach(({ access }, index) => {
      if (access === 'out' || access === 'inout') this.#written.push(ranges[index]!);
    });
    this.#executables.set(work, executable);
  }

  /** One workspace for all programs that keep nothing in it, one each for programs with parts. */
  #planWorkspace(executable: Executable, part: number): void {
    const { workspaceBytes: bytes, parts, name } = executable.info;
    const kept = this.#submission.workspace;
    const seen = this.#partsSeen.get(executable) ?? (kept === undefined ? -1 : part - 1);
    if (part > seen + 1) this.#refuse(`part ${part} of ${name} comes before part ${part - 1}`);
    this.#partsSeen.set(executable, Math.max(seen, part));
    if (bytes === 0 || this.#workspaces.has(executable)) return;
    if (parts > 1 && kept !== undefined) {
      const existing = this.#table.find(kept);
      if (existing.bytes < bytes) {
        this.#refuse(`workspace '${kept}' has ${existing.bytes} bytes; ${name} needs ${bytes}`);
      }
      if ([...this.#workspaces.values()].some((source) => 'existing' in source)) {
        this.#refuse(`workspace '${kept}' serves one program with parts, not ${name} too`);
      }
      this.#workspaces.set(executable, { existing });
    } else if (parts > 1) {
      this.#workspaces.set(executable, this.#add({ bytes, ...this.#workspaceRequest }));
    } else {
      this.#workspaces.set(executable, this.#shareWorkspace(bytes));
    }
  }

  #shareWorkspace(bytes: number): StorageSource {
    this.#sharedWorkspace ??= this.#add({ bytes, ...this.#workspaceRequest });
    const { fresh } = this.#sharedWorkspace;
    const { key, owner, bytes: asked } = this.#fresh[fresh]!;
    this.#fresh[fresh] = { key, owner, bytes: Math.max(asked, bytes) };
    return this.#sharedWorkspace;
  }

  get #workspaceRequest(): { key: null; owner: Submission['owner'] } {
    return { key: null, owner: this.#submission.owner };
  }

  #add(request: StorageRequest): { readonly fresh: number } {
    this.#fresh.push(request);
    return { fresh: this.#fresh.length - 1 };
  }

  #toHost(range: BufferRange, what: string): void {
    this.#check(range, what);
    this.#hostBytes += range.length;
    if (this.#hostBytes > HOST_BYTES_MAX) {
      this.#refuse(`snapshot and feedback have more than ${HOST_BYTES_MAX} bytes`);
    }
  }

  #needWork(work: number): void {
    if (!this.#executables.has(work)) this.#refuse(`work ${work} is not of this invocation`);
  }

  #check(range: BufferRange, what: string): void {
    const { buffer, offset, length } = range;
    const bytes = this.#submission.buffers[buffer]?.bytes;
    if (bytes === undefined) this.#refuse(`${what} names buffer ${buffer}, which there is not`);
    const inside = offset >= 0 && length >= 0 && offset + length <= (bytes as number);
    if (!inside || !Number.isInteger(offset) || !Number.isInteger(length)) {
      this.#refuse(`${what} has bytes ${offset}…${offset + length} of a buffer of ${bytes} bytes`);
    }
  }

  /** A range under the identity of its storage, before fresh storage has a place. */
  #identify({ buffer, offset, length }: BufferRange): DeviceRange {
    const source = this.#buffers[buffer];
    assert(source, 'a range that was checked');
    if ('fresh' in source) return { slab: -1 - source.fresh, offset, length };
    const { slab, offset: base } = source.existing.range;
    return { slab, offset: base + offset, length };
  }

  #isHosted(range: DeviceRange): boolean {
    const touches = (other: DeviceRange): boolean => rangesOverlap(range, other);
    return this.#uploaded.some(touches) && !this.#written.some(touches);
  }

  /** Submissions are made by packages: what is wrong with one is no fault of who asked for it. */
  #refuse(why: string): never {
    const { deployment } = this.#submission.owner;
    const message = `submission ${this.#submission.invocation} of ${deployment}: ${why}`;
    throw new StatusError('internal', message);
  }
}

/** One share a stage: its programs in one invocation use the same workspace. */
function sharesOf(executables: ReadonlySet<Executable>): readonly WorkspaceShare[] {
  const shares = new Map<string, WorkspaceShare>();
  for (const { workspaceLimit: limit, info } of executables) {
    if (limit === null || info.workspaceBytes === 0) continue;
    const known = shares.get(limit.stage);
    const bytes = Math.max(known?.bytes ?? 0, info.workspaceBytes);
    const limitBytes = Math.min(known?.limitBytes ?? limit.bytes, limit.bytes);
    shares.set(limit.stage, { stage: limit.stage, bytes, limitBytes });
  }
  return [...shares.values()];
}
