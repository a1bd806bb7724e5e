/**
 * The identity of a program: SHA-256 of its canonical form. Layout, `//` comments and positions do
 * not count, so text and bytecode of one module are one program. Part of every cache key.
 */

import { createHash } from 'node:crypto';
import type { Module } from '../tree.js';
import { canonicalForm } from './canonical-form.js';
import type { CanonicalForm } from './canonical-form.js';

/** 64 hexadecimal digits. */
export function sha256(module: Module): string {
  return Buffer.from(digestOf(canonicalForm(module))).toString('hex');
}

/** 32 bytes. The string table says its own count, so no text and node bytes can be confused. */
export function digestOf(form: Pick<CanonicalForm, 'strings' | 'nodes'>): Uint8Array {
  return createHash('sha256').update(form.strings).update(form.nodes).digest();
}
