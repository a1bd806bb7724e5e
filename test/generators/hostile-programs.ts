/**
 * Programs that parse and mostly type, and mean harm: extreme constants, immense loops, buffers,
 * grids and views at limits and beyond, recursion, doubling texts. Each ends in diagnostics, in an
 * error of the program or in a result, within bounds.
 */
import type { Random } from './random.js';

const wide = (
  '0 1 2 3 -1 -7 15 16 17 63 64 255 256 4095 65535 65536 1048576 2147483647 2147483648 4294967295 ' +
  '4294967296 1099511627776 9007199254740993 9223372036854775807 -9223372036854775808 n total'
).split(' ');
const narrow = '0 1 2 3 -1 -7 31 32 63 64 255 4096 65535 65536 2147483647 -2147483648 n'.split(' ');
const scalars = narrow.slice(0, -1);
const extents = '0 1 1 2 3 7 64 255 1000 65535'.split(' ');
const counts = '1 4 16 64 256 1024 1024 65536 1073741824'.split(' ');
const offsets = '0 0 16 32 1024 4294967296'.split(' ');
const steps = [
  '',
  '',
  ' step 1',
  ' step 2',
  ' step 7',
  ' step 65536',
  ' step 2147483647',
  ' unroll',
];
const shareds = ['1', '4', '64', '1024', '4096'];
const lanes = ['1', '4', '32', '256'];
/** Beyond some limit: the program is refused. */
const beyond = ['65537', '512', '4097', '-1', '1073741825', '9007199254740993'];

class HostileMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  text(): string {
    const { host, device } = { host: this.#host(), device: this.#device() };
    return `library hostile
layout.def L { a: i32, b: f32x4, c: i64 }
record.def R { b: buffer, l: list<i64>, n: i64 }
${host}
${device}`;
  }

  #many(most: number, one: () => string): string {
    return Array.from({ length: 1 + this.#random.below(most) }, one).join('\n');
  }

  // --- host

  #wide(): string {
    const random = this.#random;
    if (!random.chance(3)) return random.of(wide);
    const operator = random.of(['+', '-', '*', '/', '%', '<<', '>>', '&', '^']);
    return `(${random.of(['n', 'total'])} ${operator} ${random.of(wide)})`;
  }

