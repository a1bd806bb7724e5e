/**
 * Arbitrary command programs of one kernel, free of races by construction: a lane writes only its
 * own elements, and reads of an array that its region writes stay at its own element. Everything
 * else may happen: indices out of range, tiles and slices that do not fit, NaN, infinities,
 * denormals, wrapping integers, dynamic trip counts, reductions inside loops.
 *
 * Roots, in order: floats in, ints in, halves (f16x4) in, bytes (i8x16) in, floats out, words out,
 * vectors inout (f32x4), halves out (f16x2), sums acc (u32).
 */
import fc from 'fast-check';
import type { CommandProgram, Expr, Kernel, Stmt, Type } from '../../runtime/loom/typed.js';
import { Choices, choicesArbitrary } from './choices.js';
import { ExpressionMaker } from './expressions.js';
import * as b from './typed-builder.js';

const { t } = b;

export interface DeviceCase {
  readonly program: CommandProgram;
  /** Fresh copies of the roots for one run. */
  roots(): Uint8Array[];
}

/** What the 32-bit words of each root hold: how two results are to be compared. */
export const rootContents = ['f32', 'i32', 'f16', 'i8', 'f32', 'u32', 'f32', 'f16', 'u32'] as const;
const access = ['in', 'in', 'in', 'in', 'out', 'out', 'inout', 'out', 'inout'] as const;

export const deviceCase: fc.Arbitrary<DeviceCase> = fc
  .record({
    values: choicesArbitrary(700),
    lanes: fc.constantFrom(1, 4, 8),
    groups: fc.integer({ min: 1, max: 3 }),
    data: fc.infiniteStream(fc.nat(2 ** 16)),
    lengths: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 9, maxLength: 9 }),
  })
  .map(({ values, lanes, groups, data, lengths }) => {
    const kernel = new KernelMaker(new Choices(values), lanes).make();
    const content = lengths.map((length, root) => rootBytes(root, length, data));
    return {
      program: programOf(kernel, groups),
      roots: () => content.map((bytes) => bytes.slice()),
    };
  });

function programOf(kernel: Kernel, groups: number): CommandProgram {
  const views = access.map((_, index) => b.wholeRoot(index));
  return b.commandProgram({
    roots: access.map((name) => b.root(name)),
    kernels: [kernel],
    steps: [b.dispatch(0, [...views, b.word(5), b.word(Math.fround(0.37), 'f32')], groups)],
  });
}

/** Elements of 16 bytes, so that every view type divides a root. */
function rootBytes(root: number, length: number, data: Iterable<number>): Uint8Array {
  const words = new Uint32Array(length * 4);
  const random = data[Symbol.iterator]();
  const next = (): number => random.next().value as number;
  const floats = [0, -0, 1.5, -2, 1e-41, 3e38, Infinity, -Infinity, NaN, 0.1, 65504, 1e6];
  const view = new Float32Array(words.buffer);
  words.forEach((_, i) => {
    const content = rootContents[root];
    if (content === 'f32')
      view[i] = next() % 3 === 0 ? floats[next() % floats.length]! : (next() - 32768) / 64;
    else if (content === 'i32') words[i] = next() % 4 === 0 ? next() * 65537 : next() % 24;
    else words[i] = next() * 65536 + next();
  });
  return new Uint8Array(words.buffer);
}

/** Bytes with every NaN replaced by one, for comparing. */
export function withoutPayloads(root: number, bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  const content = rootContents[root];
  if (content === 'f32') {
    for (let at = 0; at < copy.length; at += 4) {
      if ((view.getUint32(at, true) & 0x7fffffff) > 0x7f800000)
        view.setUint32(at, 0x7fc00000, true);
    }
  } else if (content === 'f16') {
    for (let at = 0; at < copy.length; at += 2) {
      if ((view.getUint16(at, true) & 0x7fff) > 0x7c00) view.setUint16(at, 0x7e00, true);
    }
  }
  return copy;
}

