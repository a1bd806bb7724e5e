/** Whoever follows a simulated run from outside, and may do something to it before any step. */
import type { Laws } from './laws.js';
import type { SimulatedServer } from './simulated-server.js';
import type { TextTraffic } from './text-traffic.js';
import type { Traffic } from './traffic.js';

export interface Intruder {
  /** Before the first step. */
  enter(ground: IntruderGround): void;
}

export interface IntruderGround {
  readonly server: SimulatedServer;
  readonly laws: Laws;
  readonly traffic: Traffic;
  readonly texts: TextTraffic;
}
