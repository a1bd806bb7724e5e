/**
 * Accumulation into `acc` views: other workers may touch the same element, so every operation is
 * atomic. Integers commute, hence the outcome does not depend on the order of workers.
 */
import type { Stmt } from '../../loom/typed.js';
import { emitPick } from '../numeric/intrinsic.js';
import { shapeOf } from '../numeric/shape.js';
import { FunctionBody } from '../wasm/function-body.js';
import { pushAddress } from './emit-address.js';
import type { KernelScope } from './kernel-scope.js';
import type { Place } from './place.js';

type Accumulate = Stmt & { readonly op: 'accumulate' };

export function emitAccumulateView(scope: KernelScope, stmt: Accumulate, place: Place): void {
  const { code, module } = scope;
  const { kind, value } = stmt;
  const { elem } = shapeOf(value.type);
  const offset = pushAddress(scope, place);
  if (kind === 'min' || kind === 'max') {
    code.i32(offset);
    code.op('i32.add');
    scope.emit.value(value);
    const unsigned = elem === 'u32';
    code.call(module.helper(`atomic_${kind}_${elem}`, () => pickBody(kind, unsigned)));
  } else {
    scope.emit.value(value);
    code.access(`i32.atomic.rmw.${kind}`, offset);
    code.op('drop');
  }
}

/** (address, value): replaces the word by the smaller or larger of both. */
function pickBody(kind: 'min' | 'max', unsigned: boolean): FunctionBody {
  const code = new FunctionBody({ params: ['i32', 'i32'], results: [] });
  const seen = code.local('i32');
  const found = code.local('i32');
  code.get(0);
  code.access('i32.atomic.load');
  code.set(seen);
  const loop = code.loop();
  code.get(0);
  code.get(seen);
  code.get(seen);
  code.get(1);
  emitPick(code, kind, { elem: unsigned ? 'u32' : 'i32', lanes: 1 });
  code.access('i32.atomic.rmw.cmpxchg');
  code.tee(found);
  code.get(seen);
  code.get(found);
  code.set(seen);
  code.op('i32.ne');
  code.brIf(loop);
  code.end();
  return code;
}