class KernelMaker {
  readonly #choices: Choices;
  readonly #k: b.KernelBuilder;
  readonly #lanes: number;
  /** Lanes of most regions; shared arrays have as many elements. */
  readonly #width: number;
  readonly #in: readonly b.ViewHandle[];
  readonly #out: readonly b.ViewHandle[];
  readonly #vectors: b.ViewHandle;
  readonly #halves: b.ViewHandle;
  readonly #sums: b.ViewHandle;
  /** One kind a program: different kinds do not commute. */
  readonly #sumKind: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';
  readonly #scalars: readonly b.Variable[];
  readonly #uniform: readonly b.Variable[];
  readonly #local: readonly b.Variable[];
  readonly #lane: b.Variable;
  readonly #shared: readonly { readonly array: b.SharedHandle; readonly type: Type }[];
  readonly #private: ReturnType<b.KernelBuilder['private']>;
  readonly #tiles: readonly { readonly view: b.ViewHandle; readonly define: Stmt }[];
  readonly #taken: readonly b.Variable[];
  /** Shared arrays that the region being made writes; null at kernel level. */
  #writes: ReadonlySet<number> | null = null;
  #exact = false;
  #tilesDefined = false;

  constructor(choices: Choices, lanes: number) {
    this.#choices = choices;
    this.#lanes = lanes;
    const k = (this.#k = new b.KernelBuilder('generated', lanes));
    this.#width = choices.below(2) === 0 ? lanes : 1 + choices.below(11);
    this.#in = [
      k.view('floats', 'in', b.storage('f32')),
      k.view('ints', 'in', b.storage('i32')),
      k.view('packed', 'in', b.storage('f16', 4)),
      k.view('bytes', 'in', b.storage('i8', 16)),
    ];
    this.#out = [k.view('out', 'out', b.storage('f32')), k.view('words', 'out', b.storage('u32'))];
    this.#vectors = k.view('vectors', 'inout', b.storage('f32', 4));
    this.#halves = k.view('halves', 'out', b.storage('f16', 2));
    this.#sumKind = choices.of(['add', 'min', 'max', 'xor', 'and', 'or'] as const);
    this.#sums = k.view('sums', 'acc', b.storage('u32'));
    this.#scalars = [k.scalar('n', t.i32), k.scalar('scale', t.f32)];
    const types = [t.i32, t.u32, t.f32, t.f32, t.bool, t.f32x4, t.i32x4];
    this.#uniform = types.map((type, i) => k.local(`u${i}`, type));
    this.#local = types.map((type, i) => k.local(`l${i}`, type));
    this.#lane = k.local('lane', t.i32);
    this.#shared = [t.f32, t.i32, t.f32x4].map((type, i) => ({
      array: k.shared(`s${i}`, type, this.#width),
      type,
    }));
    this.#private = k.private('p', t.f32, 2);
    const base = b.sub(this.#local[0]!.get, b.i32(2));
    this.#tiles = [
      k.tile(this.#in[0]!, base, 4),
      k.slice(this.#in[0]!, base, this.#scalars[0]!.get),
    ];
    this.#taken = [0, 1, 2].map((i) => k.local(`t${i}`, t.f32));
  }

  make(): Kernel {
    const begin = this.#clear(this.#uniform);
    // A first region writes every shared array, so that later reads find something.
    return this.#k.build(
      b.block(...begin, this.#region(new Set([0, 1, 2])), ...this.#statements(2)),
    );
  }

  #clear(variables: readonly b.Variable[]): Stmt[] {
    return variables.map((variable) => {
      const { type } = variable;
      return b.set(
        variable,
        type.kind === 'vector'
          ? b.constant(type, [1, 2, 3, 4])
          : b.constant(type, type === t.bool ? true : 1),
      );
    });
  }

  #expressions(): ExpressionMaker {
    const inRegion = this.#writes !== null;
    return new ExpressionMaker({
      choices: this.#choices,
      variables: [
        ...this.#scalars,
        ...this.#uniform,
        ...(inRegion ? [...this.#local, this.#lane] : []),
        ...(inRegion && this.#tilesDefined ? this.#taken : []),
      ],
      isHost: false,
      leaf: (type) => this.#read(type),
    });
  }

  #make(type: Type, depth = 3): Expr {
    return this.#expressions().make(type, depth);
  }

  /** An index near the range of the arrays. */
  #index(): Expr {
    switch (this.#choices.below(4)) {
      case 0:
        return b.i32(this.#choices.below(12));
      case 1:
        return this.#writes ? this.#lane.get : b.workgroup(0);
      case 2:
        return this.#in[1]!.get(b.i32(this.#choices.below(8)));
      default:
        return this.#make(t.i32, 1);
    }
  }

  #read(type: Type): Expr | null {
    if (this.#choices.below(2) === 0) {
      const shared = this.#readShared(type);
      if (shared) return shared;
    }
    const [floats, ints, packed, bytes] = this.#in as [
      b.ViewHandle,
      b.ViewHandle,
      b.ViewHandle,
      b.ViewHandle,
    ];
    if (type === t.f32) {
      if (this.#writes && this.#tilesDefined && this.#choices.below(2) === 0) {
        return this.#choices.of(this.#tiles).view.get(b.i32(this.#choices.below(6)));
      }
      return this.#exact && this.#choices.below(3) === 0
        ? this.#private.get(this.#choices.below(2))
        : floats.get(this.#index());
    }
    if (type === t.i32)
      return this.#choices.below(3) === 0 ? floats.length : ints.get(this.#index());
    if (type === t.f32x4)
      return this.#choices.below(2) === 0 ? packed.get(this.#index()) : floats.vec4(this.#index());
    if (type === t.i32x4) {
      const dot = b.intrinsic('dot8', t.i32x4, [
        bytes.get(this.#index()),
        bytes.get(this.#index()),
        b.constant(t.i32x4, [1, 2, 3, 4]),
      ]);
      return this.#choices.below(2) === 0 ? dot : ints.vec4(this.#index());
    }
    return null;
  }

  #readShared(type: Type): Expr | null {
    const at = this.#shared.findIndex((shared) => shared.type === type);
    if (at < 0) return null;
    const { array } = this.#shared[at]!;
    // An array that this region writes may be read at the own element only.
    if (this.#writes?.has(at)) return this.#width > 0 ? array.get(this.#lane.get) : null;
    if (this.#writes === null && this.#choices.below(2) === 0) {
      const kind = this.#choices.of(['add', 'max', 'min', 'in_order'] as const);
      return array.reduce(
        kind,
        b.i32(this.#choices.below(3)),
        1 + this.#choices.below(this.#width + 2),
      );
    }
    return array.get(this.#index());
  }

  // --- kernel level

  #statements(depth: number): Stmt[] {
    return Array.from({ length: 1 + this.#choices.below(3) }, () => this.#statement(depth)).flat();
  }

  #statement(depth: number): Stmt[] {
    if (this.#choices.isDry) return [];
    switch (this.#choices.below(depth > 0 ? 6 : 3)) {
      case 0:
      case 1:
        return [this.#region(new Set([0, 1, 2].filter(() => this.#choices.below(2) === 0)))];
      case 2: {
        const variable = this.#choices.of(this.#uniform);
        return [b.set(variable, this.#make(variable.type))];
      }
      case 3:
        return [b.when(this.#make(t.bool), b.block(...this.#statements(depth - 1)))];
      default: {
        const local = this.#k.local('k', t.i32);
        const to =
          this.#choices.below(2) === 0
            ? b.i32(this.#choices.below(4))
            : b.intrinsic('min', t.i32, [this.#scalars[0]!.get, b.i32(3)]);
        const body = [b.set(this.#uniform[0]!, local.get), ...this.#statements(depth - 1)];
        return [
          b.loop(local, { from: b.i32(0), to, step: 1 + this.#choices.below(2) }, b.block(...body)),
        ];
      }
    }
  }

  // --- regions

  #region(writes: ReadonlySet<number>): Stmt {
    this.#writes = writes;
    const exact = this.#width === this.#lanes;
    this.#exact = exact;
    this.#tilesDefined = false;
    const stmts = [
      ...this.#clear(this.#local),
      b.set(this.#local[0]!, this.#lane.get),
      ...this.#laneStatements(2),
    ];
    if (this.#choices.chance(2)) stmts.push(...this.#tileStatements());
    for (const at of writes) {
      const { array, type } = this.#shared[at]!;
      stmts.push(array.set(this.#lane.get, this.#make(type)));
    }
    stmts.push(...this.#stores());
    this.#writes = null;
    this.#exact = false;
    this.#tilesDefined = false;
    const range = { from: b.i32(0), to: b.i32(this.#width) };
    return this.#k.parallel(this.#lane, range, b.block(...stmts));
  }

  #tileStatements(): Stmt[] {
    const take = this.#k.take(
      this.#in[0]!,
      this.#make(t.i32, 1),
      b.i32(this.#choices.below(3)),
      this.#taken,
    );
    this.#tilesDefined = true;
    return [...this.#tiles.map(({ define }) => define), take, ...this.#laneStatements(1)];
  }

  #laneStatements(depth: number): Stmt[] {
    return Array.from({ length: 1 + this.#choices.below(3) }, () =>
      this.#laneStatement(depth),
    ).flat();
  }

  #laneStatement(depth: number): Stmt[] {
    if (this.#choices.isDry) return [];
    switch (this.#choices.below(depth > 0 ? 7 : 4)) {
      case 0:
      case 1:
      case 2: {
        const variable = this.#choices.of(this.#local);
        return [b.set(variable, this.#make(variable.type))];
      }
      case 3:
        return this.#exact
          ? [this.#private.set(this.#choices.below(2), this.#make(t.f32))]
          : [this.#sums.accumulate(this.#sumKind, this.#index(), this.#make(t.u32))];
      case 4:
        return [
          b.when(
            this.#make(t.bool),
            b.block(...this.#laneStatements(depth - 1)),
            b.block(...this.#laneStatements(depth - 1)),
          ),
        ];
      default: {
        const local = this.#k.local('j', t.i32);
        const leave = this.#choices.chance(2)
          ? [
              b.when(
                this.#make(t.bool, 2),
                b.block(this.#choices.below(2) ? b.breakLoop() : b.continueLoop()),
              ),
            ]
          : [];
        const body = [
          b.set(this.#local[0]!, local.get),
          ...leave,
          ...this.#laneStatements(depth - 1),
        ];
        return [
          b.loop(local, { from: b.i32(0), to: b.i32(this.#choices.below(4)) }, b.block(...body)),
        ];
      }
    }
  }

  /** Element of this lane over all workgroups. */
  #own(): Expr {
    return b.add(b.mul(b.workgroup(0), b.i32(this.#width)), this.#lane.get);
  }

  #stores(): Stmt[] {
    const [out, words] = this.#out as [b.ViewHandle, b.ViewHandle];
    switch (this.#choices.below(5)) {
      case 0:
        return [out.set(this.#own(), this.#make(t.f32))];
      case 1:
        return [words.set(this.#own(), this.#make(t.u32))];
      case 2:
        return [
          this.#vectors.set(
            this.#own(),
            b.add(this.#vectors.get(this.#own()), this.#make(t.f32x4)),
          ),
        ];
      case 3:
        return [
          this.#halves.set(this.#own(), b.vector(t.f32x2, [this.#make(t.f32), this.#make(t.f32)])),
        ];
      default:
        return [];
    }
  }
}
