/**
 * Makes one arbitrary kernel over the roots of `device-programs.ts`: kernel-level statements with
 * loops and conditions around regions, and regions that keep to their own elements.
 */
import type { Expr, Kernel, Stmt, Type } from '../../runtime/loom/typed.js';
import type { Choices } from './choices.js';
import { ExpressionMaker } from './expressions.js';
import * as b from './typed-builder.js';

const { t } = b;
/** Words that one workgroup writes at its end. */
export const traceWords = 80;

/** Any value as a word, the same for every NaN. */
function wordOf(value: Expr): Expr {
  const { type } = value;
  if (type.kind === 'vector')
    return wordOf(b.intrinsic('sum', type.elem === 'f32' ? t.f32 : t.i32, [value]));
  if (type !== t.f32) return type === t.u32 ? value : b.convert(t.u32, value);
  const isNan = b.intrinsic('is_nan', t.bool, [value]);
  return b.intrinsic('bits', t.u32, [b.intrinsic('select', t.f32, [isNan, b.f32(0.5), value])]);
}

export class KernelMaker {
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
    const first = this.#region(new Set([0, 1, 2]));
    return this.#k.build(b.block(...begin, first, ...this.#statements(2), ...this.#trace()));
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
    return array.get(this.#index());
  }

  // --- kernel level

  #statements(depth: number): Stmt[] {
    return Array.from({ length: 2 + this.#choices.below(4) }, () => this.#statement(depth)).flat();
  }

  #statement(depth: number): Stmt[] {
    if (this.#choices.isDry) return [];
    switch (this.#choices.below(depth > 0 ? 7 : 4)) {
      case 0:
        return [this.#reduce()];
      case 1:
        return [this.#region(new Set([0, 1, 2].filter(() => this.#choices.below(2) === 0)))];
      case 2: {
        const variable = this.#choices.of(this.#uniform);
        return [b.set(variable, this.#make(variable.type))];
      }
      case 3:
        return [this.#region(new Set([0, 1, 2].filter(() => this.#choices.below(2) === 0)))];
      case 4:
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

  #reduce(): Stmt {
    const { array, type } = this.#choices.of(this.#shared);
    const kind = this.#choices.of(['add', 'max', 'min', 'in_order'] as const);
    const count = 1 + this.#choices.below(this.#width + 2);
    const target = this.#uniform.find((variable) => variable.type === type)!;
    return b.set(target, array.reduce(kind, b.i32(this.#choices.below(3)), count));
  }

  /** Shows everything that a program may have computed. */
  #trace(): Stmt[] {
    const words = this.#out[1]!;
    const at = (offset: Expr): Expr => b.add(b.mul(b.workgroup(0), b.i32(traceWords)), offset);
    const uniform = this.#uniform.map((variable, i) =>
      words.set(at(b.i32(i)), wordOf(variable.get)),
    );
    const element = (slot: number): Expr => at(b.add(b.i32(16 * (slot + 1)), this.#lane.get));
    const shared = this.#shared.map(({ array }, slot) =>
      words.set(element(slot), wordOf(array.get(this.#lane.get))),
    );
    const last =
      this.#width === this.#lanes ? [words.set(element(3), wordOf(this.#private.get(0)))] : [];
    return [
      this.#k.parallel(this.#lane, { from: b.i32(0), to: b.i32(1) }, b.block(...uniform)),
      this.#parallel([...shared, ...last]),
    ];
  }

  #parallel(stmts: readonly Stmt[]): Stmt {
    const range = { from: b.i32(0), to: b.i32(this.#width) };
    return this.#k.parallel(this.#lane, range, b.block(...stmts));
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
    return this.#parallel(stmts);
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
    const own = this.#own();
    switch (this.#choices.below(4)) {
      case 0:
        return [this.#out[0]!.set(own, this.#make(t.f32))];
      case 1:
        return [this.#vectors.set(own, b.add(this.#vectors.get(own), this.#make(t.f32x4)))];
      case 2: {
        const pair = b.vector(t.f32x2, [this.#make(t.f32), this.#make(t.f32)]);
        return [this.#halves.set(own, pair)];
      }
      default:
        return [];
    }
  }
}
