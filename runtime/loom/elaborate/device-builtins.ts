/** Built-in functions that exist in kernels only. */
import { NOTHING } from './call.js';
import type { Builtin } from './call.js';
import { put4, vec4Load } from './device-places.js';
import { argmax } from './reductions.js';

export const deviceBuiltins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['reduce_argmax', argmax],
  [
    'vec4',
    (call) => {
      call.counts(2);
      return vec4Load(call.frame, call.value(0), call.value(1), call.at);
    },
  ],
  [
    'put4',
    (call) => {
      call.counts(3);
      call.statement();
      put4(call.frame, call.value(0), [call.value(1), call.value(2)], call.at);
      return NOTHING;
    },
  ],
]);
