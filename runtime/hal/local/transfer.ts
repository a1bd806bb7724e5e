/**
 * The commands that need no compute worker: upload, copy, fill, readback, and calls of the host.
 * Memory is the host's own, so each is one copy on the device thread; copies share the memory with
 * running launches, which touch other bytes because the queue keeps hazards.
 */
import { assert } from '../../base/errors.js';
import type { DeviceCommand } from '../command.js';
import type { Done } from '../driver.js';
import type { LocalMemory } from './local-memory.js';

export type TransferCommand = Exclude<DeviceCommand, { op: 'execute' }>;

/** Runs the command; `done` may be called later only by a host call. */
export function transfer(memory: LocalMemory, command: TransferCommand, done: Done): void {
  switch (command.op) {
    case 'upload':
      assert(command.bytes.length === command.target.length, 'an upload of the target length');
      memory.view(command.target).set(command.bytes);
      break;
    case 'copy':
      assert(command.source.length === command.target.length, 'a copy between equal lengths');
      memory.view(command.target).set(memory.view(command.source));
      break;
    case 'fill':
      memory.fill(command.target, command.byte);
      break;
    case 'readback':
      assert(command.into.length === command.source.length, 'a readback of the source length');
      command.into.set(memory.view(command.source));
      break;
    case 'call':
      command.run(done);
      return;
  }
  done(null);
}
