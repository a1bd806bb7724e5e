/**
 * Program of a preparation thread: cold preparations, and `prepare_request` of every generation.
 */
import { ActorKinds } from '../../runtime/system/kinds.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import type { StartProgram } from '../../runtime/threads/thread-control.js';
import { preparation, type PreparationOrder } from '../model/preparation.js';
import { preparer, resolveChoice, type PreparerOrder } from '../serving/preparer.js';
import { textPreparer } from '../serving/text-preparer.js';
import { startActorThread } from './actor-thread.js';

export const startProgram: StartProgram = ({ name }) => {
  const kinds = new ActorKinds()
    .register('preparation', (self, input: PreparationOrder) =>
      preparation(self, { ...input, prepare: preparePackage }),
    )
    .register('preparer', (self, input: PreparerOrder) =>
      preparer(self, { ...input, resolve: resolveChoice }),
    )
    .register('textPreparer', textPreparer);
  return startActorThread(name, kinds).control;
};
