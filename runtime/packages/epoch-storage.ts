/**
 * The buffers of an epoch's submission, in the order that `epoch` takes them, and what happens to
 * rows before it runs: pages and states that are copied, states that begin anew.
 *
 * Holds: moves run one after another as they are given, so a state may be copied and then cleared.
 */
import type {
  BufferRange,
  Submission,
  SubmissionBuffer,
  SubmissionCommand,
} from '../hal/submission.js';
import type { InvocationBuffer, RunnerRecorder } from '../modules/runner-recorder.js';
import type { Capture } from '../profiles/capture-plan.js';
import type { TextGeometry } from '../profiles/text.js';
import type { Move } from '../text/moves.js';
import type { EpochUpload } from './epoch-plan.js';

/** Keys of the storage of all rows, which exists already. */
export interface StorageKeys {
  readonly pages: string;
  readonly states: string;
}

type Upload = Submission['uploads'][number];

/** Contents of a row on their way to the host, or from there. */
export interface RowTransfer {
  readonly pages: readonly number[];
  /** Place of its state; -1 where none are kept. */
  readonly state: number;
  /** Null: they are read. */
  readonly contents: { readonly pages: Uint8Array; readonly state: Uint8Array } | null;
}

export interface PlacedEpoch {
  /** As `epoch` takes them: metadata, input, pages, states, residual. */
  readonly roots: readonly InvocationBuffer[];
  readonly commands: readonly SubmissionCommand[];
  readonly uploads: readonly Upload[];
  readonly upload: (upload: EpochUpload) => Upload;
  readonly capture: (capture: Capture) => BufferRange;
}

/** A buffer has bytes, also where the package has no use for it. */
const BYTES_MIN = 16;
const [PAGES, STATES, RESIDUAL, EMPTY] = [2, 3, 4, 5];
/** Of a transfer: what comes from the host lies here until the moves are done. */
const [STAGED_PAGES, STAGED_STATE] = [4, 6];

const nothing = new Uint8Array(0);

const own = (bytes: number): SubmissionBuffer => ({ bytes: sized(bytes), lifetime: 'invocation' });

const sized = (bytes: number): number => Math.max(bytes, BYTES_MIN);

/** Bytes of the storage of all rows, as whoever creates it has to know. */
export const storageBytes = (geometry: TextGeometry): { pages: number; states: number } => ({
  pages: sized(geometry.pages * geometry.pageBytes),
  states: sized(geometry.states * geometry.stateBytes),
});

export class EpochStorage {
  readonly emptyState: Uint8Array;
  readonly #geometry: TextGeometry;

  constructor(geometry: TextGeometry, emptyState: Uint8Array) {
    this.#geometry = geometry;
    this.emptyState = emptyState;
  }

  place(recorder: RunnerRecorder, keys: StorageKeys, moves: readonly Move[]): PlacedEpoch {
    const { metadataBytes, inputBytes, residualBytes } = this.#geometry;
    const roots = [
      own(metadataBytes),
      own(inputBytes),
      ...this.#shared(keys),
      own(residualBytes),
    ].map((buffer) => recorder.addBuffer(buffer));
    const uploads = this.#emptyUploads(moves);
    if (uploads.length > 0) recorder.addBuffer(own(this.emptyState.length));
    return {
      roots,
      commands: moves.flatMap((move) => this.#commandsOf(move)),
      uploads,
      upload: ({ binding: buffer, offset, bytes }) => {
        return { target: { buffer, offset, length: bytes.length }, bytes };
      },
      capture: ({ offset, length }) => ({ buffer: RESIDUAL!, offset, length }),
    };
  }

  /** A submission that runs no program: moves, then what of a row comes or goes. */
  transfer(
    keys: StorageKeys,
    moves: readonly Move[],
    { pages, state, contents }: RowTransfer,
  ): Pick<Submission, 'buffers' | 'uploads' | 'commands' | 'snapshot'> {
    const { pageBytes, stateBytes } = this.#geometry;
    const placeOf = (buffer: number, index: number, length: number): BufferRange[] =>
      length === 0 || index < 0 ? [] : [{ buffer, offset: index * length, length }];
    const places = [
      ...pages.flatMap((page) => placeOf(PAGES!, page, pageBytes)),
      ...placeOf(STATES!, state, stateBytes),
    ];
    const staged = [
      ...pages.flatMap((_, index) => placeOf(STAGED_PAGES!, index, pageBytes)),
      ...(state < 0 ? [] : placeOf(STAGED_STATE!, 0, stateBytes)),
    ];
    const given = contents ?? { pages: nothing, state: nothing };
    const upload = (buffer: number, bytes: Uint8Array): Upload[] =>
      bytes.length === 0 ? [] : [{ target: { buffer, offset: 0, length: bytes.length }, bytes }];
    const moved = moves.flatMap((move) => this.#commandsOf(move));
    const copies = staged.map(
      (source, at) => ({ op: 'copy', source, target: places[at]! }) as const,
    );
    return {
      buffers: [
        ...[own(0), own(0), ...this.#shared(keys), own(given.pages.length)],
        ...[own(this.emptyState.length), own(given.state.length)],
      ],
      uploads: [
        ...this.#emptyUploads(moves),
        ...upload(STAGED_PAGES!, given.pages),
        ...upload(STAGED_STATE!, given.state),
      ],
      commands: contents === null ? moved : [...moved, ...copies],
      snapshot: contents === null ? places : [],
    };
  }

  #shared(keys: StorageKeys): SubmissionBuffer[] {
    const { pages, states } = storageBytes(this.#geometry);
    return [
      { bytes: pages, lifetime: 'shared', key: keys.pages },
      { bytes: states, lifetime: 'shared', key: keys.states },
    ];
  }

  /** What states that begin anew are copied from, where a move asks for it. */
  #emptyUploads(moves: readonly Move[]): Upload[] {
    const { length } = this.emptyState;
    if (length === 0 || !moves.some(({ kind }) => kind === 'clear')) return [];
    return [{ target: { buffer: EMPTY!, offset: 0, length }, bytes: this.emptyState.slice() }];
  }

  #commandsOf(move: Move): SubmissionCommand[] {
    const { pageBytes, stateBytes } = this.#geometry;
    if (move.kind === 'clear') return this.#clear(move.state * stateBytes);
    const { kind, from, to, bytes: length } = move;
    if (length === 0) return [];
    const [buffer, bytes] = kind === 'page' ? [PAGES!, pageBytes] : [STATES!, stateBytes];
    const source = { buffer, offset: from * bytes, length };
    return [{ op: 'copy', source, target: { ...source, offset: to * bytes } }];
  }

  /** What an empty row's state has, then zeros. */
  #clear(offset: number): SubmissionCommand[] {
    const { length } = this.emptyState;
    const rest = this.#geometry.stateBytes - length;
    const commands: SubmissionCommand[] = [];
    if (length > 0) {
      const source = { buffer: EMPTY!, offset: 0, length };
      commands.push({ op: 'copy', source, target: { buffer: STATES!, offset, length } });
    }
    if (rest > 0) {
      const target = { buffer: STATES!, offset: offset + length, length: rest };
      commands.push({ op: 'fill', target, byte: 0 });
    }
    return commands;
  }
}
