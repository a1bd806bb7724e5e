/**
 * The form that a request asks for, as a program. Cheap: its time and its size are bounded by those
 * of the schema, which is refused where it is too large, says something that is not kept, or has no
 * text at all. The subset of JSON Schema is stated in README.md.
 */
import { StatusError } from '../../base/errors.js';
import type { Grammar } from '../../profiles/text.js';
import { END, framesMax } from './grammar-program.js';
import type { GrammarProgram } from './grammar-program.js';
import { JsonText } from './json-text.js';
import { levelsOf } from './levels.js';
import { ProgramBuilder } from './program-builder.js';
import { SchemaRules } from './schema-rules.js';
import { checkSize } from './schema-size.js';

/** Throws `invalidArgument` with the keyword at fault as its parameter. */
export function compileGrammar(grammar: Grammar): GrammarProgram {
  const builder = new ProgramBuilder();
  if (grammar.kind === 'schema') checkSize(grammar.schema);
  const rule =
    grammar.kind === 'json'
      ? new JsonText(builder).object(END)
      : new SchemaRules(builder, grammar.schema).compile();
  const start = builder.space(rule);
  const { nodes } = builder;
  const levels = levelsOf(nodes);
  if (levels[start]! <= framesMax) return { key: JSON.stringify(grammar), nodes, start, levels };
  throw new StatusError(
    'invalidArgument',
    `no text is of the schema: what it requires excludes itself, never ends, or nests deeper than ${framesMax} levels`,
    { param: 'response_format.json_schema.schema' },
  );
}
