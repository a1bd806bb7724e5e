/**
 * What every thread that hosts actors has in common: one actor system over message ports to its
 * peers, and the control plane's answers.
 */
import { systemPorts } from '../../runtime/base/ports.js';
import { threadUsage } from '../../runtime/base/thread-usage.js';
import type { ActorKinds } from '../../runtime/system/kinds.js';
import { RingRecorder } from '../../runtime/system/ring-recorder.js';
import { ActorSystem } from '../../runtime/system/system.js';
import { ThreadsTransport } from '../../runtime/system/transports/threads.js';
import { LOG } from '../protocol.js';
import { blocker } from '../system/blocker.js';
import type { ThreadControl } from '../../runtime/threads/thread-control.js';

/** Records that a thread keeps; older ones are dropped. */
const RECORDS_MAX = 65_536;

export interface ActorThread {
  readonly system: ActorSystem;
  readonly transport: ThreadsTransport;
  readonly control: ThreadControl;
}

export function startActorThread(name: string, kinds: ActorKinds): ActorThread {
  const transport = new ThreadsTransport();
  const system: ActorSystem = new ActorSystem({
    thread: name,
    ports: systemPorts(name),
    transport,
    kinds: kinds.register('blocker', blocker),
    // Debug lines stay: they would cost the reader more than they tell.
    log: (entry) => {
      if (entry.level !== 'debug') system.tell(LOG, 'log.write', entry);
    },
  });
  const control: ThreadControl = {
    connect: (peer, port) => transport.connect(peer, port),
    lost: (peer) => transport.disconnect(peer),
    describe: (isDetailed) => system.describe(isDetailed),
    pulse: () => system.pulses(),
    usage: (collect) => ({
      ...threadUsage(collect),
      messages: system.counters.messages,
    }),
    record(isOn) {
      system.recorder = isOn ? new RingRecorder(RECORDS_MAX) : null;
    },
    records() {
      const { recorder } = system;
      return recorder instanceof RingRecorder ? recorder.take() : null;
    },
    async shutdown() {
      system.shutdown();
    },
  };
  return { system, transport, control };
}
