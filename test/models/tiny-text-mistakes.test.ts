/**
 * Why models/tiny-text proves anything about a server: whatever a server that loses track could get
 * wrong changes what follows.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Span } from '../../runtime/profiles/text.js';
import { logProbabilities } from '../oracles/sampling.js';
import { continued, Replay } from '../oracles/tiny-text.js';
import { EpochBench } from './epoch-bench.js';
import { ScriptedRows } from './scripted-rows.js';

const bench = new EpochBench('tiny-text');
const { geometry } = bench;
const options = { topLogprobs: 20 };

/** A row whose prompt was read and whose first token waits. */
function pendingRow(prompt: string) {
  const rows = new ScriptedRows(bench);
  const row = rows.open([...new TextEncoder().encode(prompt)], { options, seed: 0n });
  while (rows.rows[row]!.outputs.length < 1) rows.epoch([{ row, take: 9 }]);
  return rows.rows[row]!;
}

/** A decode with one thing wrong: what a server that loses track would do. */
const mistakes: Readonly<Record<string, (span: Span) => Span>> = {
  'pages in another order': ({ pages: [first, second, ...rest], ...span }) => {
    return { ...span, pages: [second!, first!, ...rest] };
  },
  'a page of another row': (span) => ({ ...span, pages: [900, ...span.pages.slice(1)] }),
  'a frontier too far': (span) => ({ ...span, first: span.first + 1 }),
  'a frontier too near': (span) => ({ ...span, first: span.first - 1 }),
  'the state of another row': (span) => ({ ...span, state: 20 }),
  'a token that was read already': (span) => ({ ...span, ids: [span.ids[0]!, span.ids[0]!] }),
  'another pending token': (span) => ({ ...span, ids: [span.ids[0]! ^ 1] }),
};

for (const [name, mistake] of Object.entries(mistakes)) {
  test(`${name}: another token follows, mostly, and other likelihoods, always`, () => {
    let same = 0;
    for (let round = 0; round < 40; round += 1) {
      const { ids, done, pages, state, turn, outputs } = pendingRow(`prompt ${round}`);
      const span: Span = {
        ...{
          row: 0,
          state,
          first: done,
          ids: ids.slice(done),
          selects: true,
          drafts: 0,
          mask: null,
        },
        pages: [...pages, 800].slice(0, Math.ceil((done + 2) / geometry.pageTokens)),
        ...{ bound: turn.bound, counter: outputs.length, history: [], seed: 0n },
      };
      const [wrong] = bench.run([mistake(span)]).results;
      if (wrong!.selected === continued(ids, 1)[0]) same += 1;
      const exact = logProbabilities(new Replay(ids).scoresAt(done));
      const differs = wrong!.details.some(
        ({ id, logprob }) => Math.abs(logprob - exact[id]!) > 1e-3,
      );
      assert.ok(differs, `round ${round}`);
    }
    assert.ok(same < 10, `${same} of 40`);
  });
}

test.run();
