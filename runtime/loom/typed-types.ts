/**
 * Types of the typed tree, and what lies in memory: scalars, vectors, host objects, storage
 * elements and layouts. Everything is resolved; sizes and offsets are bytes.
 */
export type ScalarName = 'bool' | 'i32' | 'u32' | 'i64' | 'f32' | 'f64';
export type HandleName = 'hal.buffer' | 'hal.fence' | 'work' | 'tensor';

export type Type =
  /** i64 and f64 on the host only. */
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  | { readonly kind: 'vector'; readonly elem: 'f32' | 'i32' | 'u32'; readonly lanes: 2 | 4 }
  /** (d) i8x4, u8x4, i8x16: packed bytes, for dots and narrowing. */
  | { readonly kind: 'bytes'; readonly elem: 'i8' | 'u8'; readonly lanes: 4 | 16 }
  /** (h) everything below. */
  | { readonly kind: 'string' | 'buffer' | 'ref' | 'symbol' | 'void' }
  | { readonly kind: 'handle'; readonly name: HandleName }
  | { readonly kind: 'list'; readonly elem: Type }
  | { readonly kind: 'cell'; readonly elem: Type }
  | { readonly kind: 'record'; readonly record: RecordType }
  /**
   * A value in arena memory; dynamic indices allowed. (Device arrays are scattered over locals.)
   */
  | { readonly kind: 'array'; readonly elem: Type; readonly count: number };

/** Records are immutable values. `name` is the full name; identity is structural plus name. */
export interface RecordType {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: Type }[];
}

/** What lies in device memory at one place. `size` in bytes. f16/bf16 load as f32. */
export interface Storage {
  readonly elem: 'f32' | 'i32' | 'u32' | 'f16' | 'bf16' | 'i8' | 'u8';
  readonly lanes: 1 | 2 | 4 | 16;
  readonly size: number;
}

/** A `layout.def`, resolved. Offsets, sizes in bytes; `count` > 1 for an array field. */
export interface LayoutType {
  readonly name: string;
  readonly size: number;
  readonly fields: readonly LayoutField[];
}
export interface LayoutField {
  readonly name: string;
  readonly offset: number;
  /** Bytes from one array element to the next (the storage size when count is 1). */
  readonly stride: number;
  readonly count: number;
  /** 'i64' only on the host; a device reads it as i32x2. */
  readonly storage: Storage | 'i64';
}
