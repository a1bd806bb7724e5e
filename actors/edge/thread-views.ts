/**
 * What every thread says of its actors, within a short time: one that does not answer is told of as
 * such. It is not asked again before it has answered, so a stuck thread collects no questions.
 */
import type { Timers } from '../../runtime/base/ports.js';
import type { ActorDescription, SystemDescription } from '../../runtime/system/describe.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import type { Topology } from '../../runtime/threads/topology.js';

/** A thread that takes longer is in the middle of a long turn, or stuck. */
const PATIENCE_MS = 300;

export interface ThreadView {
  readonly thread: string;
  /** Null when it did not answer in time. */
  readonly description: SystemDescription | null;
}

export interface ThreadViewsOptions {
  readonly system: ActorSystem;
  readonly topology: Pick<Topology, 'names' | 'describe'>;
  readonly timers: Timers;
}

type Asked = Promise<SystemDescription | null>;

export class ThreadViews {
  readonly #options: ThreadViewsOptions;
  /** Questions without an answer, by thread. */
  readonly #plain = new Map<string, Asked>();
  readonly #detailed = new Map<string, Asked>();

  constructor(options: ThreadViewsOptions) {
    this.#options = options;
  }

  /** The main thread first. `isDetailed`: with all that explains why actors wait. */
  async look(isDetailed: boolean): Promise<readonly ThreadView[]> {
    const { system, topology, timers } = this.#options;
    let timer = 0;
    const patience = new Promise<null>((resolve) => {
      timer = timers.start(PATIENCE_MS, () => resolve(null));
    });
    const look = async (thread: string): Promise<ThreadView> => {
      const description = await Promise.race([this.#ask(thread, isDetailed), patience]);
      return { thread, description };
    };
    const others = await Promise.all(topology.names.map(look));
    timers.cancel(timer);
    return [{ thread: system.thread, description: system.describe(isDetailed) }, ...others];
  }

  #ask(thread: string, isDetailed: boolean): Asked {
    const open = isDetailed ? this.#detailed : this.#plain;
    const known = open.get(thread);
    if (known !== undefined) return known;
    const asked = this.#options.topology.describe(thread, isDetailed).then((answer) => {
      open.delete(thread);
      return answer as SystemDescription | null;
    });
    open.set(thread, asked);
    return asked;
  }
}

/** Every actor of a thread, parents before children. */
export function actorsOf({ description }: ThreadView): ActorDescription[] {
  const walk = (actor: ActorDescription): ActorDescription[] => [
    actor,
    ...actor.children.flatMap(walk),
  ];
  return description === null ? [] : description.actors.flatMap(walk);
}
