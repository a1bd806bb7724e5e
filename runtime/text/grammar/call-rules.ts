/**
 * Calls of functions, in the form of the package: one at least, each of a function that was
 * offered, with arguments that are a JSON object of its schema.
 */
import { assert, StatusError } from '../../base/errors.js';
import type { CalledFunction, CallGrammar } from '../../profiles/text.js';
import { END } from './grammar-program.js';
import type { JsonText } from './json-text.js';
import { literals } from './literal-tree.js';
import { isRecord, refused } from './schema-keywords.js';
import { SchemaRules } from './schema-rules.js';

/** Of one answer. */
const callsMax = 32;

export function callRules(text: JsonText, { functions, isSingle, form }: CallGrammar): number {
  assert(form !== null, "a package's form of calls");
  const { builder } = text;
  const { begin, middle, end, between } = form;
  const close = builder.text(end, END);
  const call = literals(
    builder,
    functions.map((called) => ({
      text: begin + called.name + middle,
      next: builder.call(argumentsOf(text, called), close),
    })),
  );
  if (isSingle || between === null) return call;
  const another = builder.text(between, call);
  const more = builder.repeat({ entry: another, min: 0, max: callsMax - 1, next: END });
  return builder.call(call, more);
}

/** A schema that cannot be held to leaves states behind that nothing leads to; they count. */
function argumentsOf(text: JsonText, called: CalledFunction): number {
  const { parameters, place, isStrict } = called;
  if (parameters === null) return text.object(END);
  try {
    checkObject(parameters, place);
    return new SchemaRules(text, parameters, place).compile();
  } catch (error) {
    if (isStrict || !(error instanceof StatusError)) throw error;
    return text.object(END);
  }
}

function checkObject(schema: unknown, path: string): void {
  if (isRecord(schema) && schema['type'] === 'object') return;
  throw refused({ path }, 'type', 'must be "object": arguments have names');
}
