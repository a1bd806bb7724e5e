/**
 * One elaboration: the catalog and configuration it works on, the diagnostics it finds, what it
 * read (config keys and device facts: they go into cache keys), and caches of declarations that are
 * resolved once. The `engine` ties the files of rules together without import cycles.
 */
import { DiagnosticSink } from '../diagnostics.js';
import type { Block, Expr, TypeExpr } from '../tree.js';
import type { LayoutType, RecordType } from '../typed.js';
import type { Catalog, Declaration } from './catalog.js';
import { placeOf } from './catalog.js';
import type { Configuration } from './configuration.js';
import type { Frame } from './frame.js';
import { Poisoned, Problem } from './problem.js';
import type { BankType, Term } from './types.js';
import type { Value } from './value.js';

export interface Engine {
  evaluate(frame: Frame, expr: Expr): Value;
  statements(frame: Frame, block: Block): void;
  term(frame: Frame, expr: TypeExpr): Term;
}

/** Limits of LOOM 14 that elaboration enforces. */
export const elaborationLimits = {
  templateDepth: 32,
  instances: 4096,
  kernelNodes: 200_000,
  inlineNodes: 4096,
  unroll: 64,
  sharedBytes: 16_384,
  lanes: 256,
  registers: 64,
  dispatches: 8192,
  bankFields: 65_536,
  tileBytes: 1024 * 1024,
  gridExtent: 65_535,
  arrayElements: 1_048_576,
  roots: 8,
  /** Nodes of a command program while it is written out. */
  commandNodes: 2_000_000,
  /** Declarations that resolve inside one another. */
  references: 256,
  /** Elements of an array value on the host; more belongs into a buffer. */
  hostArray: 4096,
} as const;

const hasParameters: ReadonlySet<string> = new Set(['func', 'kernel', 'command']);

export class Session {
  readonly catalog: Catalog;
  readonly configuration: Configuration;
  readonly engine: Engine;
  readonly sink = new DiagnosticSink();
  readonly configRead = new Set<string>();
  readonly factsRead = new Set<string>();
  /** Declarations that were reached, by id: the closure. */
  readonly reached = new Map<string, Declaration>();
  readonly constants = new Map<string, Value>();
  readonly layouts = new Map<string, LayoutType>();
  readonly records = new Map<string, RecordType>();
  readonly banks = new Map<string, BankType>();
  readonly instances = new Set<string>();
  readonly #resolving: Declaration[] = [];
  readonly #failed = new Set<Declaration>();

  constructor(catalog: Catalog, configuration: Configuration, engine: Engine) {
    this.catalog = catalog;
    this.configuration = configuration;
    this.engine = engine;
    this.sink.reportAll(catalog.diagnostics);
  }

  /** Records a problem; anything else passes on. */
  record(error: unknown, frame: Frame | null = null): void {
    if (error instanceof Poisoned) return;
    if (!(error instanceof Problem)) throw error;
    this.sink.report(error.diagnostic(frame?.instances ?? []));
  }

  reach(declaration: Declaration): void {
    this.reached.set(declaration.id, declaration);
  }

  /** Runs `action` for a declaration; a reference cycle is an error that shows the whole way. */
  resolving<T>(declaration: Declaration, action: () => T): T {
    if (this.#failed.has(declaration)) throw new Poisoned();
    const start = this.#resolving.indexOf(declaration);
    if (start >= 0) {
      const way = this.#resolving.slice(start);
      const names = [...way, declaration].map((entry) => entry.decl.name).join(' -> ');
      const related = way
        .slice(1)
        .map((entry) => placeOf(entry, `'${entry.decl.name}' is on the way`));
      const place = { file: declaration.file.file, at: declaration.decl.at };
      throw new Problem(place, `'${declaration.name}' refers to itself: ${names}`, { related });
    }
    if (this.#resolving.length >= elaborationLimits.references) {
      const place = { file: declaration.file.file, at: declaration.decl.at };
      const limit = elaborationLimits.references;
      throw new Problem(place, `declarations refer to each other more than ${limit} deep`);
    }
    this.reach(declaration);
    this.#resolving.push(declaration);
    try {
      return action();
    } catch (error) {
      // A value that failed once fails for all; a function may fail by its arguments only.
      if (!hasParameters.has(declaration.decl.kind)) this.#failed.add(declaration);
      throw error;
    } finally {
      this.#resolving.pop();
    }
  }

  /** Counts a template instance against the limit. */
  instance(key: string, declaration: Declaration): void {
    this.instances.add(key);
    if (this.instances.size <= elaborationLimits.instances) return;
    const place = { file: declaration.file.file, at: declaration.decl.at };
    throw new Problem(place, `more than ${elaborationLimits.instances} template instances`);
  }
}
