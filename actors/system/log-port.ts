/**
 * The actor through which the other threads write to the server's log: their lines come as tells
 * and leave in the order of arrival, each with the address of the actor that said it.
 */
import type { Behaviour } from '../../runtime/system/actor.js';
import type { LogEntry } from '../../runtime/system/cell-host.js';

export const logPort = (_self: unknown, write: (entry: LogEntry) => void): Behaviour => ({
  receive(_, message) {
    if (message.kind === 'log.write') write(message.payload as LogEntry);
  },
});
