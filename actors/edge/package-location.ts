/**
 * From a registration's body to a location: reads and checks the document, so that a deployment has
 * its id before it has an actor. Reads one small file; everything else of the package is read on a
 * preparation thread.
 */
import type { RegisterBody, StartOptions } from '../../http/serving.js';
import { StatusError } from '../../runtime/base/errors.js';
import { DiskFiles } from '../../runtime/packages/disk-files.js';
import { checkModelDocument, parseModelDocument } from '../../runtime/packages/model-document.js';
import type { PackageLocation } from '../protocol.js';

const DOCUMENT = 'model.json';

/** What the operator chose about files. */
type FileOptions = Pick<StartOptions, 'packageRoots' | 'parameterRoots' | 'cacheDir'>;

export function locatePackage(
  body: RegisterBody,
  { packageRoots, parameterRoots, cacheDir }: FileOptions,
): PackageLocation {
  const roots = { packageRoots, parameterRoots, ...(cacheDir === null ? {} : { cacheDir }) };
  if (body.kind === 'package') {
    const files = new DiskFiles(body.package, packageRoots);
    const document = parseModelDocument(files.read(DOCUMENT), DOCUMENT);
    return { id: document.id, base: files.base, document, ...roots };
  }
  const files = new DiskFiles(body.base, packageRoots);
  const document = checkModelDocument(body.model, 'model');
  if (document.id !== body.id) {
    throw new StatusError(
      'invalidArgument',
      `id is '${body.id}', but model.id is '${document.id}'; they must be equal`,
      { param: 'id' },
    );
  }
  return { id: body.id, base: files.base, document, ...roots };
}
