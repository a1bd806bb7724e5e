/** What is content for sure: all before the first mark, nothing where a lead comes first. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ContentText } from '../../../runtime/text/content-text.js';

const form = { marks: ['<call>', '\n!'], leads: ['{', '!f'] };
const piece = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '!',
  'f',
  '{',
  '<',
  'call',
  '>',
  '<call>',
  '\n!',
  'é',
);

/** By looking at the whole. */
function before(whole: string): string {
  const start = whole.trimStart();
  if (form.leads.some((lead) => start.startsWith(lead))) return '';
  const places = form.marks.map((mark) => whole.indexOf(mark)).filter((at) => at >= 0);
  return whole.slice(0, Math.min(whole.length, ...places));
}

const isBeginning = (text: string, of: readonly string[]): boolean =>
  of.some((one) => one.startsWith(text) && one !== text);

test('however a text is cut, all of it that no call can begin in is said, and no more', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const content = new ContentText(form);
      const said = pieces.map((one) => content.push(one)).join('');
      const whole = pieces.join('');
      const due = before(whole);
      assert.ok(due.startsWith(said), `${JSON.stringify(said)} of ${JSON.stringify(due)}`);
      const held = due.slice(said.length);
      const start = whole.trimStart();
      const mayStillLead = start === '' || isBeginning(start, form.leads);
      if (!mayStillLead) assert.ok(held === '' || isBeginning(held, form.marks), held);
    }),
    { numRuns: 500 },
  );
});

test('without marks and leads everything but what may be blank at first is content', () => {
  const content = new ContentText({ marks: [], leads: [] });
  assert.equal(
    ['  ', 'a', '{ '].map((one) => content.push(one)),
    ['', '  a', '{ '],
  );
});

test.run();
