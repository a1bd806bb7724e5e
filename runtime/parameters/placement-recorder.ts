/**
 * What a policy placed so far: load steps over the fields of one bank. Each call is checked where
 * it is made, so that its error has the position of the call; `finish` adds what only the whole
 * tells, namely that every field is covered.
 *
 * A field is filled in one way, and each part once: by copies, which cover its bytes exactly, by a
 * kernel from blocks of rows, which follow one another from row 0, or by a kernel alone.
 */
import { StatusError } from '../base/errors.js';
import type { BankLayout, PlacedField } from './bank-layout.js';
import { aligned } from './bank-layout.js';
import type { TensorType } from './checkpoints/tensor-type.js';
import { Coverage } from './coverage.js';
import type { LoadStep } from './load-plan.js';
import { STAGING_BYTES_MAX } from './load-plan.js';
import type { TensorHandle } from './tensor-rows.js';
import { rowsOf } from './tensor-rows.js';

/** Steps of one bank; a policy that needs more wants larger pieces. */
export const placementsMax = 262_144;
/** Words of the packet are i32. */
const wordMax = 2 ** 31 - 1;

export interface LoaderSymbol {
  readonly name: string;
  readonly args: readonly string[];
}

/** What a kernel must be to load a field. */
export interface LoaderUse {
  readonly kind: 'pack' | 'fill';
  /** Elements of the source; null for a kernel without one. */
  readonly source: 'f32' | 'u8' | null;
  readonly field: string;
  readonly fieldBytes: number;
}

export interface RowPlacement {
  readonly at: bigint;
  readonly first: bigint;
  readonly rows: bigint;
  readonly block: bigint;
  readonly encoding: string;
}

export interface Placements {
  /** Fills first, then reads in the order of the checkpoints' bytes. */
  readonly steps: readonly LoadStep[];
  readonly stagingBytes: number;
  readonly loaders: readonly LoaderSymbol[];
}

type Way = LoadStep['op'];

interface FieldState {
  readonly way: Way;
  readonly coverage: Coverage;
}

const plainTypes: Readonly<Record<PlacedField['elem'], TensorType>> = {
  f32: 'F32',
  i32: 'I32',
  u32: 'U32',
  f16: 'F16',
  bf16: 'BF16',
  i8: 'I8',
  u8: 'U8',
};

export class PlacementRecorder {
  readonly #layout: BankLayout;
  readonly #checkLoader: (symbol: LoaderSymbol, use: LoaderUse) => void;
  readonly #fields = new Map<PlacedField, FieldState>();
  readonly #steps: LoadStep[] = [];
  readonly #loaders = new Map<string, { readonly index: number; readonly symbol: LoaderSymbol }>();
  #stagingBytes = 0;

  /** `checkLoader` throws for what is no kernel of that use. */
  constructor(
    layout: BankLayout,
    checkLoader: (symbol: LoaderSymbol, use: LoaderUse) => void = () => undefined,
  ) {
    this.#layout = layout;
    this.#checkLoader = checkLoader;
  }

  /** Rows go to the field as they are, or decoded to f32; `at` counts scalar elements. */
  copy(
    name: string,
    at: bigint,
    tensor: TensorHandle,
    rows: { first: bigint; rows: bigint },
  ): void {
    const field = this.#layout.field(name);
    const cut = rowsOf(tensor, rows);
    const decode = cut.from.type !== plainTypes[field.elem];
    if (decode && field.elem !== 'f32') {
      throw fault(
        name,
        `elements are ${field.elem}, and tensor ${JSON.stringify(cut.from.tensor)} is ${cut.from.type}; copies convert into f32 fields only: place it with a kernel`,
      );
    }
    const length = cut.rows * cut.cols * field.scalarBytes;
    const room = BigInt(field.bytes / field.scalarBytes);
    if (at < 0n || at + BigInt(cut.rows) * BigInt(cut.cols) > room) {
      throw fault(
        name,
        `elements ${at} to ${at + BigInt(cut.rows) * BigInt(cut.cols)} are outside its ${room}`,
      );
    }
    const offset = Number(at) * field.scalarBytes;
    this.#cover(field, 'copy', { start: offset, end: offset + length });
    const { index } = field;
    this.#record({ op: 'copy', field: index, offset, length, decode, from: cut.from });
  }

