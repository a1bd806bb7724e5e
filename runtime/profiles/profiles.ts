/** The profiles that this server has, by name; a document may name others, which are refused. */
import { StatusError } from '../base/errors.js';
import { decisions } from './decisions.js';
import { embeddings } from './embeddings.js';
import type { Profile } from './profile.js';
import { sequence } from './sequence.js';
import { text } from './text.js';

const profiles: readonly Profile[] = [embeddings, decisions, text, sequence];

export function findProfile(name: string): Profile {
  const profile = profiles.find((entry) => entry.name === name);
  if (profile !== undefined) return profile;
  const known = profiles.map((entry) => entry.name).join(', ');
  throw new StatusError(
    'unimplemented',
    `profile: this server has no profile '${name}' (it has ${known})`,
    { where: 'profile' },
  );
}

/** What a request of one profile hears from a model of another. */
export function wrongProfile(model: string, profile: string, asked: string): StatusError {
  const { route } = findProfile(profile);
  return new StatusError(
    'invalidArgument',
    `model ${model} has the profile ${profile}, which ${route} asks; this request is one of ${asked}`,
    { param: 'model' },
  );
}
