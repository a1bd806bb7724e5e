/**
 * Who proposes the tokens that an epoch checks along with the one that is known
 * (`deployment.drafting`). What is proposed never changes what is said, only in how many epochs.
 */
import { StatusError } from '../base/errors.js';
import type { ModelDocument } from './model-document.js';

export type Drafting = NonNullable<ModelDocument['deployment']['drafting']>;

const where = 'deployment.drafting';

/** Only text is said token by token. */
export function checkDrafting(profile: string, asked: Drafting | undefined): void {
  if (profile === 'text' || asked === undefined || asked === 'none') return;
  throw new StatusError(
    'invalidArgument',
    `${where}: "${asked}" is for packages of the profile text; this one is of ${profile}`,
    { where },
  );
}

export function draftingOf({ deployment }: ModelDocument, hasDraft: boolean): Drafting {
  const asked = deployment.drafting ?? (hasDraft ? 'source' : 'none');
  if (asked !== 'source' || hasDraft) return asked;
  throw new StatusError(
    'invalidArgument',
    `${where}: "source" needs the entry 'draft', which the control program does not export;` +
      ` "lookup" does without`,
    { where },
  );
}
