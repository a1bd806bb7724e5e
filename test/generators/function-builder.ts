/** Host functions and programs, made by hand: locals by name, parameters first. */
import type {
  Block,
  CapabilityImport,
  Expr,
  HostFunction,
  HostProgram,
  Local,
  Type,
} from '../../runtime/loom/typed.js';
import { site, type Variable } from './typed-expressions.js';

export class Locals {
  readonly locals: Local[] = [];

  local(name: string, type: Type): Variable {
    const id = this.locals.push({ name, type }) - 1;
    return {
      id,
      type,
      get get(): Expr {
        return { op: 'local', local: id, type, site: site() };
      },
    };
  }
}

/** Parameters must be declared before other locals. */
export class FunctionBuilder extends Locals {
  readonly name: string;
  #params = 0;

  constructor(name: string) {
    super();
    this.name = name;
  }

  param(name: string, type: Type): Variable {
    this.#params += 1;
    return this.local(name, type);
  }

  build(results: readonly Type[], body: Block): HostFunction {
    return {
      name: this.name,
      exported: true,
      site: site(),
      params: this.#params,
      locals: this.locals,
      results,
      body,
    };
  }
}

export function hostProgram(
  functions: readonly HostFunction[],
  extra: Partial<Pick<HostProgram, 'imports' | 'symbols' | 'checks'>> = {},
): HostProgram {
  return {
    files: ['test.loom'],
    functions,
    imports: extra.imports ?? [],
    symbols: extra.symbols ?? [],
    entries: Object.fromEntries(functions.map((func, index) => [func.name, index])),
    checks: extra.checks ?? [],
  };
}

export function importOf(
  name: string,
  params: readonly Type[],
  results: readonly Type[],
): CapabilityImport {
  const dot = name.indexOf('.');
  return { module: name.slice(0, dot), name: name.slice(dot + 1), params, results, site: site() };
}
