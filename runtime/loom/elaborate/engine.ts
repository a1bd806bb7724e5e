/** Ties the rules together: what a frame calls when it meets an expression, a block or a type. */
import { evaluate } from './expressions.js';
import { Session } from './session.js';
import type { Engine } from './session.js';
import type { Catalog } from './catalog.js';
import type { Configuration } from './configuration.js';
import { elaborateStatements } from './statements.js';
import { resolveTerm } from './type-resolution.js';

const engine: Engine = { evaluate, statements: elaborateStatements, term: resolveTerm };

export const openSession = (catalog: Catalog, configuration: Configuration): Session =>
  new Session(catalog, configuration, engine);
