/** Results of a host call or capability: none is a statement, one a value, more go to locals. */
import type { Expr, Type } from '../typed.js';
import { NOTHING } from './call.js';
import type { Call } from './call.js';
import type { Value } from './value.js';

export function spread(call: Call, results: readonly Type[], make: (type: Type) => Expr): Value {
  const { frame, site } = call;
  const [only] = results;
  if (results.length === 1 && only !== undefined && !call.isStatement) {
    return { kind: 'expr', rank: 'uniform', expr: make(only) };
  }
  if (results.length === 0) call.statement();
  const locals = results.map((type, index) => frame.body.local(`result${index}`, type));
  frame.emit({ op: 'call', site, results: locals, call: make(only ?? { kind: 'void' }) });
  if (results.length === 0) return NOTHING;
  const items = locals.map((local) => frame.localValue(local, site, 'uniform'));
  return { kind: 'tuple', items };
}
