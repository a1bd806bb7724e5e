/**
 * One host function as one WebAssembly function. Results wait in locals for its only way out. The
 * depth of calls is counted by callers, so that an entry does not count itself.
 */
import { assert } from '../../base/errors.js';
import { valueTypeOf } from '../numeric/shape.js';
import { FunctionBody } from '../wasm/function-body.js';
import { emitHostBlock } from './emit-host-statement.js';
import { emitHostValue } from './emit-host-value.js';
import { hostFunctionType, type HostModule } from './host-module.js';
import type { HostScope } from './host-scope.js';

export function hostFunctionBody(module: HostModule, index: number): FunctionBody {
  const func = module.program.functions[index];
  assert(func, 'a function of the program');
  const code = new FunctionBody(hostFunctionType(func));
  const locals = func.locals.map((local, id) =>
    id < func.params ? id : code.local(valueTypeOf(local.type)),
  );
  const results = func.results.map((type) => code.local(valueTypeOf(type)));
  const scope: HostScope = {
    emit: {
      value: (expr) => emitHostValue(scope, expr),
      block: (block, site) => emitHostBlock(scope, block, site),
    },
    module,
    func,
    code,
    locals,
    results,
    exit: 0,
    labels: new Map(),
    loops: [],
  };
  scope.exit = code.block();
  emitHostBlock(scope, func.body, func.site);
  code.end();
  for (const local of results) code.get(local);
  return code;
}
