/**
 * What a driver does for the queue: runs one command at a time for each work, and as many works at
 * once as it can. The queue has already ordered whatever must be ordered.
 *
 * Holds: `done` is called exactly once for each command, also when the device is lost; until then
 * the command's bytes belong to the device. `done` may be called before `start` returns.
 */
import type { StatusRecord } from '../base/errors.js';
import type { DeviceCommand } from './command.js';

export type Done = (failure: StatusRecord | null) => void;

export interface Driver {
  start(command: DeviceCommand, done: Done): void;
}
