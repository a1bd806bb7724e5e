/**
 * What a simulated server serves: by the profile of its packages, or all of them. Small ones are
 * for runs by the thousand.
 */
import type { SimulationOptions } from './simulation.js';

type Shape = Pick<SimulationOptions, 'only' | 'calls' | 'asked' | 'guest'>;

export const profiles = {
  /** Two finite models and, where there is room for its pages, one of text. */
  mixed: {},
  /** Twenty calls to one finite model. */
  embeddings: { only: 'finite', calls: 20, asked: 0.25 },
  /** Twenty calls to models/decision, of one question or more. */
  decisions: { only: 'finite', guest: 'decisions', calls: 20, asked: 0.25 },
  /** Twenty sequences of known tokens to models/sequence. */
  sequences: { only: 'finite', guest: 'sequences', calls: 20, asked: 0.25 },
  /** Readers and sessions of one model of text. */
  text: { only: 'text', asked: 0.25 },
} as const satisfies Readonly<Record<string, Shape>>;

export type ProfileName = keyof typeof profiles;

export function isProfile(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}
