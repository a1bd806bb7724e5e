/**
 * Random texts of a schema, in the ways of writing that the server states: declared order, bounded
 * white space, any escapes. Made from the schema's meaning, with no automaton.
 */
export interface Chooser {
  below(count: number): number;
  of<T>(options: readonly T[]): T;
  chance(oneIn: number): boolean;
}

type Keywords = Readonly<Record<string, unknown>>;

const spaces = ['', '', '', ' ', '\n', '\n  ', '\n\t\t'];

export class JsonTexts {
  readonly #choose: Chooser;
  readonly #root: unknown;

  constructor(choose: Chooser, root: unknown) {
    this.#choose = choose;
    this.#root = root;
  }

  whole(): string {
    return this.#space() + this.of(this.#root, 4);
  }

  /** `depth`: beyond it, the shortest of a kind. */
  of(schema: unknown, depth: number): string {
    if (typeof schema === 'boolean') return this.#any(depth);
    const of = schema as Keywords;
    if (typeof of['$ref'] === 'string') {
      const name = of['$ref'].split('/').at(-1)!;
      return this.of((this.#root as { $defs: Keywords }).$defs[name], depth - 1);
    }
    const parts = (of['anyOf'] ?? of['oneOf'] ?? of['allOf']) as readonly unknown[] | undefined;
    if (parts !== undefined) return this.of(depth <= 0 ? parts[0] : this.#choose.of(parts), depth);
    if ('const' in of) return JSON.stringify(of['const']);
    if ('enum' in of) return JSON.stringify(this.#choose.of(of['enum'] as readonly unknown[]));
    const type = [of['type'] ?? 'any'].flat().map(String);
    return this.#kind(this.#choose.of(type), of, depth);
  }

  #kind(type: string, of: Keywords, depth: number): string {
    const choose = this.#choose;
    switch (type) {
      case 'null':
        return 'null';
      case 'boolean':
        return choose.of(['true', 'false']);
      case 'integer':
        return this.#integer(of);
      case 'number':
        return this.#number(of);
      case 'string':
        return this.#string(of['minLength'], of['maxLength']);
      case 'array':
        return this.#array(of, depth);
      case 'object':
        return this.#object(of, depth);
      default:
        return this.#any(depth);
    }
  }

  #any(depth: number): string {
    const kinds = ['null', 'boolean', 'integer', 'number', 'string'];
    return this.#kind(
      this.#choose.of(depth <= 0 ? kinds : [...kinds, 'array', 'object']),
      {},
      depth,
    );
  }

  #integer({ minimum, exclusiveMaximum }: Keywords): string {
    const low = typeof minimum === 'number' ? Math.ceil(minimum) : null;
    const high = typeof exclusiveMaximum === 'number' ? Math.ceil(exclusiveMaximum) - 1 : null;
    if (low === null && high === null) return this.#choose.of(['-0', '0', '-17', '9'.repeat(20)]);
    const from = low ?? high! - 5000;
    return String(from + this.#choose.below((high ?? from + 5000) - from + 1));
  }

  #number(of: Keywords): string {
    const low = (of['minimum'] ?? of['exclusiveMinimum'] ?? null) as number | null;
    const high = (of['maximum'] ?? of['exclusiveMaximum'] ?? null) as number | null;
    const choose = this.#choose;
    if (low === null && high === null) {
      return choose.of(['-0.0', '12.50', '1e9', '-3.25E-07', '6e+99', '0', '10000']);
    }
    // Halves and quarters are exact, and strictly between whole ends.
    const from = low ?? high! - 100;
    const whole = choose.chance(2) ? 0 : choose.below((high ?? from + 100) - from);
    const value = from + whole + choose.of([0.25, 0.5]);
    const isOpen = 'exclusiveMinimum' in of || 'exclusiveMaximum' in of;
    return choose.of([String(value), value.toFixed(2), value.toFixed(isOpen ? 7 : 20)]);
  }

  #string(least: unknown, most: unknown): string {
    const min = typeof least === 'number' ? least : 0;
    const max = typeof most === 'number' ? most : min + 4;
    const length = min + this.#choose.below(max - min + 1);
    return `"${Array.from({ length }, () => this.#character()).join('')}"`;
  }

  #character(): string {
    const plain = ['a', ' ', 'Z', '7', '/', '}', ',', 'é', '本', '𝄞', '\u007f', '\ud7ff', '\ue000'];
    const escaped = [
      '\\n',
      '\\"',
      '\\\\',
      '\\/',
      '\\u0041',
      '\\uFFFf',
      '\\ud834\\uDD1e',
      '\\ud7FF',
    ];
    return this.#choose.of(this.#choose.chance(3) ? escaped : plain);
  }

  #array(of: Keywords, depth: number): string {
    const min = (of['minItems'] ?? 0) as number;
    const max = (of['maxItems'] ?? min + 3) as number;
    const places = (of['prefixItems'] ?? []) as readonly unknown[];
    const length = depth <= 0 ? min : min + this.#choose.below(max - min + 1);
    const items = Array.from({ length }, (_, at) =>
      this.of(places[at] ?? of['items'] ?? true, depth - 1),
    );
    return this.#list('[', items, ']');
  }

  #object(of: Keywords, depth: number): string {
    const choose = this.#choose;
    const declared = (of['properties'] ?? {}) as Keywords;
    const required = (of['required'] ?? []) as readonly string[];
    const members = Object.entries(declared)
      .filter(([name]) => required.includes(name) || (depth > 0 && choose.chance(2)))
      .map(([name, one]) => this.#member(JSON.stringify(name), one, depth));
    const others = of['additionalProperties'] ?? !('properties' in of);
    if (others !== false && depth > 0) {
      const more = ['"other"', '"a b"', '"abc"', '"naïv"', '"本本"', '"zü𝄞"', '"{"'];
      const kept = more.filter(() => choose.chance(5));
      members.push(...kept.map((key) => this.#member(key, others, depth)));
    }
    return this.#list('{', members, '}');
  }

  #member(key: string, schema: unknown, depth: number): string {
    return `${key}:${this.#choose.of(['', ' '])}${this.of(schema, depth - 1)}`;
  }

  #list(open: string, parts: readonly string[], close: string): string {
    const inner = parts.map((part) => this.#space() + part).join(',');
    return open + inner + this.#space() + close;
  }

  #space(): string {
    return this.#choose.of(spaces);
  }
}
