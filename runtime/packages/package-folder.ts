/**
 * The folder of a package, as an operator names it. What has no `model.json` is told with what it
 * could have been: a checkpoint's file inside, a file of another kind.
 */
import { isAbsolute, join } from 'node:path';
import { statSync } from 'node:fs';
import { StatusError } from '../base/errors.js';
import { DiskFiles } from './disk-files.js';

export const documentName = 'model.json';
const takes =
  'what can be served is a folder with model.json (a package), a folder with config.json and ' +
  '*.safetensors, or a .gguf file (a checkpoint)';
/** The first piece stands for a file in pieces; a message names so many files. */
const laterPiece = /-(?!0*1-)\d+-of-\d+\.gguf$/i;
const namesMax = 4;

/** Whoever has no checkpoint at this path looks for a package. */
export function openPackageFolder(path: string, packageRoots: readonly string[]): DiskFiles {
  // Of a file no more is told than of a path with nothing there: it may lie outside of all roots.
  if (isAbsolute(path) && !statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw unserved(path, `no ${/\.gguf$/i.test(path) ? 'file' : 'folder'} ${JSON.stringify(path)}`);
  }
  const files = new DiskFiles(path, packageRoots);
  const names = files.list('.');
  if (names.includes(documentName)) return files;
  const found = names.filter((name) => /\.gguf$/i.test(name) && !laterPiece.test(name));
  const none = `there is neither ${documentName} nor config.json in ${path}`;
  if (found.length === 0) throw unserved(path, none);
  const shown = found.slice(0, namesMax).map((name) => join(path, name));
  const more = found.length > namesMax ? ` (and ${found.length - namesMax} more)` : '';
  throw new StatusError('notFound', `${none}; name the file: ${shown.join(', ')}${more}`, {
    where: path,
  });
}

const unserved = (path: string, why: string): StatusError =>
  new StatusError('notFound', `${why}; ${takes}`, { where: path });
