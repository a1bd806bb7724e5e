/**
 * The edges of a server whose threads are virtual: what `actors/start.ts` puts between http and the
 * actors of real ones.
 */
import type { StartOptions } from '../../http/serving.js';
import type { Ports } from '../../runtime/base/ports.js';
import type { Topology } from '../../runtime/threads/topology.js';
import { OpenCalls } from './open-calls.js';
import { ProgressWatch } from './progress-watch.js';
import { ServingPort, type ServingSettings } from './serving-port.js';
import { SessionFiles } from './session-files.js';
import type { SimulatedSteps } from './simulated-steps.js';
import type { SimulatedThreads } from './simulated-threads.js';
import { TextPort, type Streams } from './text-port.js';
import { ThreadViews } from './thread-views.js';

type SimulatedTopology = Pick<
  Topology,
  'names' | 'describe' | 'usage' | 'pulse' | 'record' | 'batch'
>;

export interface SimulatedEdgesOptions {
  readonly threads: SimulatedThreads;
  readonly steps: SimulatedSteps;
  /** The readers that the threads were given. */
  readonly streams: Streams;
  /** Of its ports only the time of day counts: all other times are of the world. */
  readonly start: ServingSettings & Pick<StartOptions, 'sessionDir'>;
}

export class SimulatedEdges {
  readonly ports: Ports;
  readonly topology: SimulatedTopology;
  readonly calls: OpenCalls;
  readonly views: ThreadViews;
  readonly text: TextPort;
  readonly serving: ServingPort;

  constructor({ threads, steps, streams, start }: SimulatedEdgesOptions) {
    const system = threads.main;
    const clock = { now: system.ports.clock.now, wallTime: start.ports.clock.wallTime };
    const ports = { ...system.ports, clock };
    const topology = topologyOf(threads);
    const calls = new OpenCalls(clock);
    const files = new GatedFiles(start.sessionDir, steps, () => ports.ids.next('saving'));
    const text = new TextPort({ system, streams, clock, files, calls });
    const views = new ThreadViews({ system, topology, timers: ports.timers });
    const watch = new ProgressWatch({ topology, watched: { model: [], devices: [] }, ports });
    const options = { ...start, ports };
    this.serving = new ServingPort({ system, topology, options, text, calls, views, watch });
    this.ports = ports;
    this.topology = topology;
    this.calls = calls;
    this.views = views;
    this.text = text;
  }
}

/** Saved sessions lie on a real disk. */
class GatedFiles extends SessionFiles {
  readonly #steps: SimulatedSteps;

  constructor(folder: string | null, steps: SimulatedSteps, nextId: () => string) {
    super({ folder, nextId });
    this.#steps = steps;
  }

  override read(name: string): Promise<Uint8Array> {
    return this.#steps.outside(super.read(name));
  }

  override write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#steps.outside(super.write(name, bytes));
  }
}

/** Of threads that are virtual, what the edges ask. */
function topologyOf({ systems }: SimulatedThreads): SimulatedTopology {
  return {
    names: [...systems.keys()].filter((name) => name !== 'main'),
    describe: async (name: string) => systems.get(name)?.describe() ?? null,
    usage: async () => null,
    pulse: async () => null,
    record: async () => undefined,
    batch: async () => null,
  };
}
