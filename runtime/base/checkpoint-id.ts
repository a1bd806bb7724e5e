/** The id of a checkpoint without a `model.json`: the name of its folder or file. */
import { basename } from 'node:path';
import { StatusError } from './errors.js';

const lengthMax = 128;

/** Characters that an id cannot have become `-`; a name with none left needs an id of its own. */
export function checkpointId(path: string): string {
  const name = basename(path).replace(/\.gguf$/i, '');
  const id = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  if (id !== '') return id.slice(0, lengthMax);
  throw new StatusError(
    'invalidArgument',
    `the name of ${JSON.stringify(path)} gives no id for requests; choose one with --id`,
    { where: path },
  );
}