  /** Rows go through a kernel in blocks; `at` counts rows as the kernel does. */
  place(name: string, tensor: TensorHandle, placement: RowPlacement, pack: LoaderSymbol): void {
    const field = this.#layout.field(name);
    const { at, encoding } = placement;
    const raw = encoding === 'raw';
    if (!raw && encoding !== 'f32') {
      throw fault(name, `encoding ${JSON.stringify(encoding)}; it is "f32" or "raw"`);
    }
    const cut = rowsOf(tensor, placement);
    const cols = raw ? cut.from.bytes / cut.rows : cut.cols;
    if (at < 0n || at + BigInt(cut.rows) > BigInt(wordMax) || cols > wordMax) {
      throw fault(name, `rows ${at} to ${at + BigInt(cut.rows)} of ${cols} do not fit into i32`);
    }
    const rowBytes = raw ? cols : cols * 4;
    const block = blockOf(name, placement.block, { rows: cut.rows, rowBytes });
    const use = { kind: 'pack', source: raw ? 'u8' : 'f32' } as const;
    this.#checkLoader(pack, { ...use, field: name, fieldBytes: field.bytes });
    this.#cover(field, 'pack', { start: Number(at), end: Number(at) + cut.rows });
    this.#stagingBytes = Math.max(this.#stagingBytes, aligned(block * rowBytes));
    this.#record({
      op: 'pack',
      field: field.index,
      loader: this.#loader(pack),
      at: Number(at),
      rows: cut.rows,
      block,
      cols,
      decode: !raw && cut.from.type !== 'F32',
      from: cut.from,
    });
  }

  /** A kernel writes the whole field from nothing. */
  fill(name: string, make: LoaderSymbol): void {
    const field = this.#layout.field(name);
    const use = { kind: 'fill', source: null, field: name, fieldBytes: field.bytes } as const;
    this.#checkLoader(make, use);
    this.#cover(field, 'fill', { start: 0, end: field.bytes });
    this.#record({ op: 'fill', field: field.index, loader: this.#loader(make) });
  }

  /** Throws for the first field, or part of one, that nothing covers. */
  finish(): Placements {
    for (const field of this.#layout.fields) this.#checkCovered(field);
    return {
      steps: this.#steps.toSorted(readingOrder),
      stagingBytes: this.#stagingBytes,
      loaders: [...this.#loaders.values()].map((loader) => loader.symbol),
    };
  }

  #checkCovered(field: PlacedField): void {
    const state = this.#fields.get(field);
    if (state === undefined) {
      throw fault(field.name, `nothing covers it: bytes 0 to ${field.bytes}`);
    }
    const packs = state.way === 'pack';
    const gap = state.coverage.firstGap(packs ? state.coverage.end : field.bytes);
    if (gap === null) return;
    const unit = packs ? 'rows' : 'bytes';
    throw fault(field.name, `${unit} ${gap.start} to ${gap.end} are not covered`);
  }

  #cover(field: PlacedField, way: Way, range: { start: number; end: number }): void {
    const known = this.#fields.get(field) ?? { way, coverage: new Coverage() };
    this.#fields.set(field, known);
    if (known.way !== way) {
      throw fault(field.name, `it is filled by ${wayTexts[known.way]} and by ${wayTexts[way]}`);
    }
    const overlap = known.coverage.add(range);
    if (overlap === null) return;
    const unit = way === 'pack' ? 'rows' : 'bytes';
    const { start, end } = range;
    throw fault(
      field.name,
      `${unit} ${start} to ${end} overlap ${overlap.start} to ${overlap.end}, which are placed already`,
    );
  }

  #loader(symbol: LoaderSymbol): number {
    const key = `${symbol.name}<${symbol.args.join(', ')}>`;
    const known = this.#loaders.get(key) ?? { index: this.#loaders.size, symbol };
    this.#loaders.set(key, known);
    return known.index;
  }

  #record(step: LoadStep): void {
    if (this.#steps.length >= placementsMax) {
      throw new StatusError(
        'resourceExhausted',
        `more than ${placementsMax} placements in one policy; place larger pieces`,
      );
    }
    this.#steps.push(step);
  }
}

const wayTexts: Readonly<Record<Way, string>> = {
  copy: 'weights.copy',
  pack: 'weights.place',
  fill: 'weights.fill',
};

/** Rows of a block as asked, as there are, and as one staging buffer holds them. */
function blockOf(
  field: string,
  asked: bigint,
  { rows, rowBytes }: { readonly rows: number; readonly rowBytes: number },
): number {
  if (asked < 1n) throw fault(field, `blocks of ${asked} rows; a block has at least one`);
  const held = Math.floor(STAGING_BYTES_MAX / rowBytes);
  if (held >= 1) return Math.min(rows, held, asked > BigInt(rows) ? rows : Number(asked));
  throw new StatusError(
    'resourceExhausted',
    `field ${JSON.stringify(field)}: one row has ${rowBytes} bytes; the limit of a staging buffer is ${STAGING_BYTES_MAX}`,
  );
}

function readingOrder(left: LoadStep, right: LoadStep): number {
  if (left.op === 'fill' || right.op === 'fill') {
    return Number(left.op !== 'fill') - Number(right.op !== 'fill');
  }
  const [from, other] = [left.from, right.from];
  return from.source - other.source || from.shard - other.shard || from.offset - other.offset;
}

const fault = (field: string, what: string): StatusError =>
  new StatusError('invalidArgument', `field ${JSON.stringify(field)}: ${what}`);
