/** The packages that scenarios ask: those of `models/`, some with options of their own. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call, PackageNeed } from './scenario.js';

/** Lies above this folder, wherever the build writes to. */
function findModels(): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const models = join(at, 'models');
    if (existsSync(join(models, 'model.schema.json'))) return models;
    if (at === dirname(at)) throw new Error('the folder models is not there');
  }
}

const models = findModels();

export const packageOf = (folder: string, id = folder): PackageNeed => ({ id, folder });

/** A package of `models/`; answers when it serves. */
export function registers({ id, folder, options, deployment }: PackageNeed): Call {
  const base = join(models, folder);
  const text = readFileSync(join(base, 'model.json'), 'utf8');
  const document = JSON.parse(text) as { definition: object; deployment?: object };
  const { definition } = document;
  const model = {
    ...document,
    id,
    definition: options === undefined ? definition : { ...definition, options },
    deployment: { ...document.deployment, ...deployment },
  };
  return { method: 'POST', path: '/admin/models?wait=1', body: { id, base, model } };
}

export const unregisters = (id: string): Call => ({
  method: 'DELETE',
  path: `/admin/models/${id}`,
});
