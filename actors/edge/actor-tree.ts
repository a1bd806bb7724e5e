/** The actors of all threads as one tree for the admin page: server, then a branch a thread. */
import type { ActorNode } from '../../http/serving.js';
import type { ActorDescription, SystemDescription } from '../../runtime/system/describe.js';

export function actorTree(systems: readonly SystemDescription[]): ActorNode {
  return {
    address: '/',
    state: 'running',
    thread: 'all',
    children: systems.map(({ thread, actors }) => ({
      address: `${thread}:/`,
      state: 'running',
      thread,
      children: actors.map((actor) => node(actor, thread)),
    })),
  };
}

function node(actor: ActorDescription, thread: string): ActorNode {
  return {
    address: actor.address,
    state: stateOf(actor),
    thread,
    children: actor.children.map((child) => node(child, thread)),
  };
}

/** A machine says its state; a plain actor only whether it runs. */
function stateOf({ state, status }: ActorDescription): string {
  const named = state as { state?: unknown } | null;
  return typeof named?.state === 'string' ? named.state : status;
}
