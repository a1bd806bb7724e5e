/**
 * The text package that simulations serve: models/tiny-text with few rows, short ones, and hardly
 * more pages than one of them needs, so that whoever reads takes pages from others all the time.
 * What any row says is known from its ids alone: `saidAfter` asks the oracle, once a row.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { MemoryFiles } from '../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import { continued } from '../oracles/tiny-text.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import type { TinyPackage } from './tiny-package.js';

/** The second is served where memory does not hold the rows of both. */
export const TEXT_MODELS = ['gamma', 'delta'] as const;
export const isText = (model: string): boolean => TEXT_MODELS.some((one) => one === model);
/** Bytes of its rows and one epoch, as admission counts them; of the rows alone. */
export const TEXT_BYTES = 108_544;
export const ROW_BYTES = 2_304;
export const ROWS = 4;
export const CONTEXT = 96;
const options = { rows: ROWS, context: CONTEXT, pages: 30, states: 6 };

const folders = ['tiny-text', 'motifs'];

export function textPackage(id: string): TinyPackage {
  const files = new Map<string, Uint8Array>();
  for (const folder of folders) {
    for (const name of readdirSync(`${repositoryRoot}/models/${folder}`)) {
      if (!/\.(loom|json)$/.test(name)) continue;
      const path = `${folder}/${name}`;
      files.set(path, new Uint8Array(readFileSync(`${repositoryRoot}/models/${path}`)));
    }
  }
  const text = new TextDecoder().decode(files.get('tiny-text/model.json'));
  const written = JSON.parse(text) as { definition: object };
  const definition = { ...written.definition, options };
  return {
    document: checkModelDocument({ ...written, id, definition }, 'model.json'),
    files: new MemoryFiles(files, 'tiny-text'),
    checkpoints: new Map(),
  };
}

const known = new Map<string, readonly number[]>();

/** Tokens that follow these, until the end of the turn or of the row. */
export function saidAfter(ids: readonly number[]): readonly number[] {
  if (ids.length === 0) return [];
  const key = ids.join(' ');
  let said = known.get(key);
  if (said === undefined) {
    said = continued(ids, Math.max(1, CONTEXT - ids.length));
    known.set(key, said);
  }
  return said;
}
