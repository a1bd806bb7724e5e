/** Program of a model thread: generations with their requests, cohorts and specializations. */
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { StartProgram } from '../../runtime/threads/thread-control.js';
import { generation } from '../model/generation.js';
import { textGeneration } from '../model/text-generation.js';
import { startActorThread } from './actor-thread.js';

export const startProgram: StartProgram = ({ name }) => {
  const kinds = new ActorKinds()
    .register('generation', generation)
    .register('textGeneration', textGeneration);
  return startActorThread(name, kinds).control;
};
