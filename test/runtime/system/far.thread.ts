/** A real thread for the transport suite: `far`, with one port to `near`. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { systemPorts } from '../../../runtime/base/ports.js';
import { ActorSystem } from '../../../runtime/system/system.js';
import { ThreadsTransport } from '../../../runtime/system/transports/threads.js';
import { farKinds, startFarActors } from './far-actors.js';

const { port } = workerData as { port: MessagePort };
const transport = new ThreadsTransport();
const system = new ActorSystem({
  thread: 'far',
  ports: systemPorts('far'),
  transport,
  kinds: farKinds(),
});
startFarActors(system);
transport.connect('near', port);
parentPort!.on('message', () => process.exit(1));
