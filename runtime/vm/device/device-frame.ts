/**
 * One running workgroup of a kernel: its locals, views, shared and private arrays, and what check
 * mode needs to know of the access in progress. Lanes run one after another on the same frame.
 */
import { StatusError } from '../../base/errors.js';
import type { Kernel, Site } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import type { Frame } from '../interpreter/frame.js';
import type { AccessKind } from './access-log.js';
import type { DeviceFaultKind, DeviceFaults } from './device-faults.js';
import type { BoundView, Region, SharedArray } from './device-memory.js';

/** Elements of fresh arrays or reductions that weigh as much as a round of a loop. */
export const ELEMENTS_PER_ROUND = 64;

/** What all workgroups of a submission share. */
export interface DispatchContext {
  /** Null outside check mode. */
  readonly faults: DeviceFaults | null;
  /** In which order the lanes of a region run. */
  readonly order: (count: number) => Iterable<number>;
  /** Rounds of loops, and workgroups, that are left. */
  rounds: number;
  /** What `rounds` started from. */
  readonly roundsMax: number;
  /** Number of the region and of the dispatch that are running, unique in the submission. */
  region: number;
  dispatch: number;
}

export class DeviceFrame implements Frame {
  readonly locals: RawValue[];
  results: readonly RawValue[] = [];
  readonly views: BoundView[] = [];
  shared: readonly SharedArray[] = [];
  /** By invocation, private array, element. */
  privates: RawValue[][][] = [];
  /** Invocation and lane that run; -1 at kernel level. */
  invocation = -1;
  lane = -1;
  readonly workgroup: readonly [number, number, number];
  /** Linear number of the workgroup in its dispatch. */
  readonly group: number;
  readonly kernel: Kernel;
  readonly context: DispatchContext;

  constructor(
    context: DispatchContext,
    kernel: Kernel,
    place: { workgroup: readonly [number, number, number]; group: number },
  ) {
    this.context = context;
    this.kernel = kernel;
    this.workgroup = place.workgroup;
    this.group = place.group;
    this.locals = new Array<RawValue>(kernel.locals.length).fill(0);
  }

  report(kind: DeviceFaultKind, site: Site, what: string): void {
    const [x, y, z] = this.workgroup;
    const lane = this.lane < 0 ? '' : `, lane ${this.lane}`;
    const message = `${what} (workgroup ${x},${y},${z}${lane})`;
    this.context.faults?.report({ kind, kernel: this.kernel.name, site, message });
  }

  /** Check mode: bytes `at`…`at + size` of a region are touched by the access at `site`. */
  touch(
    region: Region,
    range: { at: number; size: number },
    access: { kind: AccessKind; site: Site; name: string },
  ): void {
    const { kind, site, name } = access;
    const last = (range.at + range.size - 1) >> 2;
    for (let word = range.at >> 2; word <= last; word++) {
      if (region.written) {
        if (kind !== 'write' && !region.written[word]) {
          this.report(
            'unwritten',
            site,
            `'${name}' is read at byte ${word * 4} before anything was written there`,
          );
        }
        region.written[word] = 1;
      }
      this.#race(region, word, access);
    }
  }

  #race(
    region: Region,
    word: number,
    { kind, site, name }: { kind: AccessKind; site: Site; name: string },
  ): void {
    const { context } = this;
    if (this.lane >= 0) {
      const other = region.lanes.note(word, { kind, party: this.lane, span: context.region });
      if (other)
        this.report(
          'race',
          site,
          `${kind} of '${name}' at byte ${word * 4} races with another lane's ${other}`,
        );
    }
    const other = region.groups.note(word, { kind, party: this.group, span: context.dispatch });
    if (other)
      this.report(
        'race',
        site,
        `${kind} of '${name}' at byte ${word * 4} races with another workgroup's ${other}`,
      );
  }

  /** Check mode: element `index` of a shared array. Kernel-level reads come between regions. */
  touchShared(
    array: SharedArray,
    index: number,
    access: { kind: AccessKind; site: Site; name: string },
  ): void {
    const { kind, site, name } = access;
    if (kind === 'read' && !array.written[index]) {
      this.report('unwritten', site, `shared '${name}' is read at ${index} before it was written`);
    }
    if (kind !== 'read') array.written[index] = 1;
    if (this.lane < 0) return;
    const other = array.lanes.note(index, { kind, party: this.lane, span: this.context.region });
    if (other)
      this.report(
        'race',
        site,
        `${kind} of shared '${name}' at ${index} races with another lane's ${other}`,
      );
  }

  /** One round of a loop, or as many as a workgroup or a reduction weighs. */
  round(position: () => string, weight = 1): void {
    this.context.rounds -= weight;
    if (this.context.rounds >= 0) return;
    const where = position();
    throw new StatusError(
      'resourceExhausted',
      `${this.kernel.name} (${where}): ran too long: the submission took more than ${this.context.roundsMax} rounds of loops and workgroups`,
      { where },
    );
  }
}
