/** Laws of cohort forming, over random arrivals: I10, unit bound, compatibility, nobody is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { Scheduler, type Offer } from '../../../actors/policy/scheduler.js';

const offer = (member: number, units: number, tag = 0n, alone = false): Offer => ({
  request: `r${member}`,
  member,
  units,
  tag,
  age: member,
  alone,
});

const offers = fc.array(
  fc.record({
    units: fc.integer({ min: 1, max: 10 }),
    tag: fc.bigInt({ min: 0n, max: 2n }),
    alone: fc.boolean(),
  }),
  { maxLength: 40 },
);

test('the oldest waiting member is in every cohort, which is compatible and within the units', () => {
  fc.assert(
    fc.property(offers, (list) => {
      const scheduler = new Scheduler();
      const waiting = list.map((item, i) => offer(i, item.units, item.tag, item.alone));
      for (const item of waiting) scheduler.offer(item);
      const served: number[] = [];
      while (scheduler.size > 0) {
        const oldest = waiting.find((item) => !served.includes(item.member))!;
        const cohort = scheduler.take(10);
        assert.is(cohort[0]!.member, oldest.member);
        assert.ok(cohort.reduce((sum, item) => sum + item.units, 0) <= 10);
        assert.ok(cohort.every((item) => item.tag === oldest.tag));
        assert.ok(cohort.length === 1 || cohort.every((item) => !item.alone));
        const order = cohort.map((item) => item.member);
        assert.equal(
          order,
          [...order].sort((a, b) => a - b),
        );
        served.push(...order);
      }
      assert.equal(
        served.sort((a, b) => a - b),
        waiting.map((item) => item.member),
      );
    }),
  );
});

test('a cohort takes every compatible member that still fits', () => {
  const scheduler = new Scheduler();
  for (const item of [offer(0, 4), offer(1, 9), offer(2, 3, 1n), offer(3, 5), offer(4, 2)]) {
    scheduler.offer(item);
  }
  assert.equal(
    scheduler.take(10).map((item) => item.member),
    [0, 3],
  );
  assert.equal(
    scheduler.take(10).map((item) => item.member),
    [1],
  );
});

test('withdrawn members never run, and one that comes back runs first, by its age', () => {
  const scheduler = new Scheduler();
  for (let i = 0; i < 4; i++) scheduler.offer(offer(i, 1));
  assert.is(scheduler.withdraw('r1'), 1);
  assert.is(scheduler.withdraw('r1'), 0);
  const [first] = scheduler.take(1);
  scheduler.offer({ ...first!, alone: true });
  assert.equal(
    scheduler.take(10).map((item) => item.member),
    [0],
  );
  assert.equal(
    scheduler.take(10).map((item) => item.member),
    [2, 3],
  );
});

test('offers wait by age, and of equal ages by arrival', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 30 }), (ages) => {
      const scheduler = new Scheduler();
      ages.forEach((age, i) => scheduler.offer({ ...offer(i, 1), age }));
      const expected = ages
        .map((age, i) => ({ age, i }))
        .sort((a, b) => a.age - b.age || a.i - b.i);
      assert.equal(
        scheduler.take(100).map((item) => item.member),
        expected.map(({ i }) => i),
      );
    }),
  );
});

test.run();
