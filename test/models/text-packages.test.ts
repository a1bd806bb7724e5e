/**
 * Everything that models/tiny-text and models/sequence bring along to be checked passes, and their
 * cases say what the oracles say: turns one after another, without a server.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../runtime/packages/check-package.js';
import type { Generate } from '../../runtime/packages/check-text-request.js';
import { LocalLauncher } from '../../runtime/packages/local-launcher.js';
import { TextPreparer } from '../../runtime/packages/text-preparer.js';
import { sequenceOracle } from '../oracles/sequence.js';
import { continued, END } from '../oracles/tiny-text.js';
import { modelPackage } from '../runtime/packages/reference-model.js';
import { EpochBench } from './epoch-bench.js';

/** A row at the start of the storage, for one turn at a time. */
function generator(bench: EpochBench): Generate {
  const { control, geometry, model } = bench;
  const preparer = new TextPreparer(model, bench.tokenizer);
  const isSequence = model.document.profile === 'sequence';
  return async ({ prompt, maxTokens, stop, sampling }) => {
    const turn = control.bind(sampling);
    const ids = preparer.promptIds(prompt);
    const [outputs, captures]: [number[], Uint8Array[]] = [[], []];
    const most = maxTokens ?? geometry.context;
    const textOf = (): string => preparer.detokenize(outputs.filter((id) => id !== END));
    const stopped = (): string | undefined => stop.find((each) => textOf().includes(each));
    const answer = (text: string, finish: string) => {
      const captured = isSequence ? new Uint8Array(Buffer.concat(captures)) : null;
      return { ids: outputs, text, finish, captured };
    };
    for (let done = 0; done < ids.length;) {
      const part = ids.slice(done, done + geometry.tokens);
      const isLast = done + part.length === ids.length;
      const span = {
        ...{ row: 0, state: 0, first: done, ids: part, drafts: 0, bound: turn.bound, mask: null },
        selects: isLast && !isSequence && outputs.length < most,
        pages: Array.from({ length: Math.ceil((done + part.length) / 4) }, (_, page) => page),
        counter: outputs.length,
        history: turn.history === 0 ? [] : outputs.slice(-turn.history),
        seed: BigInt(sampling.seed ?? 0),
      };
      const epoch = bench.run([span], done === 0 ? [{ kind: 'clear', state: 0 }] : []);
      captures.push(...epoch.captured);
      done += part.length;
      const { selected } = epoch.results[0]!;
      if (selected === null) continue;
      outputs.push(selected);
      ids.push(selected);
      const found = stopped();
      if (found !== undefined) return answer(textOf().split(found)[0]!, 'stop');
      if (selected === END) return answer(textOf(), 'stop');
      if (outputs.length === most) break;
    }
    return answer(isSequence ? '' : textOf(), 'length');
  };
}

for (const name of ['tiny-text', 'sequence']) {
  test(`${name}: functions, cases and scenarios`, async () => {
    const { document, files } = modelPackage(name);
    const items = await checkPackage({
      ...{ document, files, generate: generator(new EpochBench(name)) },
      ...{ launchers: [new LocalLauncher()], pause: async () => undefined },
      infer: async () => {
        throw new Error('no cohorts here');
      },
    });
    assert.equal(
      items.filter(({ outcome }) => outcome !== 'passed'),
      [],
    );
    for (const kind of ['function', 'case', 'scenario']) {
      assert.ok(
        items.some((item) => item.kind === kind),
        kind,
      );
    }
  });
}

interface TextCase {
  readonly request: { readonly prompt?: string | number[]; readonly max_tokens?: number };
  readonly expect: { readonly ids?: number[]; readonly rows?: number[][] };
}

test('what cases expect is what the oracles say', () => {
  let checked = 0;
  for (const name of ['tiny-text', 'sequence']) {
    const { files } = modelPackage(name);
    for (const file of files.list('cases')) {
      const text = new TextDecoder().decode(files.read(`cases/${file}`));
      const { request, expect } = JSON.parse(text) as TextCase;
      const { prompt = [], max_tokens: most = 0 } = request;
      const ids = typeof prompt === 'string' ? [...new TextEncoder().encode(prompt)] : prompt;
      if (expect.ids) assert.equal(expect.ids, continued(ids, most));
      if (expect.rows) assert.equal(expect.rows.flat(), [...sequenceOracle(ids)]);
      if (expect.ids ?? expect.rows) checked += 1;
    }
  }
  assert.ok(checked >= 3);
});

test.run();
