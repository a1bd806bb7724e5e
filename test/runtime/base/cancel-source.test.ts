/** A source behaves as the `AbortSignal` of a controller does, as far as anyone here uses one. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CancelSource, type CancelSignal } from '../../../runtime/base/cancel-source.js';

type Step = { readonly op: 'listen' | 'forget' | 'abort'; readonly who: number };

const steps = fc.array(
  fc.record({
    op: fc.constantFrom('listen', 'listen', 'forget', 'abort'),
    who: fc.nat({ max: 3 }),
  }) as fc.Arbitrary<Step>,
  { maxLength: 12 },
);

function play(signal: CancelSignal, abort: () => void, script: readonly Step[]): string[] {
  const said: string[] = [];
  const listeners = [0, 1, 2, 3].map((who) => () => void said.push(`${who} heard`));
  const listening = new Set<number>();
  for (const { op, who } of script) {
    const listener = listeners[who]!;
    // A controller takes a listener once however often it is added; nobody here adds one twice.
    if (op === 'listen' && !listening.has(who)) {
      signal.addEventListener('abort', listener, { once: true });
      listening.add(who);
    } else if (op === 'forget') {
      signal.removeEventListener('abort', listener);
      listening.delete(who);
    } else if (op === 'abort') abort();
    said.push(String(signal.aborted));
  }
  return said;
}

test('it says what a controller says, in every order of calls', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const source = new CancelSource();
      const controller = new AbortController();
      assert.equal(
        play(source, () => source.abort(), script),
        play(controller.signal, () => controller.abort(), script),
      );
    }),
  );
});

test.run();
