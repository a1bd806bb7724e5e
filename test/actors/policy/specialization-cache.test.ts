/** The cache never gives up an entry in use, and beyond its capacity gives up the least recent. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { SpecializationCache } from '../../../actors/policy/specialization-cache.js';

test('surplus entries are unused, least recently used first, and down to the capacity', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 6 }), use: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 0, max: 3 }), (steps, capacity) => {
      const cache = new SpecializationCache(capacity);
      const users = new Map<string, number>();
      const order: string[] = [];
      for (const { key, use } of steps) {
        const name = `k${key}`;
        const count = users.get(name) ?? 0;
        if (use) {
          cache.use(name);
          users.set(name, count + 1);
          order.splice(0, order.length, ...order.filter((other) => other !== name), name);
        } else if (count > 0) {
          cache.release(name);
          users.set(name, count - 1);
        }
        const idle = order.filter((other) => users.get(other) === 0);
        assert.equal(cache.surplus(), idle.slice(0, Math.max(0, users.size - capacity)));
        for (const gone of cache.surplus()) {
          cache.forget(gone);
          users.delete(gone);
          order.splice(order.indexOf(gone), 1);
        }
        assert.equal(cache.keys().sort(), [...users.keys()].sort());
      }
    }),
  );
});

test.run();
