/**
 * The packages that simulations serve: small, and wicked on purpose. The first byte of an input
 * says how it misbehaves, the version is in every row, larger cohorts need a stage of their own,
 * and parameters come from a checkpoint, so every path of a finite request can be reached.
 * `expected` is the independent oracle: what one input gives alone, computed here from the text and
 * the checkpoint's numbers and nothing else.
 *
 *   '!' refused    '?' loops for ever in prepare_request    'e' takes long in it
 *   'X' traps prepare_batch in company    'Y' always    'B' gives an invalid table in company
 *   'R' traps run in company    'Q' always
 *   'Z', with a tag of its own, declares a stage that is refused
 *   'T', with a tag of its own, chooses a checkpoint of its own    'M' one that there is not
 */
import { MemoryFiles } from '../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import type { ModelDocument } from '../../runtime/packages/model-document.js';
import { flaws, INPUT_UNITS_MAX, programsOf, type Flaw } from './tiny-programs.js';
import { checkpointsOf, COLS, letterOf, ROWS, weightOf, type Kind } from './tiny-weights.js';

/** When the bank of a version is activated: with its first use, before it serves, for good. */
export const residences = ['needed', 'warmup', 'pin'] as const;
export type Residence = (typeof residences)[number];

/** The last digit of a version is its flaw, thousands are its residence. */
export const flawOf = (version: number): Flaw => flaws[version % 10]!;
export const residenceOf = (version: number): Residence => residences[Math.floor(version / 1_000)]!;

export interface TinyPackage {
  readonly document: ModelDocument;
  readonly files: MemoryFiles;
  readonly checkpoints: ReadonlyMap<string, Uint8Array>;
}

export const kindOf = (id: string): Kind => (id === 'beta' ? 'packed' : 'copied');

export function tinyPackage(id: string, version: number, specializations = 1): TinyPackage {
  const kind = kindOf(id);
  const residence = residenceOf(version);
  const document = {
    loom: 1,
    id,
    profile: 'embeddings',
    definition: {
      prepare: 'prepare.loom',
      control: 'control.loom',
      config: 'config.loom',
      sources: ['kernel.loom', 'policy.loom'],
    },
    deployment: {
      specialization_cache: specializations,
      capacity: { fuel: 5_000 },
      pin: residence === 'pin',
      warmup: residence === 'warmup',
    },
  };
  const encoder = new TextEncoder();
  const checkpoints = checkpointsOf(kind, version);
  const texts = programsOf(kind, version, flawOf(version)).map(
    ([name, text]) => [name, encoder.encode(text)] as const,
  );
  return {
    document: checkModelDocument(document, 'model.json'),
    files: new MemoryFiles(new Map([...texts, ...checkpoints])),
    checkpoints,
  };
}

/** How an input fails, alone or not; null for one that does not. */
export function failureOf(
  text: string,
): 'invalidArgument' | 'resourceExhausted' | 'notFound' | null {
  if (text.length === 0 || text.length > INPUT_UNITS_MAX) return 'invalidArgument';
  if ('!YQ'.includes(text[0]!)) return 'invalidArgument';
  if (text[0] === 'M') return 'notFound';
  return '?Z'.includes(text[0]!) ? 'resourceExhausted' : null;
}

/** What one input gives alone: its row without the version, or that it fails. */
export type Expected = readonly number[] | 'fails';

export function expected(text: string, id: string, version: number): Expected {
  if (failureOf(text) !== null) return 'fails';
  const kind = kindOf(id);
  const origin = { kind, version, isTuned: text[0] === 'T' };
  const letters = [...text].map((char) => letterOf(kind, version, char.charCodeAt(0)));
  return [1, 2, 3].map((col) =>
    letters.reduce((sum, letter, i) => {
      const row = (letter * 7 + i) % ROWS;
      return sum + letter * weightOf(origin, row * COLS + col);
    }, 0),
  );
}
