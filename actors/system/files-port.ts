/**
 * The actor of checkpoint files: reads of every thread reach the reading threads through it, and it
 * alone closes what preparation opened. It lives on the main thread, so whichever other thread dies
 * leaves no descriptor behind that nobody closes.
 *
 * Holds: a file is closed once: when whoever has it says so, or when the device that it was opened
 * for has ended; never while a reading thread reads from it, because its number may be another
 * file's by then.
 */
import type { OpenedFile } from '../../runtime/parameters/load-plan.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { CloseFile, DropFiles, KeepFiles } from '../protocol.js';
import { taskPort, type PoolSummary, type TaskRunner } from './task-port.js';

export interface FilesInput {
  readonly runner: TaskRunner;
  readonly closeFile: (file: OpenedFile) => void;
}

/** Answer to 'pool.describe'. */
export interface FilesSummary extends PoolSummary {
  /** Files that are not closed. */
  readonly open: number;
}

interface Kept {
  readonly file: OpenedFile;
  readonly device: string;
  readonly scope: string;
  /** The device has it: it will say when nobody needs it any more. */
  isTaken: boolean;
}

class FilesHost {
  readonly #self: ActorSelf;
  readonly #input: FilesInput;
  readonly #kept = new Set<Kept>();
  /** Running reads by descriptor, and what is to be closed after them. */
  readonly #reads = new Map<number, number>();
  readonly #closing = new Set<OpenedFile>();

  constructor(self: ActorSelf, input: FilesInput) {
    this.#self = self;
    this.#input = input;
  }

  get open(): number {
    return this.#kept.size + this.#closing.size;
  }

  keep(ask: Message): void {
    const { device, scope, files } = ask.payload as KeepFiles;
    for (const file of files) this.#kept.add({ file, device, scope, isTaken: false });
    // One that has ended already says so at once.
    this.#self.watch(device);
    this.#self.reply(ask, {});
  }

  take({ device, scope }: DropFiles): void {
    for (const kept of this.#of(device)) if (kept.scope === scope) kept.isTaken = true;
  }

  /** Whoever opened them has died before the device took them over. */
  drop({ device, scope }: DropFiles): void {
    for (const kept of this.#of(device)) {
      const isIn = kept.scope === scope || kept.scope.startsWith(`${scope}/`);
      if (isIn && !kept.isTaken) this.#close(kept);
    }
  }

  close({ device, descriptor }: CloseFile): void {
    for (const kept of this.#of(device)) {
      if (kept.file.descriptor === descriptor) this.#close(kept);
    }
  }

  closeAllOf(device: string): void {
    for (const kept of this.#of(device)) this.#close(kept);
  }

  readonly runner: TaskRunner = {
    run: (call, done) => {
      const { descriptor } = (call.input as { file: OpenedFile }).file;
      this.#reads.set(descriptor, (this.#reads.get(descriptor) ?? 0) + 1);
      this.#input.runner.run(call, (outcome) => {
        this.#readEnded(descriptor);
        done(outcome);
      });
    },
  };

  #readEnded(descriptor: number): void {
    const left = this.#reads.get(descriptor)! - 1;
    if (left > 0) return void this.#reads.set(descriptor, left);
    this.#reads.delete(descriptor);
    for (const file of this.#closing) {
      if (file.descriptor !== descriptor) continue;
      this.#closing.delete(file);
      this.#input.closeFile(file);
    }
  }

  #of(device: string): readonly Kept[] {
    return [...this.#kept].filter((kept) => kept.device === device);
  }

  #close(kept: Kept): void {
    const { file, device } = kept;
    this.#kept.delete(kept);
    if (this.#reads.has(file.descriptor)) this.#closing.add(file);
    else this.#input.closeFile(file);
    if (this.#of(device).length === 0) this.#self.unwatch(device);
  }
}

export const filesPort = (self: ActorSelf, input: FilesInput): Behaviour => {
  const host = new FilesHost(self, input);
  const port = taskPort(self, host.runner);
  const summary = (): FilesSummary => ({
    ...(port.describe!(false) as PoolSummary),
    open: host.open,
  });
  const messages: Readonly<Record<string, (message: Message) => void>> = {
    'files.keep': (message) => host.keep(message),
    'files.take': ({ payload }) => host.take(payload as DropFiles),
    'files.drop': ({ payload }) => host.drop(payload as DropFiles),
    'files.close': ({ payload }) => host.close(payload as CloseFile),
  };
  return {
    receive(_, message) {
      if (message.role === 'down') host.closeAllOf(message.from);
      else if (message.kind in messages) messages[message.kind]!(message);
      else port.receive(self, message);
    },
    describe: summary,
  };
};
