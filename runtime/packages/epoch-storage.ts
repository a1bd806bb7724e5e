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
    const { pages, states } = storageBytes(this.#geometry);
    const own = (bytes: number): SubmissionBuffer => ({
      bytes: sized(bytes),
      lifetime: 'invocation',
    });
    const roots = [
      own(metadataBytes),
      own(inputBytes),
      { bytes: pages, lifetime: 'shared', key: keys.pages } as const,
      { bytes: states, lifetime: 'shared', key: keys.states } as const,
      own(residualBytes),
    ].map((buffer) => recorder.addBuffer(buffer));
    const image = this.emptyState;
    const usesImage = image.length > 0 && moves.some(({ kind }) => kind === 'clear');
    if (usesImage) recorder.addBuffer(own(image.length));
    const whole = { buffer: EMPTY!, offset: 0, length: image.length };
    return {
      roots,
      commands: moves.flatMap((move) => this.#commandsOf(move)),
      uploads: usesImage ? [{ target: whole, bytes: image.slice() }] : [],
      upload: ({ binding: buffer, offset, bytes }) => {
        return { target: { buffer, offset, length: bytes.length }, bytes };
      },
      capture: ({ offset, length }) => ({ buffer: RESIDUAL!, offset, length }),
    };
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
