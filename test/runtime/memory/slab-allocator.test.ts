import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALIGNMENT, roundUp, SlabAllocator } from '../../../runtime/memory/slab-allocator.js';

type Step =
  | { readonly op: 'allocate'; readonly bytes: number }
  | { readonly op: 'release'; readonly choice: number; readonly deployment: string }
  | { readonly op: 'extend'; readonly units: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        op: fc.constant('allocate' as const),
        bytes: fc.integer({ min: 1, max: 2000 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        op: fc.constant('release' as const),
        choice: fc.nat(1000),
        deployment: fc.constantFrom('a', 'b'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('extend' as const), units: fc.nat(8) }) },
  ),
  { maxLength: 80 },
);

/** The naive model: one entry a unit of 256 bytes, with its holder and whose bytes it may hold. */
class Model {
  readonly units: { holder: number | null; residues: Set<string> }[] = [];

  runs(): { start: number; length: number }[] {
    const runs: { start: number; length: number }[] = [];
    this.units.forEach(({ holder }, index) => {
      if (holder !== null) return;
      const last = runs.at(-1);
      if (last && last.start + last.length === index) last.length += 1;
      else runs.push({ start: index, length: 1 });
    });
    return runs;
  }
}

test('agrees with a naive model under any sequence of steps', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const allocator = new SlabAllocator();
      const model = new Model();
      const held = new Map<number, { start: number; length: number }>();
      let id = 0;
      for (const step of sequence) {
        if (step.op === 'extend') {
          for (let i = 0; i < step.units; i += 1)
            model.units.push({ holder: null, residues: new Set() });
          allocator.extend(model.units.length * ALIGNMENT);
        } else if (step.op === 'allocate') {
          const need = roundUp(step.bytes) / ALIGNMENT;
          const fits = model.runs().filter(({ length }) => length >= need);
          const placement = allocator.allocate(step.bytes);
          assert.is(placement !== null, fits.length > 0);
          if (!placement) continue;
          const start = placement.offset / ALIGNMENT;
          const smallest = Math.min(...fits.map(({ length }) => length));
          assert.ok(
            fits.some((run) => run.start === start && run.length === smallest),
            'best fit',
          );
          const units = model.units.slice(start, start + need);
          assert.is(placement.length, need * ALIGNMENT);
          checkResidue(placement.residue, units);
          for (const unit of units) unit.holder = id;
          held.set(id, { start, length: need });
          id += 1;
        } else if (held.size > 0) {
          const [key, { start, length }] = [...held][step.choice % held.size]!;
          allocator.release(start * ALIGNMENT, step.deployment);
          for (const unit of model.units.slice(start, start + length)) {
            unit.holder = null;
            unit.residues = new Set([step.deployment]);
          }
          held.delete(key);
        }
        assert.equal(
          allocator
            .freeRanges()
            .map(({ offset, length }) => [offset / ALIGNMENT, length / ALIGNMENT]),
          model.runs().map(({ start, length }) => [start, length]),
          'free ranges, coalesced',
        );
      }
      const used = [...held.values()].reduce((sum, { length }) => sum + length, 0);
      assert.is(allocator.usedBytes, used * ALIGNMENT);
    }),
    { numRuns: 300 },
  );
});

/** The residue may name more than what is there, never less. */
function checkResidue(residue: string, units: readonly { residues: ReadonlySet<string> }[]): void {
  const there = new Set(units.flatMap(({ residues }) => [...residues]));
  if (residue === 'mixed') return;
  for (const deployment of there) assert.is(residue, `of ${deployment}`);
}

test('one deployment reuses its own bytes uncleared, also next to fresh ones', () => {
  const allocator = new SlabAllocator();
  allocator.extend(1024);
  const first = allocator.allocate(256)!;
  assert.is(first.residue, 'clean');
  allocator.release(first.offset, 'a');
  const whole = allocator.allocate(1024)!;
  assert.is(whole.residue, 'of a');
  allocator.release(whole.offset, 'b');
  assert.is(allocator.allocate(256)!.residue, 'of b');
});

test('two deployments side by side make a mixed range', () => {
  const allocator = new SlabAllocator();
  allocator.extend(512);
  const [left, right] = [allocator.allocate(256)!, allocator.allocate(256)!];
  allocator.release(left.offset, 'a');
  allocator.release(right.offset, 'b');
  assert.is(allocator.allocate(512)!.residue, 'mixed');
});

test('releasing what is not handed out is a bug', () => {
  const allocator = new SlabAllocator();
  allocator.extend(512);
  const { offset } = allocator.allocate(1)!;
  allocator.release(offset, 'a');
  assert.throws(() => allocator.release(offset, 'a'), /to be released once/);
});

test.run();
