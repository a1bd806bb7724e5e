/**
 * The form that a request asks for, as a program. Cheap: its time and its size are bounded by those
 * of the schema, which is refused where it is too large, says something that is not kept, or has no
 * text at all. The subset of JSON Schema is stated in README.md.
 */
import { StatusError } from '../../base/errors.js';
import type { Grammar, JsonGrammar } from '../../profiles/text.js';
import { callRules } from './call-rules.js';
import { END, framesMax } from './grammar-program.js';
import type { GrammarProgram } from './grammar-program.js';
import { JsonText } from './json-text.js';
import { levelsOf } from './levels.js';
import { ProgramBuilder } from './program-builder.js';
import { SchemaRules } from './schema-rules.js';
import { checkSize } from './schema-size.js';

const schemaPlace = 'response_format.json_schema.schema';

/** Throws `invalidArgument` with the keyword at fault as its parameter. */
export function compileGrammar(grammar: Grammar): GrammarProgram {
  checkGrammarSize(grammar);
  const isCalls = grammar.kind === 'calls';
  const param = isCalls ? 'tools' : schemaPlace;
  const isOneLine = isCalls && grammar.form?.isOneLine === true;
  const builder = new ProgramBuilder({ param, isOneLine });
  const rule = ruleOf(grammar, builder);
  const start = isOneLine ? rule : builder.space(rule);
  const { nodes } = builder;
  const levels = levelsOf(nodes);
  const asker = isCalls && grammar.orElse === null ? 'tool_choice' : 'response_format';
  if (levels[start]! <= framesMax) {
    return { key: JSON.stringify(grammar), asker, nodes, start, levels };
  }
  throw new StatusError(
    'invalidArgument',
    `no text is of the schema: what it requires excludes itself, never ends, or nests deeper than ${framesMax} levels`,
    { param },
  );
}

function ruleOf(grammar: Grammar, builder: ProgramBuilder): number {
  const text = new JsonText(builder);
  if (grammar.kind !== 'calls') return jsonRule(grammar, text);
  const calls = callRules(text, grammar);
  const { orElse } = grammar;
  return orElse === null ? calls : builder.split([calls, jsonRule(orElse, text)]);
}

function jsonRule(grammar: JsonGrammar, text: JsonText): number {
  if (grammar.kind === 'json') return text.object(END);
  return new SchemaRules(text, grammar.schema, schemaPlace).compile();
}

/** Before anything is made of it. */
export function checkGrammarSize(grammar: Grammar): void {
  if (grammar.kind === 'schema') checkSize(grammar.schema, schemaPlace);
  if (grammar.kind === 'calls') {
    const all = grammar.functions.map(({ parameters }) => parameters);
    checkSize(all, 'tools');
    if (grammar.orElse !== null) checkGrammarSize(grammar.orElse);
  }
}
