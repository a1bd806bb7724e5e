/** What a generation of text lends its sessions: a form is compiled once for all of them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextBody } from '../../../http/text-serving.js';
import { SessionHome } from '../../../actors/serving/session-home.js';
import type { SessionHomeOptions } from '../../../actors/serving/session-home.js';
import { tinyText } from '../../runtime/text/grammar/vocabularies.js';
import { smallGeometry } from '../../runtime/text/small-geometry.js';

const options = {
  model: 'm',
  isSequence: false,
  geometry: smallGeometry({ vocabulary: tinyText.size, terminal: [tinyText.end] }),
  tokenizer: tinyText.tokenizer,
  control: { bind: () => ({ bytes: new Uint8Array(0), history: 0 }) },
} as unknown as SessionHomeOptions;
const home = new SessionHome(options);

function turn(schema: unknown): unknown {
  const body = { session: null, maxTokens: 4, stop: [], sampling: {} };
  const grammar = { kind: 'schema', schema } as const;
  const asked = { ids: [1], requestId: 'r', held: 0, form: null };
  const arrived = { stream: null, arrivedMs: 0 };
  return home.turnOf({ ...body, grammar } as unknown as TextBody, asked, arrived, 's');
}

function refusal(schema: unknown): unknown {
  try {
    turn(schema);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}

test('every choice of a request has the one program, or the one refusal', () => {
  assert.ok(turn({ type: 'integer' }));
  const first = refusal({ type: 'string', pattern: 'a' });
  assert.match((first as Error).message, /none of those that are kept/);
  assert.is(refusal({ type: 'string', pattern: 'a' }), first);
});

test('where nothing ends a turn, only one call can; without a form none can be required', () => {
  const plain = { isOneLine: true, marks: [], leads: [] };
  const form = { begin: '!', middle: ' ', end: '', between: '\n', ...plain };
  const functions = [{ name: 'f', parameters: null, place: '', isStrict: false }];
  const grammar = { kind: 'calls', functions, isSingle: false, orElse: null, form: null };
  const body = { session: null, maxTokens: 4, stop: [], sampling: {}, hasTools: true, grammar };
  const stateOf = (terminal: readonly number[], known: typeof form | null) => {
    const geometry = smallGeometry({ vocabulary: tinyText.size, terminal });
    const asked = { ids: [1], requestId: 'r', held: 0, form: known };
    return new SessionHome({ ...options, geometry } as SessionHomeOptions).turnOf(
      body as unknown as TextBody,
      asked,
      { stream: null, arrivedMs: 0 },
      's',
    ).grammar!;
  };
  for (const [terminal, isOver] of [
    [[], true],
    [[tinyText.end], false],
  ] as const) {
    const state = stateOf(terminal, form);
    for (const id of tinyText.spelled('!f {}')) state.advance(id);
    assert.ok(state.isComplete);
    assert.is(state.isExhausted, isOver);
  }
  assert.throws(() => stateOf([], null), /does not say how calls are written \(call_form\)/);
});

test.run();
