import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hostedBytes } from '../../../runtime/memory/hosted-bytes.js';

const BYTES = 24;
const part = fc.tuple(fc.nat(BYTES), fc.nat(BYTES)).map(([a, b]) => {
  return { offset: Math.min(a, b), length: Math.abs(a - b) };
});
const upload = fc.record({ buffer: fc.nat(1), at: part, first: fc.integer({ min: 1, max: 99 }) });

test('a hosted root has the bytes that were uploaded to it, the last one last, and zeros', () => {
  const roots = [true, false].map((hosted, index) => {
    return { name: `root${index}`, access: 'in', hosted, bytesMin: 0 } as const;
  });
  const info = { name: 'p', roots, bankFields: [], workspaceBytes: 0, parts: 1 };
  fc.assert(
    fc.property(fc.array(upload, { maxLength: 5 }), part, (asked, root) => {
      const uploads = asked.map(({ buffer, at, first }) => ({
        target: { buffer, ...at },
        bytes: new Uint8Array(at.length).map((_, i) => first + i),
      }));
      const ranges = [
        { buffer: 0, ...root },
        { buffer: 1, ...root },
      ];
      const found = hostedBytes({ ...info, scratchBytes: 0, steps: [] }, ranges, uploads);
      const expected = Array.from({ length: root.length }, (_, i) => {
        const place = root.offset + i;
        const last = asked.findLast(({ buffer, at }) => {
          return buffer === 0 && place >= at.offset && place < at.offset + at.length;
        });
        return last ? last.first + place - last.at.offset : 0;
      });
      assert.equal([...found[0]!], expected);
      assert.is(found[1], null, 'nobody reads words of it');
    }),
  );
});

test.run();
