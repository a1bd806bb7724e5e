/**
 * Bytecode to syntax tree. Trusts nothing: magic, version, lengths, digest, counts, string indices,
 * names, which kind may stand where, nesting, trailing bytes. What passes is printed and parsed
 * again and must give the same tree, so bytecode can say nothing that text cannot say, and every
 * later stage may rely on what the grammar guarantees. Never throws; never holds more than a
 * constant times the file.
 */

import { DiagnosticSink } from '../diagnostics.js';
import { absentOp, leveledRoles, shapesByRole } from '../opcodes.js';
import type { FieldKind, NodeShape, Role } from '../opcodes.js';
import { packAt } from '../tree.js';
import type { Module } from '../tree.js';
import { digestBytes, headerBytes, isBytecode, magic, version } from './bytecode-format.js';
import { BytecodeFault, ByteReader } from './byte-reader.js';
import { canonicalForm } from './canonical-form.js';
import type { CanonicalForm } from './canonical-form.js';
import { digestOf } from './identity.js';
import { reportTooLong, syntaxLimits } from './limits.js';
import { emptyModule, parse } from './parse.js';
import type { Parsed } from './parse.js';
import { print } from './print.js';
import { textFault } from './text-rules.js';

/** A tree without diagnostics, or one diagnostic and an empty tree. */
export function decode(file: string, bytes: Uint8Array): Parsed {
  const sink = new DiagnosticSink();
  const max = syntaxLimits.bytecodeBytes;
  if (reportTooLong(sink, file, { bytes: bytes.length, max })) return nothing(sink);
  try {
    const form = openForm(bytes);
    const module = new TreeReader(form).run();
    checkCanonical(module, form);
    return { module, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof BytecodeFault)) throw error;
    const hint = 'the file is damaged or was not written by this compiler; compile it again';
    sink.report({ file, at: packAt(1, 1), message: `bytecode: ${error.message}`, hint });
    return nothing(sink);
  }
}

const nothing = (sink: DiagnosticSink): Parsed => ({
  module: emptyModule(),
  diagnostics: sink.list(),
});

/** For the checks of the file as a whole, which have no section. */
const fault = (message: string): never => {
  throw new BytecodeFault(message);
};

/** Cuts the file into its sections and checks the digest. */
function openForm(bytes: Uint8Array): CanonicalForm {
  if (!isBytecode(bytes)) fault('the file does not begin like bytecode');
  if (bytes.length < headerBytes + digestBytes) fault('the file ends too early');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = view.getUint32(magic.length, true);
  if (found !== version) fault(`version ${found} is not known; this compiler reads ${version}`);
  const ends = [headerBytes];
  for (let index = 0; index < 3; index += 1) {
    ends.push(ends[index]! + view.getUint32(magic.length + 4 + 4 * index, true));
  }
  const size = ends[3]! + digestBytes;
  if (size !== bytes.length) fault(`the file has ${bytes.length} bytes, its header says ${size}`);
  const form = {
    strings: bytes.subarray(ends[0], ends[1]),
    nodes: bytes.subarray(ends[1], ends[2]),
    positions: bytes.subarray(ends[2], ends[3]),
  };
  if (!equal(digestOf(form), bytes.subarray(ends[3]))) fault('the digest does not match');
  return form;
}

/** The tree must be the one that its own text gives, and its bytes the only ones for it. */
function checkCanonical(module: Module, form: CanonicalForm): void {
  const text = print(module);
  const maxBytes = 2 * syntaxLimits.printedBytes;
  const { module: again, diagnostics } = parse({ file: 'bytecode', text, maxBytes });
  const first = diagnostics[0];
  if (first !== undefined) fault(`the tree has no text: ${first.message}`);
  const expected = canonicalForm(again);
  const isSame = equal(expected.strings, form.strings) && equal(expected.nodes, form.nodes);
  if (!isSame) fault('the tree is not the one that its text gives');
}

const equal = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

/** A node while it is filled in; by then the table has vouched for its fields. */
type Fields = { kind: string; at: number } & Record<string, unknown>;

const shapeByOp = new Map<Role, ReadonlyMap<number, NodeShape>>();
for (const [role, shapes] of Object.entries(shapesByRole)) {
  shapeByOp.set(role as Role, new Map(shapes.map((shape) => [shape.op, shape])));
}

