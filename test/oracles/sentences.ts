/**
 * 200 varied sentences for text models: lengths from none to 400 words, several scripts, emoji,
 * forms that normalisation changes, characters that no vocabulary has. Always the same ones.
 */

const subjects = [
  'The old lighthouse keeper',
  'A committee of experts',
  'My neighbour',
  'Nobody in Prague',
  'the second derivative',
  'Mrs. O’Neill',
];
const verbs = ['repaired', 'will forget', 'never saw', 'wrote about', 'sold', 'is afraid of'];
const objects = [
  'the bridge across the river.',
  'three different kinds of apple pie!',
  'a letter from 1987',
  'what the weather does tomorrow?',
  'the price of oil, gas and wheat',
  'quantum chromodynamics; or so they say',
  'it',
];

const special = [
  '',
  ' ',
  '   two  blanks   everywhere ',
  '\u00a0\u3000\u2003',
  '\t\n\r\n',
  'a',
  '?',
  '🙂',
  '👍🏽👩‍👩‍👧🏳️‍🌈 with some words 🙂 between 🙂 them',
  'žluťoučký kůň úpěl ďábelské ódy',
  'Съешь же ещё этих мягких французских булок',
  '天地玄黃，宇宙洪荒',
  'いろはにほへと ちりぬるを',
  'صباح الخير يا عالم',
  'ﬁne oﬃce ½ ① ｆｕｌｌ　ｗｉｄｔｈ ℌello',
  'e\u0301 is é, and \u1112\u1161\u11ab is 한',
  'UPPER CASE, lower case, MiXeD',
  'http://example.com/a?b=c&d=%20 costs $3.50 (or 10:45)',
  'What about “quotes”, ”5 and — dashes?',
  '<s> </s> <unk> extra_token_id_1 \ufffd',
  'x'.repeat(300),
  '😀'.repeat(200),
  'a b '.repeat(150),
  'To be, or not to be, that is the question: '.repeat(12),
];

function made(at: number): string {
  const pick = (list: readonly string[], step: number): string => list[(at * step) % list.length]!;
  const one = `${pick(subjects, 1)} ${pick(verbs, 5)} ${pick(objects, 3)}`;
  return Array.from({ length: 1 + (at % 11 === 0 ? at % 7 : 0) }, () => one).join(' ');
}

/** 400 words that do not repeat in any short period. */
const long = (): string =>
  Array.from({ length: 400 }, (_, at) => {
    const words = [...subjects, ...verbs, ...objects].join(' ').split(' ');
    return words[(at * at + 3 * at) % words.length]!;
  }).join(' ');

export function sentences(): readonly string[] {
  const fixed = [...special, long()];
  return [...fixed, ...Array.from({ length: 200 - fixed.length }, (_, at) => made(at))];
}
