/**
 * Records of a simulated run as a trace file: what `--record` writes of a server, so the console
 * opens it and steps through it. Follows the run from outside.
 */
import { writeFileSync } from 'node:fs';
import { timeOf } from '../../actors/edge/recorder-hub.js';
import { lineOf, type TraceHeader } from '../../actors/edge/trace-file.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import type { Intruder, IntruderGround } from './intruder.js';

export class SeedTrace implements Intruder {
  readonly #records: SystemRecord[] = [];
  #header: TraceHeader | null = null;

  enter({ server, laws }: IntruderGround): void {
    const startMs = server.world.time.nowMs;
    const threads = [...server.systems.keys()];
    this.#header = { loomTrace: 1, startMs, wallTimeMs: startMs, threads };
    laws.onRecord = (record) => void this.#records.push(record);
  }

  /** Lines of the file. */
  get lines(): readonly string[] {
    const inOrder = [...this.#records].sort((left, right) => timeOf(left) - timeOf(right));
    return [this.#header!, ...inOrder].map(lineOf);
  }

  write(path: string): void {
    writeFileSync(path, this.lines.join(''));
  }
}