/** Reads nodes and positions side by side, each from its section, in the order of writing. */
class TreeReader {
  readonly #strings: string[];
  readonly #nodes: ByteReader;
  readonly #positions: ByteReader;
  #line = 1;
  #blocks = 0;
  #levels = 0;
  /** Bytes that the tree may still print to. */
  #room: number = syntaxLimits.printedBytes;

  constructor(form: CanonicalForm) {
    const strings = new ByteReader(form.strings, 'string');
    this.#strings = Array.from({ length: strings.count() }, () => strings.text());
    strings.expectEnd();
    this.#nodes = new ByteReader(form.nodes, 'node');
    this.#positions = new ByteReader(form.positions, 'position');
  }

  run(): Module {
    const module = this.#node('module', this.#nodes.byte());
    this.#nodes.expectEnd();
    this.#positions.expectEnd();
    return module as unknown as Module;
  }

  #node(role: Role, op: number): Fields {
    const shape = shapeByOp.get(role)!.get(op);
    if (shape === undefined) return this.#nodes.fail(`has opcode ${op} where a ${role} stands`);
    const isLevel = leveledRoles.has(role);
    const isBlock = role === 'block';
    if (isLevel) this.#levels += 1;
    if (isBlock) this.#blocks += 1;
    const limit = syntaxLimits.nesting;
    if (this.#levels > limit || this.#blocks > limit) {
      this.#nodes.fail(`nests deeper than ${limit} levels`);
    }
    // Punctuation and indentation of the line that this node may take.
    this.#spend(4 + (role === 'stmt' ? 2 * this.#blocks : 0));
    const node: Fields = { kind: shape.kind, at: this.#position() };
    for (const [name, holds] of shape.fields) node[name] = this.#field(holds);
    if (isLevel) this.#levels -= 1;
    if (isBlock) this.#blocks -= 1;
    return node;
  }

  /** Differences of lines may lead anywhere, so the sum is checked, not the step. */
  #position(): number {
    const coded = this.#positions.uint();
    this.#line += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
    const column = this.#positions.uint();
    const isInside = this.#line >= 1 && this.#line < 2 ** 31 && column >= 1 && column <= 4095;
    if (!isInside) this.#positions.fail('has a place outside any file');
    return packAt(this.#line, column);
  }

  /** One field, by what the table says it holds. */
  #field(holds: FieldKind): unknown {
    const nodes = this.#nodes;
    switch (holds.is) {
      case 'flag':
        return this.#flag();
      case 'word': {
        const index = nodes.byte();
        return holds.of[index] ?? nodes.fail(`has choice ${index} of ${holds.of.length}`);
      }
      case 'names':
        return this.#names(holds.min);
      case 'optionalNames':
        return this.#flag() ? this.#names(1) : null;
      case 'node':
        return this.#node(holds.role, nodes.byte());
      case 'optional': {
        const op = nodes.byte();
        return op === absentOp ? null : this.#node(holds.role, op);
      }
      case 'list': {
        const count = nodes.count();
        if (count < holds.min || count > holds.max) nodes.fail(`has a list of ${count}`);
        const items: Fields[] = [];
        for (let index = 0; index < count; index += 1) {
          items.push(this.#node(holds.role, nodes.byte()));
        }
        return items;
      }
      default:
        return this.#text(holds.is);
    }
  }

  #flag(): boolean {
    const value = this.#nodes.byte();
    if (value > 1) this.#nodes.fail(`has ${value} for yes or no`);
    return value === 1;
  }

  /** A list of names, as of `let` and `use`. */
  #names(min: number): string[] {
    const count = this.#nodes.count();
    if (count < min) this.#nodes.fail('has an empty list of names');
    const names: string[] = [];
    for (let index = 0; index < count; index += 1) names.push(this.#text('name'));
    return names;
  }

  /** A string by index. It may be used a million times, so its length is charged each time. */
  #text(rule: Parameters<typeof textFault>[0]): string {
    const index = this.#nodes.uint();
    const text = this.#strings[index];
    if (text === undefined) {
      return this.#nodes.fail(`uses string ${index} of ${this.#strings.length}`);
    }
    const wrong = textFault(rule, text);
    if (wrong !== null) this.#nodes.fail(`has ${JSON.stringify(text.slice(0, 40))} ${wrong}`);
    this.#spend(text.length);
    return text;
  }

  #spend(count: number): void {
    this.#room -= count;
    if (this.#room < 0) {
      this.#nodes.fail(`prints to more than ${syntaxLimits.printedBytes} bytes`);
    }
  }
}
