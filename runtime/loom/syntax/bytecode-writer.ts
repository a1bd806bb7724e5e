/**
 * Syntax tree to bytecode. One tree has one spelling: the same module gives the same bytes, and the
 * reader accepts no other. The module must come from a parse without diagnostics.
 */

import type { Module } from '../tree.js';
import { headerBytes, magic, version } from './bytecode-format.js';
import { ByteWriter } from './byte-writer.js';
import { canonicalForm } from './canonical-form.js';
import { digestOf } from './identity.js';

export function encode(module: Module): Uint8Array {
  const form = canonicalForm(module);
  const sections = [form.strings, form.nodes, form.positions];
  const header = new Uint8Array(headerBytes);
  header.set(magic);
  const view = new DataView(header.buffer);
  view.setUint32(magic.length, version, true);
  sections.forEach((section, index) => {
    view.setUint32(magic.length + 4 + 4 * index, section.length, true);
  });
  const out = new ByteWriter();
  for (const bytes of [header, ...sections, digestOf(form)]) out.append(bytes);
  return out.bytes();
}