  #host(): string {
    const locals = 'var s = t\nvar total = n\nlet l = list<i64>(1, 2, 3)';
    return `func.def helper(n: i64, b: buffer, t: string) -> i64 {
${locals}
${this.#many(3, () => this.#hostStatement(1))}
return n
}
func.def export main(n: i64, b: buffer, t: string) -> (i64, buffer) {
${locals}
${this.#many(6, () => this.#hostStatement(2))}
return (total, b)
}`;
  }

  #hostStatement(depth: number): string {
    const random = this.#random;
    const e = () => this.#wide();
    if (depth > 0 && random.chance(3)) return this.#hostNest(depth - 1);
    return random.of([
      () => `let b${random.below(1e6)} = buffer.new(${e()})`,
      () => `b.i64[${e()}] = ${e()}`,
      () => `b.u8[${e()}] = ${e()}`,
      () => `total = total + i64(b.i32[${e()}])`,
      () => `total += b.i64[${e()}]`,
      () => `total = ${e()} * total`,
      () => `b.fill(${e()}, ${e()}, ${e()})`,
      () => `b.copy(${e()}, b, ${e()}, ${e()})`,
      () => `b.slice(${e()}, ${e()}).i64[${e()}] = 1`,
      () => `b.from(${e()}).at<L>(${e()}).c = ${e()}`,
      () => `b.at<L>(${e()}).a = ${e()}`,
      () => `l.push(${e()})`,
      () => `total += l[${e()}]`,
      () => `l[${e()}] = ${e()}`,
      () => 's = s + s',
      () => `s = s.slice(${e()}, ${e()})`,
      () => `total += s.find("a", ${e()})`,
      () => `s = format("{} {}", ${e()}, s)`,
      () => `total += helper(${e()}, b, s)`,
      () => `let (c${random.below(1e6)}, d${random.below(1e6)}) = main(total, b, s)`,
      () => `let r${random.below(1e6)} = seal(R { b: b, l: l, n: total })`,
      () => 'open<R>(seal(R { b: b, l: l, n: total })).l.push(1)',
      () => 'open<R>(seal(R { b: b, l: l, n: total })).b.u8[0] = 1',
      () => `require(total < ${e()}, "{} is too much", total)`,
      () => `fail("{}", s)`,
    ])();
  }

  #hostNest(depth: number): string {
    const random = this.#random;
    const body = this.#many(2, () => this.#hostStatement(depth));
    const name = `i${random.below(1e6)}`;
    return random.of([
      () => `while true {\n${body}\n}`,
      () => `while total >= 0 {\n${body}\n}`,
      () => `for ${name} in ${this.#wide()}..${this.#wide()}${random.of(steps)} {\n${body}\n}`,
      () => `if total > ${this.#wide()} {\n${body}\n}`,
    ])();
  }

  // --- devices

  #narrow(): string {
    const random = this.#random;
    if (!random.chance(3)) return random.of(narrow);
    return `(n ${random.of(['+', '-', '*', '/', '%', '<<', '>>', '&'])} ${random.of(scalars)})`;
  }

  /** Mostly one that is allowed. */
  #limited(allowed: readonly string[]): string {
    return this.#random.chance(30) ? this.#random.of(beyond) : this.#random.of(allowed);
  }

  #device(): string {
    const kernel = `kernel.def hurt(x: in view<f32>, y: out view<f32>, s: inout view<f32>, n: i32)`;
    return `${kernel} workgroup(${this.#limited(lanes)}) {
shared a : f32[${this.#limited(shareds)}]
${this.#many(4, () => this.#kernelStatement(2))}
}
command.def export command(x: root, y: root, s: root) {
workspace w : f32[${this.#limited(counts)}]
workspace zero z : f32[${this.#limited(counts)}]
${this.#many(3, () => this.#dispatch())}
}`;
  }

  #dispatch(): string {
    const random = this.#random;
    const view = `x.view<f32>(${this.#limited(offsets)}, ${this.#limited(counts)})`;
    const input = random.chance(2) ? 'x' : view;
    const output = random.of(['y', 'w']);
    const state = random.of(['s', 'z']);
    const grid = Array.from({ length: 1 + random.below(3) }, () =>
      random.chance(4) ? 'word(x, 0)' : this.#limited(extents),
    );
    return `dispatch hurt(${input}, ${output}, ${state}, ${random.of(scalars)}) grid(${grid.join(', ')})`;
  }

  #kernelStatement(depth: number): string {
    const random = this.#random;
    const e = () => this.#narrow();
    const body = () => this.#many(3, () => this.#laneStatement(1));
    const name = `i${random.below(1e6)}`;
    const choices = [
      () => `parallel ${name} in ${e()}..${e()} {\n${body()}\n}`,
      () => `parallel ${name} in 0..${random.of(['4', '256', '65536'])} {\n${body()}\n}`,
      () => `once {\n${body()}\n}`,
      () => `if n > ${e()} { return }`,
      () => `let t${random.below(1e6)} = a.reduce_add()`,
      () => `let u${random.below(1e6)} = x[${e()}] + a[${e()}]`,
    ];
    if (depth === 0) return random.of(choices)();
    const nested = this.#kernelStatement(depth - 1);
    return random.of([
      ...choices,
      () => `for ${name} in ${e()}..${e()}${random.of(steps)} {\n${nested}\n}`,
    ])();
  }

  #laneStatement(depth: number): string {
    const random = this.#random;
    const e = () => this.#narrow();
    const name = `j${random.below(1e6)}`;
    if (depth > 0 && random.chance(3)) {
      const body = this.#many(2, () => this.#laneStatement(depth - 1));
      return `for ${name} in ${e()}..${e()}${random.of(steps)} {\n${body}\n}`;
    }
    return random.of([
      () => `y[${e()}] = x[${e()}]`,
      () => `y[${e()}] = f32(${e()} / ${e()})`,
      () => `s[${e()}] = s[${e()}] + 1.0`,
      () => `a[${e()}] = x[${e()}]`,
      () => `y[0] = x.tile<${random.of(['1', '4', '64', '262144'])}>(${e()})[${e()}]`,
      () => `y[1] = x.slice(${e()}, ${e()})[${e()}]`,
      () => `let k${name} = x.take<${random.of(['1', '4', '64'])}>(${e()}, ${e()})`,
      () => `y[2] = vec4(x, ${e()}).sum()`,
      () => `y[3] = f32(i32(x[${e()}] * 1e30))`,
    ])();
  }
}

/** One program in one file: entry `main` for hosts, command `hostile.command`. */
export const hostileProgram = (random: Random): string => new HostileMaker(random).text();
