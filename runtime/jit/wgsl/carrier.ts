/**
 * How the elements of a view lie in the array that a shader declares. Views of whole numbers and
 * vectors have an array of their element; layouts, elements of less than a word, and views that
 * share a binding with views of another element have one of words. `unit` is what the base of the
 * view counts in.
 */
import type { Storage, ViewInfo } from '../../loom/typed.js';
import { nameOf, type Shape } from './wgsl-types.js';

export interface Carrier {
  /** Type of the array's elements in WGSL. */
  readonly element: string;
  readonly elementBytes: number;
  /** The array holds words, whatever the view's element is. */
  readonly words: boolean;
  readonly atomic: boolean;
}

const words: Carrier = { element: 'u32', elementBytes: 4, words: true, atomic: false };

/** The array that a view would have alone. */
export function carrierOf({ storage, access }: ViewInfo): Carrier {
  if (storage === null || storage.size < 4) return words;
  const shape = carriedShape(storage);
  const atomic = access === 'acc';
  const name = nameOf(shape);
  return {
    element: atomic ? `atomic<${name}>` : name,
    elementBytes: storage.size,
    words: false,
    atomic,
  };
}

/** The array of views that share one binding. */
export function sharedCarrier(views: readonly ViewInfo[]): Carrier {
  const [first, ...others] = views.map(carrierOf);
  return others.every((other) => other.element === first!.element && !other.words) ? first! : words;
}

/** Bytes that the base of a view counts in. */
export function unitOf({ elementSize }: ViewInfo, carrier: Carrier): number {
  return carrier.words ? Math.min(elementSize, 4) : elementSize;
}

/** How a storage element of at least a word lies in an array of its own. */
export function carriedShape({ elem, lanes, size }: Storage): Shape {
  if (elem === 'f32' || elem === 'i32' || elem === 'u32') {
    return { elem, lanes: lanes as Shape['lanes'] };
  }
  return { elem: 'u32', lanes: (size / 4) as Shape['lanes'] };
}

/** The value that a load gives: floats for 16-bit ones, integers for single bytes. */
export function loadedShape({ elem, lanes }: Storage): Shape {
  if (elem === 'f16' || elem === 'bf16') return { elem: 'f32', lanes: lanes as Shape['lanes'] };
  if (elem !== 'i8' && elem !== 'u8') return { elem, lanes: lanes as Shape['lanes'] };
  if (lanes === 1) return { elem: elem === 'i8' ? 'i32' : 'u32', lanes: 1 };
  return { elem: 'u32', lanes: lanes === 16 ? 4 : 1 };
}
