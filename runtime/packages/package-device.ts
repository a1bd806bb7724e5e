/** Whether a package may run on the device that a server has. */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import type { ModelDocument } from './model-document.js';

/** Refuses a package that names another device than the one with these facts. */
export function checkDevice({ deployment }: ModelDocument, { simt }: TargetFacts): void {
  const runs = simt ? 'webgpu' : 'local';
  if (deployment.device === 'auto' || deployment.device === runs) return;
  throw new StatusError(
    'failedPrecondition',
    `the package asks for the device '${deployment.device}' (deployment.device) and this server runs '${runs}' (--device)`,
  );
}
