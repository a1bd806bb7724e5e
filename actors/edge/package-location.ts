/**
 * From a registration's body to a location: reads and checks the document, so that a deployment has
 * its id before it has an actor. Reads a few small files; everything else of the package is read on
 * a preparation thread. A checkpoint without a document gets that of the package that serves it.
 */
import type { RegisterBody, StartOptions } from '../../http/serving.js';
import { StatusError } from '../../runtime/base/errors.js';
import { checkpointId } from '../../runtime/base/checkpoint-id.js';
import { checkpointDocument } from '../../runtime/packages/checkpoint-document.js';
import { choosePackage } from '../../runtime/packages/checkpoint-rules.js';
import { DiskFiles } from '../../runtime/packages/disk-files.js';
import { findCheckpoint, openCheckpointFolder } from '../../runtime/packages/found-checkpoint.js';
import type { FoundCheckpoint } from '../../runtime/packages/found-checkpoint.js';
import { checkModelDocument, parseModelDocument } from '../../runtime/packages/model-document.js';
import { documentName, openPackageFolder } from '../../runtime/packages/package-folder.js';
import { shippedPackages } from '../../runtime/packages/shipped-packages.js';
import type { PackageLocation } from '../protocol.js';

/** What the operator chose about files. */
export type FileOptions = Pick<StartOptions, 'packageRoots' | 'parameterRoots' | 'cacheDir'>;

export function locatePackage(
  body: RegisterBody,
  { packageRoots, parameterRoots, cacheDir }: FileOptions,
): PackageLocation {
  const roots = { packageRoots, parameterRoots, ...(cacheDir === null ? {} : { cacheDir }) };
  if (body.kind === 'package') {
    const checkpoint = findCheckpoint(body.package);
    if (checkpoint !== null) {
      const id = body.id ?? checkpointId(body.package);
      return { ...locateCheckpoint(id, checkpoint, roots), ...roots };
    }
    const files = openPackageFolder(body.package, packageRoots);
    const document = parseModelDocument(files.read(documentName), documentName);
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

type Roots = Pick<PackageLocation, 'packageRoots' | 'parameterRoots'>;

function locateCheckpoint(
  id: string,
  checkpoint: FoundCheckpoint,
  roots: Roots,
): Pick<PackageLocation, 'id' | 'base' | 'document' | 'checkpoint'> {
  const files = openCheckpointFolder(checkpoint, roots);
  const chosen = choosePackage(checkpoint, files, shippedPackages());
  const document = checkpointDocument(id, chosen, checkpoint, files);
  return { id, base: chosen.base, document, checkpoint };
}
