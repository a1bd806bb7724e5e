/**
 * What systems tell each other: payloads of envelopes with role `signal`, addressed to `/system` of
 * a thread and handled on arrival. They travel in order with the messages of the same thread, so a
 * `down` never overtakes what the actor sent before it went down.
 */
import type { StatusRecord } from '../base/errors.js';
import type { Address } from './address.js';
import type { StopReason } from './stop-reason.js';

export type Signal =
  | { readonly type: 'watch'; readonly watcher: Address; readonly target: Address }
  | { readonly type: 'unwatch'; readonly watcher: Address; readonly target: Address }
  /** The one answer to a watch. */
  | {
      readonly type: 'down';
      readonly watcher: Address;
      readonly target: Address;
      readonly reason: StopReason;
    }
  | {
      readonly type: 'spawn';
      readonly owner: Address;
      readonly name: string;
      readonly kind: string;
      readonly input: unknown;
    }
  /** An owner stops what it spawned here. */
  | { readonly type: 'stop'; readonly target: Address; readonly reason: StopReason }
  /** An actor that was spawned from there has ended, or never started: its owner may forget it. */
  | {
      readonly type: 'ended';
      readonly owner: Address;
      readonly target: Address;
      readonly refusal: StatusRecord | null;
    }
  /** The ask is held by another actor now. */
  | { readonly type: 'moved'; readonly ask: string; readonly holder: Address }
  /** The asker has its terminal; an answer is no longer wanted. */
  | { readonly type: 'forget'; readonly ask: string };
