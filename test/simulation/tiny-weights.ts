/**
 * The numbers of the simulated packages: what their checkpoints hold, by rules that the oracle
 * knows. Each model and version has its own, so a row that was computed with another's parameters
 * is another row. Small whole numbers: sums in f32 are exact in any order.
 */
import { writeSafetensors } from '../../runtime/parameters/checkpoints/safetensors-writer.js';

/** `copied`: the bank is its checkpoint's bytes, letters come with the request. `packed`: a kernel
 * packs the bank, and letters are gathered from the checkpoint on demand. */
export const kinds = ['copied', 'packed'] as const;
export type Kind = (typeof kinds)[number];

export const ROWS = 768;
export const COLS = 4;
const LETTERS = 256;
/** Of one model's bank, and of the two buffers that packing it takes besides. */
export const BANK_BYTES = ROWS * COLS * 4;
export const BLOCK_ROWS = 128;
export const STAGING_BYTES = 2 * (256 + BLOCK_ROWS * COLS * 4);

/** Of what some requests choose instead of the weights that all others share. */
export const TUNED_FILE = 'tuned.safetensors';
/** No checkpoint has this name. */
export const MISSING_FILE = 'missing.safetensors';
export const WEIGHTS_FILE = 'weights.safetensors';
export const LETTERS_FILE = 'letters.safetensors';

/** Whose numbers a table has. */
export interface Origin {
  readonly kind: Kind;
  readonly version: number;
  readonly isTuned: boolean;
}

/** In the checkpoint; a packed bank holds twice that. */
const stored = ({ kind, version, isTuned }: Origin, at: number): number => {
  const own = version + kinds.indexOf(kind) * 11 + (isTuned ? 7 : 0);
  return ((Math.floor(at / COLS) * 5 + (at % COLS) * 3 + own) % 17) + 1;
};

export const weightOf = (origin: Origin, at: number): number =>
  stored(origin, at) * (origin.kind === 'packed' ? 2 : 1);

/** What a byte of text counts as. */
export const letterOf = (kind: Kind, version: number, code: number): number =>
  kind === 'packed' ? (code * 3 + version) % LETTERS : code;

/** Checkpoint files by name. */
export function checkpointsOf(kind: Kind, version: number): ReadonlyMap<string, Uint8Array> {
  const table = (isTuned: boolean): Uint8Array => {
    const origin = { kind, version, isTuned };
    const values = Float32Array.from({ length: ROWS * COLS }, (_, at) => stored(origin, at));
    return fileOf('table', 'F32', { shape: [ROWS, COLS], bytes: bytesOf(values) });
  };
  const files = new Map([
    [WEIGHTS_FILE, table(false)],
    [TUNED_FILE, table(true)],
  ]);
  if (kind === 'copied') return files;
  const letters = Int32Array.from({ length: LETTERS }, (_, at) => letterOf(kind, version, at));
  return files.set(
    LETTERS_FILE,
    fileOf('letters', 'I32', { shape: [LETTERS], bytes: bytesOf(letters) }),
  );
}

const bytesOf = ({ buffer }: Float32Array | Int32Array): Uint8Array => new Uint8Array(buffer);

const fileOf = (
  name: string,
  type: 'F32' | 'I32',
  tensor: { readonly shape: readonly number[]; readonly bytes: Uint8Array },
): Uint8Array => writeSafetensors([{ name, type, ...tensor }]);
