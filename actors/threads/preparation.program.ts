/**
 * Program of a preparation thread: cold preparations, and `prepare_request` of every generation.
 */
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import { checkDevice } from '../../runtime/packages/package-device.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import type { StartProgram } from '../../runtime/threads/thread-control.js';
import type { PackageLocation } from '../protocol.js';
import { preparation, type PreparationOrder } from '../model/preparation.js';
import { preparer } from '../serving/preparer.js';
import { textPreparer } from '../serving/text-preparer.js';
import { startActorThread } from './actor-thread.js';

export interface PreparationSettings {
  /** Of the device that programs are compiled for. */
  readonly facts: TargetFacts;
}

export const startProgram: StartProgram = ({ name, settings }) => {
  const { facts } = settings as PreparationSettings;
  const prepare = (location: PackageLocation) => {
    checkDevice(location.document, facts);
    return preparePackage(location, facts);
  };
  const kinds = new ActorKinds()
    .register('preparation', (self, input: PreparationOrder) =>
      preparation(self, { ...input, prepare }),
    )
    .register('preparer', preparer)
    .register('textPreparer', textPreparer);
  return startActorThread(name, kinds).control;
};
