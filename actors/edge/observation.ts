/**
 * All by which a running server is looked at: views of its threads, the recorder, and the port that
 * shows both to http. `--record` begins here, before the first package is registered.
 */
import type { StartOptions } from '../../http/serving.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import type { Topology } from '../../runtime/threads/topology.js';
import { ProgressWatch, type Watched } from './progress-watch.js';
import { ObservingPort, traceHeader } from './observing-port.js';
import { OpenCalls } from './open-calls.js';
import { RecorderHub } from './recorder-hub.js';
import { ThreadViews } from './thread-views.js';
import { TraceFile } from './trace-file.js';

export interface Observation {
  readonly views: ThreadViews;
  readonly hub: RecorderHub;
  readonly calls: OpenCalls;
  readonly watch: ProgressWatch;
  readonly observing: ObservingPort;
  /** Of `--record`; lines of other kinds may be appended. */
  readonly trace: TraceFile | null;
  /** Readers end, and the trace is complete. While threads still answer. */
  close(): Promise<void>;
}

export interface ObservationOptions {
  readonly system: ActorSystem;
  readonly topology: Topology;
  /** Threads that host models, and devices with theirs. */
  readonly watched: Watched;
  readonly options: Pick<StartOptions, 'ports' | 'recordFile'>;
}

export async function openObservation({
  system,
  topology,
  watched,
  options,
}: ObservationOptions): Promise<Observation> {
  const { ports, recordFile } = options;
  const views = new ThreadViews({ system, topology, timers: ports.timers });
  const hub = new RecorderHub({ system, topology, ports });
  const calls = new OpenCalls(ports.clock);
  const observing = new ObservingPort({ views, hub, calls, ports });
  const trace = recordFile === null ? null : openTrace(recordFile);
  if (trace !== null) {
    hub.add(trace);
    await hub.want('file', true);
  }
  const watch = new ProgressWatch({ topology, watched, ports });
  watch.start();
  const close = async (): Promise<void> => {
    watch.stop();
    await hub.close();
    await trace?.close();
  };
  return { views, hub, calls, watch, observing, trace, close };

  function openTrace(path: string): TraceFile {
    return new TraceFile(path, traceHeader(ports, [system.thread, ...topology.names]));
  }
}
