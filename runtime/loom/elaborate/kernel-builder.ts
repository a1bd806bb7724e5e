/** The parts of one kernel while its body is elaborated: views, shared and private state. */
import type { Kernel, SharedId, Type, ViewId, ViewInfo } from '../typed.js';
import { sizeOf } from './device-size.js';
import { elementSize } from './types.js';
import type { ViewValue } from './value.js';

type State = Kernel['shared'][number];

export class KernelBuilder {
  readonly lanes: number;
  readonly views: ViewInfo[] = [];
  readonly shared: State[] = [];
  readonly privates: State[] = [];
  sharedBytes = 0;
  registers = 0;

  constructor(lanes: number) {
    this.lanes = lanes;
  }

  /** `count` is null for parameters and dynamic slices. */
  view(
    name: string,
    like: Omit<ViewValue, 'kind' | 'view'>,
    origin: ViewInfo['origin'],
    count: number | null,
  ): ViewValue {
    const { element, access } = like;
    const info: ViewInfo = {
      name,
      elementSize: elementSize(element),
      storage: element.kind === 'storage' ? element.storage : null,
      access,
      origin,
      count,
    };
    const view: ViewId = this.views.push(info) - 1;
    return { kind: 'view', view, element, access };
  }

  addShared(name: string, type: Type, count: number): SharedId {
    this.sharedBytes += sizeOf(type) * count;
    return this.shared.push({ name, type, count }) - 1;
  }

  addPrivate(name: string, type: Type, count: number): number {
    return this.privates.push({ name, type, count }) - 1;
  }
}
