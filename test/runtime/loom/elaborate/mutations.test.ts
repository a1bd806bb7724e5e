/**
 * Elaboration is total: whatever a text that parses says, it ends in diagnostics or in a program,
 * never in another error. Words of real programs are exchanged at random, which gives texts that
 * are nearly right in every place.
 */
import { readFileSync } from 'node:fs';
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Catalog } from '../../../../runtime/loom/elaborate/catalog.js';
import { defaultTarget } from '../../../../runtime/loom/elaborate/configuration.js';
import {
  elaborateChecks,
  elaborateHost,
  elaborateStage,
} from '../../../../runtime/loom/elaborate/elaborate.js';
import { verifyCatalog } from '../../../../runtime/loom/elaborate/verify.js';
import { parse } from '../../../../runtime/loom/syntax/parse.js';

const folder = 'test/runtime/loom/fixtures';
const files = ['first-output', 'kernels', 'llama', 'vad', 'ngram', 'epoch', 'placement'].map(
  (name) => [name, readFileSync(`${folder}/${name}.loom`, 'utf8')] as const,
);
const others = [
  '0',
  '2.5',
  '4294967295u',
  '"s"',
  '@k',
  'f32',
  'list',
  '<<',
  '&&',
  'return',
  'unroll',
  'shared',
  'inout',
];

/** Words of a text, with what lies between them. */
const wordsOf = (text: string): string[] => text.split(/(\/\/[^\n]*|"[^"\n]*"|\w+)/);

const change = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  other: fc.option(fc.constantFrom(...others), { nil: null }),
});

function mutated(
  text: string,
  changes: readonly { at: number; from: number; other: string | null }[],
): string {
  const words = wordsOf(text);
  const places = words
    .map((_, index) => index)
    .filter((index) => /^\w/.test(words[index] as string));
  const pick = (n: number): number => places[n % places.length] as number;
  for (const { at, from, other } of changes)
    words[pick(at)] = other ?? (words[pick(from)] as string);
  return words.join('');
}

test('nearly right programs end in diagnostics or in programs', () => {
  const configuration = { target: defaultTarget, bindings: new Map() };
  const property = fc.property(
    fc.nat(files.length - 1),
    fc.array(change, { minLength: 1, maxLength: 3 }),
    (which, changes) => {
      const inputs = files.map(([file, source], index) => {
        const text = index === which ? mutated(source, changes) : source;
        return { file, module: parse({ file, text }).module, source: text };
      });
      const catalog = new Catalog(inputs);
      verifyCatalog(catalog, configuration);
      const file = inputs[which]?.file ?? '';
      elaborateChecks(catalog, file, configuration);
      const host = elaborateHost(catalog, file, configuration);
      assert.is(host.program === null, host.diagnostics.length > 0);
      for (const declaration of catalog.exports.values()) {
        if (declaration.decl.kind !== 'command' || declaration.file.file !== file) continue;
        elaborateStage(catalog, { name: declaration.name, args: [] }, configuration);
      }
    },
  );
  fc.assert(property, { numRuns: 60, seed: 4711 });
});

test.run();
