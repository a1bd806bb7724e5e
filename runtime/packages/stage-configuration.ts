/**
 * Configuration as one stage sees it: what is bound for the package, and over it what the stage
 * bound itself. Every error names the stage, and the key where one is at fault.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import { bindConfiguration } from '../loom/elaborate/configuration.js';
import type { Configuration } from '../loom/elaborate/configuration.js';
import type { Bindings, StageDeclaration } from './artefacts.js';

export interface StageContext {
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly declaration: StageDeclaration;
}

export function stageConfiguration(catalog: Catalog, context: StageContext): Configuration {
  const { bindings, facts, declaration } = context;
  const whole = bindConfiguration(catalog, bindings);
  const own = named(declaration, () => bindConfiguration(catalog, declaration.config));
  return { target: facts, bindings: new Map([...whole, ...own]) };
}

/** Checks roots and keys of all declarations of `prepare`, before anything is compiled. */
export function checkDeclarations(
  catalog: Catalog,
  context: Omit<StageContext, 'declaration'> & {
    readonly declarations: readonly StageDeclaration[];
  },
): void {
  const { declarations, ...rest } = context;
  if (declarations.length === 0) {
    throw new StatusError('invalidArgument', "'prepare' of the package declares no stage", {
      where: 'prepare',
    });
  }
  for (const declaration of declarations) {
    named(declaration, () => checkRoot(catalog, declaration));
    stageConfiguration(catalog, { ...rest, declaration });
  }
}

/** A command is declared with `stage`, a kernel with `dispatch`, or named by a policy. */
export function checkRoot(catalog: Catalog, { kind, symbol }: StageDeclaration): void {
  const found = catalog.find(symbol.name)?.decl.kind;
  const wanted = kind === 'command' ? 'command' : 'kernel';
  if (found === wanted) return;
  const function_ = declaredBy[kind];
  const isRoot = kind !== 'loader' && (found === 'kernel' || found === 'command');
  const hint = isRoot ? `; use ${found === 'kernel' ? 'dispatch' : 'stage'}` : '';
  throw new StatusError(
    'invalidArgument',
    `${function_} takes a ${wanted}, and this is ${found === undefined ? 'not there' : `a ${found}`}${hint}`,
  );
}

const declaredBy = {
  command: 'prepare.stage',
  direct: 'prepare.dispatch',
  loader: 'a placement of a policy',
} as const;

/** Runs `action`; an operation's error gets the stage's name in front. */
export function named<Result>(declaration: StageDeclaration, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message, ...options } = error.status;
    throw new StatusError(code, `stage ${symbolText(declaration)}: ${message}`, options);
  }
}

/** `a.forward<4>`. */
export function symbolText({ symbol }: StageDeclaration): string {
  return symbol.args.length === 0 ? symbol.name : `${symbol.name}<${symbol.args.join(', ')}>`;
}
