/**
 * The packages that come with the server and serve checkpoints of others (`serves` in their
 * `model.json`). They lie in the `models` folder beside the build, whatever that is called.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StatusError } from '../base/errors.js';
import { checkModelDocument, parseJson } from './model-document.js';
import type { ModelDocument } from './model-document.js';
import type { Serves } from './serves-schema.js';

export interface ShippedPackage {
  readonly base: string;
  readonly document: ModelDocument;
  readonly serves: Serves;
}

/** In the order of their folders' names. */
export function shippedPackages(models = modelsFolder()): readonly ShippedPackage[] {
  return readdirSync(models)
    .sort()
    .flatMap((name): readonly ShippedPackage[] => {
      const base = join(models, name);
      const path = join(base, 'model.json');
      if (!existsSync(path)) return [];
      const value = parseJson(readFileSync(path), `${name}/model.json`);
      if (value === null || typeof value !== 'object' || !('serves' in value)) return [];
      const document = checkModelDocument(value, `${name}/model.json`);
      return document.serves === undefined ? [] : [{ base, document, serves: document.serves }];
    });
}

function modelsFolder(from = import.meta.dirname): string {
  const models = join(from, 'models');
  if (existsSync(join(models, 'model.schema.json'))) return models;
  const above = dirname(from);
  if (above !== from) return modelsFolder(above);
  throw new StatusError('notFound', 'the folder models that comes with the server is not there');
}
