/**
 * Where an actor is: `THREAD:/PATH`, as in `model-0:/models/tiny@3/cohorts/7`. An address carries
 * its thread, so no lookup and no registry is needed to route to it, and it stays the same over
 * restarts of the actor. The path of a child is its parent's path, a slash, and the child's name;
 * names may contain slashes to group (`cohorts/7`).
 */
import { assert } from '../base/errors.js';

export type Address = string;

// Asked for every message: what an error would say is put together only where there is one.

const threadPattern = /^[\w.-]+$/;
const namePattern = /^[^\s/]+(\/[^\s/]+)*$/;

/** The address of `/path` on a thread. */
export function addressOf(thread: string, path: string): Address {
  assert(threadPattern.test(thread), `a thread name of letters, digits, dots, dashes: "${thread}"`);
  assert(path.startsWith('/'), `a path that starts with a slash: "${path}"`);
  return `${thread}:${path}`;
}

export function threadOf(address: Address): string {
  const colon = address.indexOf(':');
  if (colon <= 0) assert(false, `an address THREAD:/PATH: "${address}"`);
  return address.slice(0, colon);
}

export function pathOf(address: Address): string {
  return address.slice(address.indexOf(':') + 1);
}

/** The address of the child `name`; the root of a thread is `THREAD:/`. */
export function childAddress(parent: Address, name: string): Address {
  if (!namePattern.test(name)) {
    assert(false, `an actor name without blanks or empty parts: "${name}"`);
  }
  return parent.endsWith('/') ? parent + name : `${parent}/${name}`;
}

/** The built-in actor of a thread that spawns and stops actors for other threads. */
export function systemAddress(thread: string): Address {
  return addressOf(thread, '/system');
}
