/**
 * The canonical form of a module: a string table and the nodes in order, as bytes, positions apart.
 * Two modules have the same form exactly if they print the same text. Bytecode stores it, its
 * digest identifies a program, and the reader compares with it.
 *
 * Texts are numbered by first use. Numbers are LEB128 (7 bits a byte, low first). A node is its
 * opcode and its fields, as `opcodes.ts` lists them; a position is the signed difference of lines
 * to the node before, and the column.
 */

import { assert } from '../../base/errors.js';
import { absentOp, shapesByRole } from '../opcodes.js';
import type { FieldKind, NodeShape, Role } from '../opcodes.js';
import { columnOf, lineOf } from '../tree.js';
import type { Module } from '../tree.js';
import { ByteWriter } from './byte-writer.js';

export interface CanonicalForm {
  readonly strings: Uint8Array;
  readonly nodes: Uint8Array;
  readonly positions: Uint8Array;
}

export function canonicalForm(module: Module): CanonicalForm {
  return new FormWriter().run(module);
}

/** A node as the table sees it. */
type Fields = Readonly<Record<string, unknown>> & { readonly kind: string; readonly at: number };

const shapeByKind = new Map<Role, ReadonlyMap<string, NodeShape>>();
for (const [role, shapes] of Object.entries(shapesByRole)) {
  shapeByKind.set(role as Role, new Map(shapes.map((shape) => [shape.kind, shape])));
}

/** One walk over the tree; nodes and positions grow side by side. */
class FormWriter {
  readonly #nodes = new ByteWriter();
  readonly #positions = new ByteWriter();
  readonly #indices = new Map<string, number>();
  #line = 1;

  run(module: Module): CanonicalForm {
    this.#node('module', module as unknown as Fields);
    const strings = new ByteWriter();
    strings.uint(this.#indices.size);
    for (const text of this.#indices.keys()) strings.text(text);
    return {
      strings: strings.bytes(),
      nodes: this.#nodes.bytes(),
      positions: this.#positions.bytes(),
    };
  }

  #node(role: Role, node: Fields): void {
    const shape = shapeByKind.get(role)!.get(node.kind);
    assert(shape !== undefined, `a node that may stand as ${role}, not ${node.kind}`);
    this.#nodes.byte(shape.op);
    this.#position(node.at);
    for (const [name, holds] of shape.fields) this.#field(holds, node[name]);
  }

  /** Differences are small, so most positions take two bytes. */
  #position(at: number): void {
    const line = lineOf(at);
    const delta = line - this.#line;
    this.#line = line;
    this.#positions.uint(delta < 0 ? -2 * delta - 1 : 2 * delta);
    this.#positions.uint(columnOf(at));
  }

  #field(holds: FieldKind, value: unknown): void {
    switch (holds.is) {
      case 'flag':
        return this.#nodes.byte(value === true ? 1 : 0);
      case 'word': {
        const index = holds.of.indexOf(value as string);
        assert(index >= 0, `one of ${holds.of.join(' ')}, not ${String(value)}`);
        return this.#nodes.byte(index);
      }
      case 'names':
        return this.#names(value as readonly string[]);
      case 'optionalNames':
        this.#nodes.byte(value === null ? 0 : 1);
        if (value !== null) this.#names(value as readonly string[]);
        return;
      case 'node':
        return this.#node(holds.role, value as Fields);
      case 'optional':
        if (value === null) return this.#nodes.byte(absentOp);
        return this.#node(holds.role, value as Fields);
      case 'list': {
        const items = value as readonly Fields[];
        this.#nodes.uint(items.length);
        for (const item of items) this.#node(holds.role, item);
        return;
      }
      default:
        return this.#text(value as string);
    }
  }

  #names(names: readonly string[]): void {
    this.#nodes.uint(names.length);
    for (const name of names) this.#text(name);
  }

  /** An index into the string table, which grows by first use. */
  #text(text: string): void {
    let index = this.#indices.get(text);
    if (index === undefined) {
      index = this.#indices.size;
      this.#indices.set(text, index);
    }
    this.#nodes.uint(index);
  }
}
