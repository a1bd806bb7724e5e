/** Bytes of files by hand: little-endian words and texts one behind the other. */
export type Part = Uint8Array | readonly Part[];

const word = (width: number) => (value: number | bigint) =>
  new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, BigInt(value))).buffer, 0, width);

export const u8 = word(1);
export const u16 = word(2);
export const u32 = word(4);
export const u64 = word(8);
export const f32 = (value: number): Uint8Array => new Uint8Array(Float32Array.of(value).buffer);
export const f64 = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
export const text = (value: string): Uint8Array => new TextEncoder().encode(value);
export const zeros = (count: number): Uint8Array => new Uint8Array(count);

/** A text with its length before it, as GGUF has them. */
export const counted = (value: string): Part => [u64(text(value).length), text(value)];

export function bytesOf(...parts: readonly Part[]): Uint8Array {
  const flat = (part: Part): readonly Uint8Array[] =>
    part instanceof Uint8Array ? [part] : part.flatMap(flat);
  return Uint8Array.from(Buffer.concat(parts.flatMap(flat)));
}

export function padded(bytes: Uint8Array, alignment: number): Uint8Array {
  return bytesOf(bytes, zeros((alignment - (bytes.length % alignment)) % alignment));
}

/** A safetensors file of any header text. */
export const safetensors = (header: string, payload: number): Uint8Array =>
  bytesOf(u64(text(header).length), text(header), zeros(payload));
